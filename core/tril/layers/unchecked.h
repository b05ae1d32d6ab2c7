// The layers below a call that has checked its arguments already: each computes what the function
// of its name does and looks at none of what that one refuses.
#pragma once

#include <tril/layers/activations.h>
#include <tril/layers/dropout.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/feed_forward.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/linear.h>
#include <tril/layers/rms_norm.h>
#include <tril/layers/rotary_positions.h>

#include <optional>

namespace tril::detail {

void run_linear(const MatrixView<const float>& x, const Weight& weight,
                const VectorView<const float>& bias, const MatrixView<float>& out,
                const Context& context, const PackedColumns& packed = {});
void run_linear_backward(const MatrixView<const float>& d_out, const MatrixView<const float>& x,
                         const MatrixView<const float>& weight, const LinearGradients& gradients,
                         const Context& context);

void run_activation(Activation activation, const MatrixView<const float>& x,
                    const MatrixView<float>& out, const Context& context);
void run_activation_backward(Activation activation, const MatrixView<const float>& d_out,
                             const MatrixView<const float>& x, const MatrixView<float>& d_x,
                             const Context& context);

void run_gated_activation(Activation activation, const MatrixView<const float>& gate,
                          const MatrixView<const float>& up, const MatrixView<float>& out,
                          const Context& context);
void run_gated_activation_backward(Activation activation, const MatrixView<const float>& d_out,
                                   const MatrixView<const float>& gate,
                                   const MatrixView<const float>& up,
                                   const MatrixView<float>& d_gate, const MatrixView<float>& d_up,
                                   const Context& context);

// Plain or gated, with dropout of what the activation gives; `activated` is traced after it.
void run_feed_forward(bool gated, const MatrixView<const float>& x,
                      const FeedForwardWeights& weights, Activation activation,
                      const MatrixView<float>& out, const Context& context,
                      const FeedForwardTrace& trace, const PreparedWeights* prepared,
                      const std::optional<DropoutOptions>& dropout = {});
void run_feed_forward_backward(bool gated, const MatrixView<const float>& d_out,
                               const MatrixView<const float>& x, const FeedForwardWeights& weights,
                               Activation activation, const FeedForwardTrace& trace,
                               const FeedForwardGradients& gradients, const Context& context,
                               const std::optional<DropoutOptions>& dropout = {});

void run_layer_norm(const MatrixView<const float>& x, const VectorView<const float>& weight,
                    const VectorView<const float>& bias, double eps, const MatrixView<float>& out,
                    const Context& context, const LayerNormTrace& trace);
void run_layer_norm_backward(const MatrixView<const float>& d_out, const MatrixView<const float>& x,
                             const VectorView<const float>& weight,
                             const VectorView<const float>& mean,
                             const VectorView<const float>& rstd,
                             const LayerNormGradients& gradients, const Context& context);

void run_rms_norm(const MatrixView<const float>& x, const VectorView<const float>& weight,
                  double eps, const MatrixView<float>& out, const Context& context,
                  const VectorView<float>& rstd);
void run_rms_norm_backward(const MatrixView<const float>& d_out, const MatrixView<const float>& x,
                           const VectorView<const float>& weight,
                           const VectorView<const float>& rstd, const RmsNormGradients& gradients,
                           const Context& context);

void run_rotary_angles(const VectorView<const std::int32_t>& positions, double base,
                       const RotaryScaling& scaling, const MatrixView<float>& cos,
                       const MatrixView<float>& sin) noexcept;
void run_rotary_positions(const TensorView<const float, 4>& x,
                          const TensorView<const float, 3>& cos,
                          const TensorView<const float, 3>& sin, RotaryPairs pairs,
                          const TensorView<float, 4>& out, const Context& context);
void run_rotary_positions_backward(const TensorView<const float, 4>& d_out,
                                   const TensorView<const float, 3>& cos,
                                   const TensorView<const float, 3>& sin, RotaryPairs pairs,
                                   const TensorView<float, 4>& d_x, const Context& context);

void run_add(const AnyView<const float>& x, const AnyView<const float>& y,
             const AnyView<float>& out, const Context& context);
void run_copy(const AnyView<const float>& x, const AnyView<float>& out, const Context& context);

}  // namespace tril::detail
