// What is done with a matrix of 16-bit numbers, which are widened while they are read.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/narrow_matrix.h>

namespace tril {

// Of both formats, the copies of an instruction set.
struct NarrowKernels {
  NarrowFormat float16, bfloat16;
};

const NarrowKernels& narrow_kernels(Isa isa = best_isa());

}  // namespace tril
