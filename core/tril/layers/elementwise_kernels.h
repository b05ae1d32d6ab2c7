// Functions of one number, or of two, over arrays; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct ElementwiseKernels {
  // out[i] = f(x[i]), the functions of activations.h. out may be x.
  using Map = void (*)(const float* x, float* out, Index count) noexcept;
  Map relu, gelu, gelu_tanh, silu;

  // Of two numbers, of which one may be the same for all:
  //   both  out[i] = x[i] op y[i]      one_x  out[i] = x[0] op y[i]      one_y  out[i] = x[i] op
  //   y[0]
  // out may be x or y, but for the one number.
  struct Pairs {
    using Call = void (*)(const float* x, const float* y, float* out, Index count) noexcept;
    Call both, one_x, one_y;
  };
  Pairs add, subtract, multiply, divide;
};

const ElementwiseKernels& elementwise_kernels(Isa isa = best_isa());

// In a table of their own, so that who never goes back does not carry them.
struct ElementwiseBackwardKernels {
  // d_x[i] = d_out[i] f'(x[i]); d_x may be d_out or x.
  using Map = void (*)(const float* d_out, const float* x, float* d_x, Index count) noexcept;
  Map relu, gelu, gelu_tanh, silu;
  // d_x[i] = d_out[i] x[i], but 0 where d_out is 0, even if x is not finite.
  Map multiply;
};

const ElementwiseBackwardKernels& elementwise_backward_kernels(Isa isa = best_isa());

}  // namespace tril
