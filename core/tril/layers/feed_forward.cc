#include <tril/foundation/check.h>
#include <tril/layers/unchecked.h>

namespace tril {
namespace {

constexpr const char* kCall = "feed_forward";

void check_linear(const char* call, const char* weight, const char* bias,
                  const LinearWeights& linear, const Shape<2>& shape, const Message& why) {
  check_shape(linear.weight, shape, call, weight, why);
  if (linear.bias) check_shape(linear.bias, {shape[0]}, call, bias, why);
}

}  // namespace

void check_feed_forward(const char* call, Index width, const FeedForwardWeights& weights,
                        Activation activation) {
  const auto& [linear1, linear2] = weights;
  check_activation(activation, call);
  check_view(linear1.weight, call, "linear1.weight", Empty::allowed);
  const Index inner = linear1.weight.size(0);
  const Message why{"x has width ", width, ", linear1.weight is ", linear1.weight};
  check_linear(call, "linear1.weight", "linear1.bias", linear1, {inner, width}, why);
  check_linear(call, "linear2.weight", "linear2.bias", linear2, {width, inner}, why);
}

void feed_forward(MatrixView<const float> x, const FeedForwardWeights& weights,
                  Activation activation, MatrixView<float> out, Scratch& scratch,
                  Parallel& parallel, const FeedForwardTrace& trace,
                  const PreparedWeights* prepared) {
  const auto& [linear1, linear2] = weights;
  check_view(x, kCall, "x", Empty::allowed);
  check_feed_forward(kCall, x.size(1), weights, activation);
  check_shape(out, x.shape(), kCall, "out", "the shape of x");
  const Shape<2> inner = {x.size(0), linear1.weight.size(0)};
  const Message why{"x is ", x, ", linear1.weight is ", linear1.weight};
  if (trace.hidden) check_shape(trace.hidden, inner, kCall, "hidden", why);
  if (trace.activated) check_shape(trace.activated, inner, kCall, "activated", why);
  check_no_overlap(out, trace.hidden, kCall, "hidden");
  check_no_overlap(out, trace.activated, kCall, "activated");
  check_no_overlap(trace.hidden, trace.activated, kCall, "activated");
  for (const MatrixView<float>& written : {out, trace.hidden, trace.activated}) {
    check_no_overlap(written, x, kCall, "out");
    for (const LinearWeights& linear : {linear1, linear2}) {
      check_no_overlap(written, linear.weight, kCall, "out");
      check_no_overlap(written, linear.bias, kCall, "out");
    }
  }

  detail::run_feed_forward(x, weights, activation, out, scratch, parallel, trace, prepared);
}

void detail::run_feed_forward(const MatrixView<const float>& x, const FeedForwardWeights& weights,
                              Activation activation, const MatrixView<float>& out, Scratch& scratch,
                              Parallel& parallel, const FeedForwardTrace& trace,
                              const PreparedWeights* prepared) {
  const auto& [linear1, linear2] = weights;
  const Shape<2> inner = {x.size(0), linear1.weight.size(0)};
  // hidden and activated share a place unless both are asked for.
  Scratch::Frame frame(scratch);
  const MatrixView<float> activated =
      trace.activated ? trace.activated
                      : MatrixView<float>(frame.take<float>(inner[0], inner[1]), inner);
  const MatrixView<float> hidden = trace.hidden ? trace.hidden : activated;
  run_linear(x, linear1.weight, linear1.bias, hidden, scratch, parallel,
             packed_columns(prepared, linear1.weight));
  run_activation(activation, hidden, activated, parallel);
  run_linear(activated, linear2.weight, linear2.bias, out, scratch, parallel,
             packed_columns(prepared, linear2.weight));
}

}  // namespace tril
