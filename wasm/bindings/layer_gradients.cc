// The backward passes of products, rotations, gates and feed-forwards, and the forward passes of
// their gated forms.
#include <emscripten/bind.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/activations.h>
#include <tril/layers/feed_forward.h>
#include <tril/layers/rotary_positions.h>
#include <tril/matmul/matmul_backward.h>

#include <string>

#include "guard.h"
#include "matmul.h"
#include "rotary_positions.h"
#include "weights.h"

namespace tril::js {

namespace {

// The view of a new gradient, in the layout of its factor.
AnyView<float> gradient_of(Results& results, const char* name, const Tensor& of,
                           const AnyView<const float>& factor) {
  return {results.make(name, of.shape()).data(), factor.shape};
}

FeedForwardWeights feed_forward_weights(const NamedTensors& weights, const char* call) {
  const auto parts = read_weights<FeedForwardWeights>(weights, call);
  if (!parts.linear1.weight) fail(call, "linear1.weight", "no tensor given");
  if (!parts.linear2.weight) fail(call, "linear2.weight", "no tensor given");
  return parts;
}

// Returns dA and dB. Only the options transposeA and transposeB are used.
NamedTensors matmul_backward(Engine& engine, const Tensor& d_out, const Tensor& a, const Tensor& b,
                             const MatmulOptions& options) {
  constexpr const char* kCall = "matmul_backward";
  const Product product(a, b, options);
  check_same_shape(d_out, product.shape, kCall, "d_out", "the output");
  Results results(engine, kCall);
  const MatmulGradients gradients{gradient_of(results, "dA", a, product.left),
                                  gradient_of(results, "dB", b, product.right)};
  tril::matmul_backward({d_out.data(), product.full}, product.left, product.right,
                        {.transpose_a = options.transpose_a, .transpose_b = options.transpose_b},
                        gradients, engine.context);
  return results.hand_over();
}

// Takes the positions, tables and options of rotary_positions.
TensorHandle rotary_positions_backward(Engine& engine, const Tensor& d_out,
                                       const Integers& positions, const Tensor* cos,
                                       const Tensor* sin, const RotaryOptions& options,
                                       Tensor* out) {
  return rotated(engine, "d_out", tril::rotary_positions_backward, d_out, positions, cos, sin,
                 options, out);
}

// gate and up have the same shape, of any rank.
TensorHandle gated_activation(Engine& engine, const Tensor& gate, const Tensor& up,
                              const std::string& activation, Tensor* out) {
  constexpr const char* kCall = "gated_activation";
  const Activation kind = value_named(kActivations, activation, kCall, "activation");
  check_same_shape(up, gate.shape(), kCall, "up", "gate");
  const Output output(engine, out, gate.shape(), kCall);
  tril::gated_activation(kind, rows_of(gate), rows_of(up), rows_of(*output), engine.context);
  return output.handle();
}

// Returns dGate and dUp.
NamedTensors gated_activation_backward(Engine& engine, const Tensor& d_out, const Tensor& gate,
                                       const Tensor& up, const std::string& activation) {
  constexpr const char* kCall = "gated_activation_backward";
  const Activation kind = value_named(kActivations, activation, kCall, "activation");
  check_same_shape(up, gate.shape(), kCall, "up", "gate");
  check_same_shape(d_out, gate.shape(), kCall, "d_out", "gate");
  Results results(engine, kCall);
  const MatrixView<float> d_gate = rows_of(results.make("dGate", gate.shape()));
  const MatrixView<float> d_up = rows_of(results.make("dUp", up.shape()));
  tril::gated_activation_backward(kind, rows_of(d_out), rows_of(gate), rows_of(up), d_gate, d_up,
                                  engine.context);
  return results.hand_over();
}

// Takes x [..., C], linear1 [2 F, C] and linear2 [C, F]. Returns output (unless `out` was written)
// and, with a trace, hidden [..., 2 F] and activated [..., F].
NamedTensors gated_feed_forward(Engine& engine, const Tensor& x, const NamedTensors& weights,
                                const std::string& activation, bool trace, Tensor* out) {
  constexpr const char* kCall = "gated_feed_forward";
  const FeedForwardWeights parts = feed_forward_weights(weights, kCall);
  const Activation kind = value_named(kActivations, activation, kCall, "activation");
  Results results(engine, kCall);
  const Output output(engine, out, with_width(x.shape(), parts.linear2.weight.size(0)), kCall);
  if (!out) results.add("output", output.handle());
  FeedForwardTrace filled;
  if (trace) {
    const auto place = [&](const char* name, Index width) {
      return rows_of(results.make(name, with_width(x.shape(), width)));
    };
    filled = {place("hidden", parts.linear1.weight.size(0)),
              place("activated", parts.linear2.weight.size(1))};
  }
  tril::gated_feed_forward(rows_of(x), parts, kind, rows_of(*output), engine.context, filled);
  return results.hand_over();
}

// Returns dX, and dWeights.NAME for each given weight; gated or not.
NamedTensors feed_forward_backward(Engine& engine, bool gated, const Tensor& d_out, const Tensor& x,
                                   const NamedTensors& weights, const std::string& activation) {
  const char* const call = gated ? "gated_feed_forward_backward" : "feed_forward_backward";
  const FeedForwardWeights parts = feed_forward_weights(weights, call);
  const Activation kind = value_named(kActivations, activation, call, "activation");
  (gated ? check_gated_feed_forward : check_feed_forward)(call, x.size(-1), parts, kind);
  const MatrixView<const float> rows = rows_of(x);
  const Index width = parts.linear2.weight.size(0);
  check_same_shape(d_out, with_width(x.shape(), width), call, "d_out", "the output");
  Buffer<float, 1> saved;
  const FeedForwardTrace trace = saved_in(saved, [&](SavedMemory& memory) {
    return (gated ? gated_feed_forward_saved : feed_forward_saved)(rows.size(0), parts, memory);
  });
  Results results(engine, call);
  Scratch::Frame frame(engine.scratch);
  const MatrixView<float> out(frame.take<float>(rows.size(0), width), {rows.size(0), width});
  (gated ? tril::gated_feed_forward : tril::feed_forward)(rows, parts, kind, out, engine.context,
                                                          trace);
  const FeedForwardGradients gradients{
      .d_x = rows_of(results.make("dX", x.shape())),
      .weights = gradients_of<BasicFeedForwardWeights<float>>(results, parts)};
  (gated ? tril::gated_feed_forward_backward : tril::feed_forward_backward)(
      rows_of(d_out), rows, parts, kind, trace, gradients, engine.context);
  return results.hand_over();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_layer_gradients) {
  using namespace emscripten;
  function("_matmulBackward", guard<&matmul_backward>);
  function("_rotaryPositionsBackward", guard<&rotary_positions_backward>, allow_raw_pointers());
  function("_gatedActivation", guard<&gated_activation>, allow_raw_pointers());
  function("_gatedActivationBackward", guard<&gated_activation_backward>);
  function("_gatedFeedForward", guard<&gated_feed_forward>, allow_raw_pointers());
  function("_feedForwardBackward", guard<&feed_forward_backward>);
}

}  // namespace tril::js
