// Kernels of the activations over arrays; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

enum class Activation;

struct ElementwiseKernels {
  // out[i] = f(x[i]), the functions of activations.h. out may be x.
  using Map = void (*)(const float* x, float* out, Index count) noexcept;
  Map relu, gelu, gelu_tanh, silu;

  Map of(Activation activation) const noexcept;
};

const ElementwiseKernels& elementwise_kernels(Isa isa = best_isa());

// The kernels of backward passes, in a table of their own, so that programs without backward passes
// do not link them.
struct ElementwiseBackwardKernels {
  // d_x[i] = d_out[i] f'(x[i]); d_x may be d_out or x.
  using Map = void (*)(const float* d_out, const float* x, float* d_x, Index count) noexcept;
  Map relu, gelu, gelu_tanh, silu;
  // d_x[i] = d_out[i] x[i], but 0 where d_out is 0, even if x is not finite.
  Map multiply;

  Map of(Activation activation) const noexcept;
};

const ElementwiseBackwardKernels& elementwise_backward_kernels(Isa isa = best_isa());

}  // namespace tril
