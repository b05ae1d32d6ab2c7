#include <tril/foundation/check.h>
#include <tril/layers/unchecked.h>

namespace tril {
namespace {

// F for a first layer with `rows` rows.
Index inner_width(Index rows, bool gated) noexcept { return gated ? rows / 2 : rows; }

}  // namespace

void check_feed_forward(const char* call, Index width, const FeedForwardWeights& weights,
                        Activation activation) {
  detail::FeedForward{false, weights, activation}.check_weights(call, width);
}

void check_gated_feed_forward(const char* call, Index width, const FeedForwardWeights& weights,
                              Activation activation) {
  detail::FeedForward{true, weights, activation}.check_weights(call, width);
}

void feed_forward(MatrixView<const float> x, const FeedForwardWeights& weights,
                  Activation activation, MatrixView<float> out, const Context& context,
                  const FeedForwardTrace& trace) {
  const detail::FeedForward layer{false, weights, activation, trace};
  layer.check("feed_forward", x, out);
  layer.run(x, out, context);
}

void gated_feed_forward(MatrixView<const float> x, const FeedForwardWeights& weights,
                        Activation activation, MatrixView<float> out, const Context& context,
                        const FeedForwardTrace& trace) {
  const detail::FeedForward layer{true, weights, activation, trace};
  layer.check("gated_feed_forward", x, out);
  layer.run(x, out, context);
}

namespace detail {

void FeedForward::check_weights(const char* call, Index width) const {
  const auto& [linear1, linear2] = weights;
  check_activation(activation, call);
  check_view(linear1.weight, call, "linear1.weight", Empty::allowed);
  const Index rows = linear1.weight.size(0);
  if (gated && rows % 2 != 0) {
    fail(call, "linear1.weight",
         {"must have an even number of rows, half of them for the gate, has ", rows});
  }
  const Message why{"x has width ", width, ", linear1.weight is ", linear1.weight};
  check_shape(linear1.weight, {rows, width}, call, "linear1.weight", why);
  if (linear1.bias) check_shape(linear1.bias, {rows}, call, "linear1.bias", why);
  check_shape(linear2.weight, {width, inner_width(rows, gated)}, call, "linear2.weight", why);
  if (linear2.bias) check_shape(linear2.bias, {width}, call, "linear2.bias", why);
}

void FeedForward::check(const char* call, const MatrixView<const float>& x,
                        const MatrixView<float>& out) const {
  const auto& [linear1, linear2] = weights;
  check_view(x, call, "x", Empty::allowed);
  check_weights(call, x.size(1));
  check_shape(out, x.shape(), call, "out", "the shape of x");
  const Shape<2> outer = {x.size(0), linear1.weight.size(0)};
  const Shape<2> inner = {x.size(0), inner_width(outer[1], gated)};
  const Message why{"x is ", x, ", linear1.weight is ", linear1.weight};
  if (trace.hidden) check_shape(trace.hidden, outer, call, "hidden", why);
  if (trace.activated) check_shape(trace.activated, inner, call, "activated", why);
  check_no_overlap(out, trace.hidden, call, "hidden");
  check_no_overlap(out, trace.activated, call, "activated");
  check_no_overlap(trace.hidden, trace.activated, call, "activated");
  for (const MatrixView<float>& written : {out, trace.hidden, trace.activated}) {
    check_no_overlap(written, x, call, "out");
    for (const LinearWeights& linear : {linear1, linear2}) {
      check_no_overlap(written, linear.weight, call, "out");
      check_no_overlap(written, linear.bias, call, "out");
    }
  }
}

// hidden = x W1^T + b1;  activated = f(hidden), or f(gate) up, with dropout
// out = activated W2^T + b2
void FeedForward::run(const MatrixView<const float>& x, const MatrixView<float>& out,
                      const Context& context) const {
  const auto& [linear1, linear2] = weights;
  const Shape<2> outer = {x.size(0), linear1.weight.size(0)};
  const Shape<2> inner = {x.size(0), inner_width(outer[1], gated)};
  // Without a gate, hidden and activated share memory unless both are asked for.
  Scratch::Frame frame(context.scratch);
  const auto take = [&](const Shape<2>& shape) {
    return MatrixView<float>(frame.take<float>(shape[0], shape[1]), shape);
  };
  MatrixView<float> hidden = trace.hidden, activated = trace.activated;
  if (!activated) activated = take(inner);
  if (!hidden) hidden = gated ? take(outer) : activated;
  run_linear(x, linear1.weight, linear1.bias, hidden, context);
  if (gated) {
    run_gated_activation(activation, gated_half(hidden, 0), gated_half(hidden, 1), activated,
                         context);
  } else {
    run_activation(activation, hidden, activated, context);
  }
  if (dropout) tril::dropout(activated, *dropout, activated, context);
  run_linear(activated, linear2.weight, linear2.bias, out, context);
}

}  // namespace detail
}  // namespace tril
