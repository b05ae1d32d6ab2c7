// The exp of exp.h over arrays; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct ExpKernels {
  // out[i] = e^x[i]. out may be x.
  void (*exp)(const float* x, float* out, Index count) noexcept;
  // The same for x[i] <= 0, with results below 2^-126 flushed to 0.
  void (*exp_nonpositive)(const float* x, float* out, Index count) noexcept;
};

const ExpKernels& exp_kernels(Isa isa = best_isa());

}  // namespace tril
