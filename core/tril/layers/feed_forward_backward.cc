#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>
#include <tril/layers/unchecked.h>

namespace tril {

FeedForwardTrace feed_forward_saved(Index rows, const FeedForwardWeights& weights,
                                    SavedMemory& memory) {
  check_view(weights.linear1.weight, "feed_forward_saved", "linear1.weight", Empty::allowed);
  const Index inner = weights.linear1.weight.size(0);
  const MatrixView<float> hidden = memory.take(rows, inner);
  return {hidden, memory.take(rows, inner)};
}

FeedForwardTrace gated_feed_forward_saved(Index rows, const FeedForwardWeights& weights,
                                          SavedMemory& memory) {
  constexpr const char* kCall = "gated_feed_forward_saved";
  check_view(weights.linear1.weight, kCall, "linear1.weight", Empty::allowed);
  check_view(weights.linear2.weight, kCall, "linear2.weight", Empty::allowed);
  const MatrixView<float> hidden = memory.take(rows, weights.linear1.weight.size(0));
  return {hidden, memory.take(rows, weights.linear2.weight.size(1))};
}

void feed_forward_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                           const FeedForwardWeights& weights, Activation activation,
                           const FeedForwardTrace& trace, const FeedForwardGradients& gradients,
                           const Context& context) {
  const detail::FeedForward layer{false, weights, activation, trace};
  layer.check_backward("feed_forward_backward", d_out, x, gradients);
  layer.backward(d_out, x, gradients, context);
}

void gated_feed_forward_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                                 const FeedForwardWeights& weights, Activation activation,
                                 const FeedForwardTrace& trace,
                                 const FeedForwardGradients& gradients, const Context& context) {
  const detail::FeedForward layer{true, weights, activation, trace};
  layer.check_backward("gated_feed_forward_backward", d_out, x, gradients);
  layer.backward(d_out, x, gradients, context);
}

namespace detail {

void FeedForward::check_backward(const char* call, const MatrixView<const float>& d_out,
                                 const MatrixView<const float>& x,
                                 const FeedForwardGradients& gradients) const {
  check_view(x, call, "x", Empty::allowed);
  check_weights(call, x.size(1));
  check_all_floats(weights, call);
  check_shape(d_out, x.shape(), call, "d_out", "the shape of x");
  const Shape<2> outer = {x.size(0), weights.linear1.weight.size(0)};
  const Shape<2> inner = {x.size(0), weights.linear2.weight.size(1)};
  check_shape(trace.hidden, outer, call, "trace.hidden", "as wide as linear1");
  check_shape(trace.activated, inner, call, "trace.activated", "as wide as linear2's input");
  OverlapCheck overlap(call);
  overlap.reads(d_out), overlap.reads(x), overlap.reads_all(weights);
  overlap.reads(trace.hidden), overlap.reads(trace.activated);
  overlap.writes(gradients.d_x, x.shape(), "d_x", "the shape of x");
  overlap.writes_gradients(gradients.weights, weights);
}

// d_activated = d_out W2, then through dropout, and linear2's gradients
// d_hidden = d_activated activation'(hidden), or of the gate and the gated values
// d_x = d_hidden W1, and linear1's gradients
void FeedForward::backward(const MatrixView<const float>& d_out, const MatrixView<const float>& x,
                           const FeedForwardGradients& gradients, const Context& context) const {
  const auto& [linear1, linear2] = weights;
  const auto& [d_linear1, d_linear2] = gradients.weights;
  Scratch::Frame frame(context.scratch);
  const auto take = [&](const Shape<2>& shape) {
    return MatrixView<float>(frame.take<float>(shape[0], shape[1]), shape);
  };
  const bool further = gradients.d_x || d_linear1.weight || d_linear1.bias;
  const MatrixView<float> d_activated =
      further ? take(trace.activated.shape()) : MatrixView<float>();
  run_linear_backward(d_out, trace.activated, linear2.weight.floats(),
                      {d_activated, d_linear2.weight, d_linear2.bias}, context);
  if (!further) return;
  if (dropout) dropout_backward(d_activated, *dropout, d_activated, context);
  const MatrixView<float> d_hidden = gated ? take(trace.hidden.shape()) : d_activated;
  if (gated) {
    run_gated_activation_backward(activation, d_activated, gated_half(trace.hidden, 0),
                                  gated_half(trace.hidden, 1), gated_half(d_hidden, 0),
                                  gated_half(d_hidden, 1), context);
  } else {
    run_activation_backward(activation, d_activated, trace.hidden, d_hidden, context);
  }
  run_linear_backward(d_hidden, x, linear1.weight.floats(),
                      {gradients.d_x, d_linear1.weight, d_linear1.bias}, context);
}

}  // namespace detail
}  // namespace tril
