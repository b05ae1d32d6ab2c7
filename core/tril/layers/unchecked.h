// Layers for callers that have already checked the arguments. Each computes the same as the public
// function of its name, without its checks. A layer with many arguments is a struct of them.
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
                const Context& context);
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

// A feed-forward, plain or gated, bound to its weights and to the views that its trace fills.
// run() and backward() expect that check() and check_backward() have passed.
struct FeedForward {
  bool gated;
  FeedForwardWeights weights;
  Activation activation;
  FeedForwardTrace trace = {};
  std::optional<DropoutOptions> dropout = {};  // of activated, which is traced after it

  void run(const MatrixView<const float>& x, const MatrixView<float>& out,
           const Context& context) const;
  void backward(const MatrixView<const float>& d_out, const MatrixView<const float>& x,
                const FeedForwardGradients& gradients, const Context& context) const;

  // Throw Error in the name of `call` unless the weights fit each other and inputs of this width,
  // and unless all arguments fit.
  void check_weights(const char* call, Index width) const;
  void check(const char* call, const MatrixView<const float>& x,
             const MatrixView<float>& out) const;
  void check_backward(const char* call, const MatrixView<const float>& d_out,
                      const MatrixView<const float>& x,
                      const FeedForwardGradients& gradients) const;
};

// A norm of rows of any kind but NormKind::none. RMS norm has no bias and no mean.
struct Norm {
  NormKind kind;
  MatrixView<const float> x;
  VectorView<const float> weight, bias;
  double eps;
  MatrixView<float> out;
  LayerNormTrace trace;

  void check(const char* call) const;
  void run(const Context& context) const;
};
struct NormBackward {
  NormKind kind;
  MatrixView<const float> d_out, x;
  VectorView<const float> weight, mean, rstd;
  LayerNormGradients gradients;

  void check(const char* call) const;
  void run(const Context& context) const;
};

void run_rotary_angles(const VectorView<const std::int32_t>& positions, double base,
                       const RotaryScaling& scaling, const MatrixView<float>& cos,
                       const MatrixView<float>& sin) noexcept;
// Rotates pairs by their angle (forward), or their gradients by the opposite angle (backward).
enum class Direction { forward, backward };
void turn_pairs(Direction direction, const TensorView<const float, 4>& x,
                const TensorView<const float, 3>& cos, const TensorView<const float, 3>& sin,
                RotaryPairs pairs, const TensorView<float, 4>& out, const Context& context);

void run_add(const AnyView<const float>& x, const AnyView<const float>& y,
             const AnyView<float>& out, const Context& context);
void run_copy(const AnyView<const float>& x, const AnyView<float>& out, const Context& context);

}  // namespace tril::detail
