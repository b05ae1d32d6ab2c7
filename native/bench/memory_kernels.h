// Reading memory at full speed, one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril::bench {

struct MemoryKernels {
  // The sum of x[0 .. count), in eight registers at a time; count is a multiple of 128.
  float (*read)(const float* x, Index count) noexcept;
};

}  // namespace tril::bench

namespace tril {

// The kernels of an instruction set (decoding_bench.cc).
const bench::MemoryKernels& memory_kernels(Isa isa);

}  // namespace tril
