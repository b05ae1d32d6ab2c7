// Functions of one element, or of two, over arrays; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct ElementwiseKernels {
  // out[i] = f(x[i]), the functions of activations.h. out may be x.
  using Map = void (*)(const float* x, float* out, Index count) noexcept;
  Map relu, gelu, gelu_tanh, silu;
  // out[i] = x[i] + y[i]. out may be x or y.
  void (*add)(const float* x, const float* y, float* out, Index count) noexcept;
};

const ElementwiseKernels& elementwise_kernels(Isa isa = best_isa());

}  // namespace tril
