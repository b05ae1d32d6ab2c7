// Kernels of reductions side by side, one per lane; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct ReduceKernels {
  // Reduces x[i] into values[i] for each lane i.
  using Fold = void (*)(const float* x, double* values, Index count) noexcept;
  Fold add;       // values[i] += x[i]
  Fold max, min;  // of values[i] and x[i]; NaN where either is
  // Like max; where x[i] is larger, or the first NaN, also sets places[i] = place.
  void (*argmax)(const float* x, double place, double* values, double* places,
                 Index count) noexcept;
};

const ReduceKernels& reduce_kernels(Isa isa = best_isa());

}  // namespace tril
