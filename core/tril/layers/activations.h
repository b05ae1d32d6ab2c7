// The activations between the two linear layers of a feed-forward: functions of one element.
//
//   relu(x) = max(x, 0)
//   gelu(x) = x Phi(x),  Phi the normal distribution function (Hendrycks, Gimpel 2016); or with
//             Phi(x) ~ (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2
//   silu(x) = x / (1 + e^-x)
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

namespace tril {

// The activations of torch.nn.functional; gelu_tanh is its gelu with approximate='tanh'.
enum class Activation { relu, gelu, gelu_tanh, silu };

// Their names.
inline constexpr Named<Activation> kActivations[] = {{"relu", Activation::relu},
                                                     {"gelu", Activation::gelu},
                                                     {"gelu_tanh", Activation::gelu_tanh},
                                                     {"silu", Activation::silu}};

// Phi exactly, or approximated by tanh.
enum class GeluForm { exact, tanh };

// x and out [N, C]; rows may have any stride; out may be x itself. NaN stays NaN, and the
// infinities go to the limits: infinity, and 0 from the left. Throw Error where shapes do not fit.
void relu(MatrixView<const float> x, MatrixView<float> out, const Context& context = {});
void gelu(MatrixView<const float> x, GeluForm form, MatrixView<float> out,
          const Context& context = {});
void silu(MatrixView<const float> x, MatrixView<float> out, const Context& context = {});

// The function that `activation` names.
void activate(Activation activation, MatrixView<const float> x, MatrixView<float> out,
              const Context& context = {});

// The same into a new buffer.
inline Buffer<float, 2> activate(Activation activation, MatrixView<const float> x,
                                 const Context& context = {}) {
  return detail::new_buffer(x.shape(), [&](auto out) { activate(activation, x, out, context); });
}

// The backward pass: d_x = d_out f'(x), from the gradient d_out [N, C] of the output and the input
// x. d_x, which is overwritten, may be d_out or x itself. The slope of relu at 0 is 0. NaN stays
// NaN, and at the infinities slopes are 0 and 1. Throw Error where shapes do not fit.
void relu_backward(MatrixView<const float> d_out, MatrixView<const float> x, MatrixView<float> d_x,
                   const Context& context = {});
void gelu_backward(MatrixView<const float> d_out, MatrixView<const float> x, GeluForm form,
                   MatrixView<float> d_x, const Context& context = {});
void silu_backward(MatrixView<const float> d_out, MatrixView<const float> x, MatrixView<float> d_x,
                   const Context& context = {});

// The function that `activation` names.
void activate_backward(Activation activation, MatrixView<const float> d_out,
                       MatrixView<const float> x, MatrixView<float> d_x,
                       const Context& context = {});

// A gate (Shazeer 2020): out = f(gate) up, element by element; with silu, that of SwiGLU. All are
// [N, F]; rows may have any stride; out may be gate or up itself. Throws Error where shapes do not
// fit.
void gated_activation(Activation activation, MatrixView<const float> gate,
                      MatrixView<const float> up, MatrixView<float> out,
                      const Context& context = {});

// The backward pass: d_gate = d_out up f'(gate) and d_up = d_out f(gate), both overwritten. d_gate
// may be gate itself, and d_up may be up; d_gate and d_up, as gate and up, may be halves of one
// matrix. Throws Error where shapes do not fit, before anything is written.
void gated_activation_backward(Activation activation, MatrixView<const float> d_out,
                               MatrixView<const float> gate, MatrixView<const float> up,
                               MatrixView<float> d_gate, MatrixView<float> d_up,
                               const Context& context = {});

// Throws Error unless `activation` is one of the four.
void check_activation(Activation activation, const char* call);

}  // namespace tril
