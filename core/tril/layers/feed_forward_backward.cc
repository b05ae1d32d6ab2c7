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

void feed_forward_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                           const FeedForwardWeights& weights, Activation activation,
                           const FeedForwardTrace& trace, const FeedForwardGradients& gradients,
                           Scratch& scratch, Parallel& parallel) {
  constexpr const char* kCall = "feed_forward_backward";
  check_view(x, kCall, "x");
  check_feed_forward(kCall, x.size(1), weights, activation);
  check_shape(d_out, x.shape(), kCall, "d_out", "the shape of x");
  const Shape<2> inner = {x.size(0), weights.linear1.weight.size(0)};
  check_shape(trace.hidden, inner, kCall, "trace.hidden", "as wide as linear1");
  check_shape(trace.activated, inner, kCall, "trace.activated", "as wide as linear1");
  detail::OverlapCheck overlap(kCall);
  overlap.reads(d_out), overlap.reads(x), overlap.reads_all(weights);
  overlap.reads(trace.hidden), overlap.reads(trace.activated);
  overlap.writes(gradients.d_x, x.shape(), "d_x", "the shape of x");
  overlap.writes_gradients(gradients.weights, weights);

  detail::run_feed_forward_backward(d_out, x, weights, activation, trace, gradients, scratch,
                                    parallel);
}

// d_hidden = d_out W2, and linear2's gradients;  d_hidden *= activation'(hidden)
// d_x = d_hidden W1, and linear1's gradients
void detail::run_feed_forward_backward(const MatrixView<const float>& d_out,
                                       const MatrixView<const float>& x,
                                       const FeedForwardWeights& weights, Activation activation,
                                       const FeedForwardTrace& trace,
                                       const FeedForwardGradients& gradients, Scratch& scratch,
                                       Parallel& parallel) {
  const auto& [linear1, linear2] = weights;
  const auto& [d_linear1, d_linear2] = gradients.weights;
  const Shape<2> inner = trace.hidden.shape();
  Scratch::Frame frame(scratch);
  const bool further = gradients.d_x || d_linear1.weight || d_linear1.bias;
  const MatrixView<float> d_hidden =
      further ? MatrixView<float>(frame.take<float>(inner[0], inner[1]), inner)
              : MatrixView<float>();
  run_linear_backward(d_out, trace.activated, linear2.weight,
                      {d_hidden, d_linear2.weight, d_linear2.bias}, scratch, parallel);
  if (!further) return;
  run_activation_backward(activation, d_hidden, trace.hidden, d_hidden, parallel);
  run_linear_backward(d_hidden, x, linear1.weight,
                      {gradients.d_x, d_linear1.weight, d_linear1.bias}, scratch, parallel);
}

}  // namespace tril
