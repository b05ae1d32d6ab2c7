#include <tril/foundation/check.h>
#include <tril/layers/unchecked.h>

namespace tril {
namespace {

void check_linear(const char* call, const char* weight, const char* bias,
                  const LinearWeights& linear, const Shape<2>& shape, const Message& why) {
  check_shape(linear.weight, shape, call, weight, why);
  if (linear.bias) check_shape(linear.bias, {shape[0]}, call, bias, why);
}

// F of a first layer that has `rows` rows.
Index inner_width(Index rows, bool gated) noexcept { return gated ? rows / 2 : rows; }

void check(const char* call, bool gated, Index width, const FeedForwardWeights& weights,
           Activation activation) {
  const auto& [linear1, linear2] = weights;
  check_activation(activation, call);
  check_view(linear1.weight, call, "linear1.weight", Empty::allowed);
  const Index rows = linear1.weight.size(0);
  if (gated && rows % 2 != 0) {
    fail(call, "linear1.weight",
         {"must have an even number of rows, half of them for the gate, has ", rows});
  }
  const Message why{"x has width ", width, ", linear1.weight is ", linear1.weight};
  check_linear(call, "linear1.weight", "linear1.bias", linear1, {rows, width}, why);
  check_linear(call, "linear2.weight", "linear2.bias", linear2, {width, inner_width(rows, gated)},
               why);
}

void check_call(const char* call, bool gated, const MatrixView<const float>& x,
                const FeedForwardWeights& weights, Activation activation,
                const MatrixView<float>& out, const FeedForwardTrace& trace) {
  const auto& [linear1, linear2] = weights;
  check_view(x, call, "x", Empty::allowed);
  check(call, gated, x.size(1), weights, activation);
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

}  // namespace

void check_feed_forward(const char* call, Index width, const FeedForwardWeights& weights,
                        Activation activation) {
  check(call, false, width, weights, activation);
}

void check_gated_feed_forward(const char* call, Index width, const FeedForwardWeights& weights,
                              Activation activation) {
  check(call, true, width, weights, activation);
}

void feed_forward(MatrixView<const float> x, const FeedForwardWeights& weights,
                  Activation activation, MatrixView<float> out, const Context& context,
                  const FeedForwardTrace& trace, const PreparedWeights* prepared) {
  check_call("feed_forward", false, x, weights, activation, out, trace);
  detail::run_feed_forward(false, x, weights, activation, out, context, trace, prepared, {});
}

// hidden = x W1^T + b1;  activated = f(hidden), or f(gate) up, with dropout
// out = activated W2^T + b2
void detail::run_feed_forward(bool gated, const MatrixView<const float>& x,
                              const FeedForwardWeights& weights, Activation activation,
                              const MatrixView<float>& out, const Context& context,
                              const FeedForwardTrace& trace, const PreparedWeights* prepared,
                              const std::optional<DropoutOptions>& dropout) {
  const auto& [linear1, linear2] = weights;
  const Shape<2> outer = {x.size(0), linear1.weight.size(0)};
  const Shape<2> inner = {x.size(0), inner_width(outer[1], gated)};
  // Where nothing is gated, hidden and activated share a place unless both are asked for.
  Scratch::Frame frame(context.scratch);
  const auto take = [&](const Shape<2>& shape) {
    return MatrixView<float>(frame.take<float>(shape[0], shape[1]), shape);
  };
  MatrixView<float> hidden = trace.hidden, activated = trace.activated;
  if (!activated) activated = take(inner);
  if (!hidden) hidden = gated ? take(outer) : activated;
  detail::run_linear(x, linear1.weight, linear1.bias, hidden, context,
                     packed_columns(prepared, linear1.weight));
  if (gated) {
    detail::run_gated_activation(activation, detail::gated_half(hidden, 0),
                                 detail::gated_half(hidden, 1), activated, context);
  } else {
    detail::run_activation(activation, hidden, activated, context);
  }
  if (dropout) tril::dropout(activated, *dropout, activated, context);
  detail::run_linear(activated, linear2.weight, linear2.bias, out, context,
                     packed_columns(prepared, linear2.weight));
}

void gated_feed_forward(MatrixView<const float> x, const FeedForwardWeights& weights,
                        Activation activation, MatrixView<float> out, const Context& context,
                        const FeedForwardTrace& trace, const PreparedWeights* prepared) {
  check_call("gated_feed_forward", true, x, weights, activation, out, trace);
  detail::run_feed_forward(true, x, weights, activation, out, context, trace, prepared, {});
}

}  // namespace tril
