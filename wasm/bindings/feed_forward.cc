#include <emscripten/bind.h>
#include <tril/layers/activations.h>
#include <tril/layers/feed_forward.h>

#include <string>

#include "guard.h"
#include "output.h"
#include "weights.h"

namespace tril::js {

namespace {

constexpr const char* kCall = "feed_forward";

// Applies one activation, element by element.
TensorHandle activate(Engine& engine, const Tensor& x, const std::string& activation, Tensor* out) {
  const char* const call = activation.c_str();
  const Activation kind = value_named(kActivations, activation, call, "activation");
  const Output output(engine, out, x.shape(), call);
  tril::activate(kind, rows_of(x), rows_of(*output), engine.context);
  return output.handle();
}

// The backward pass of "relu", "gelu", "gelu_tanh" or "silu"; errors name the call `name`.
TensorHandle activate_backward(Engine& engine, const std::string& name, const Tensor& d_out,
                               const Tensor& x, const std::string& activation, Tensor* out) {
  const char* const call = name.c_str();
  const Activation kind = value_named(kActivations, activation, call, "activation");
  check_same_shape(d_out, x.shape(), call, "d_out", "x");
  const Output made(engine, out, x.shape(), call);
  const MatrixView<const float> from = rows_of(d_out), at = rows_of(x);
  const MatrixView<float> to = rows_of(*made);
  switch (kind) {
    case Activation::relu:
      relu_backward(from, at, to, engine.context);
      break;
    case Activation::gelu:
    case Activation::gelu_tanh:
      gelu_backward(from, at, kind == Activation::gelu ? GeluForm::exact : GeluForm::tanh, to,
                    engine.context);
      break;
    case Activation::silu:
      silu_backward(from, at, to, engine.context);
      break;
  }
  return made.handle();
}

// x [..., C], weights linear1.weight [F, C], linear1.bias [F], linear2.weight [C, F] and
// linear2.bias [C], biases optional. Gives output (unless `out` was written) and, with a trace,
// hidden and activated, [..., F].
NamedTensors feed_forward(Engine& engine, const Tensor& x, const NamedTensors& weights,
                          const std::string& activation, bool trace, Tensor* out) {
  const auto core = read_weights<FeedForwardWeights>(weights, kCall);
  if (!core.linear1.weight) fail(kCall, "linear1.weight", "no tensor given");
  if (!core.linear2.weight) fail(kCall, "linear2.weight", "no tensor given");
  const Activation kind = value_named(kActivations, activation, kCall, "activation");
  Results results(engine, kCall);
  const Output output(engine, out, with_width(x.shape(), core.linear2.weight.size(0)), kCall);
  if (!out) results.add("output", output.handle());
  FeedForwardTrace core_trace;
  if (trace) {
    const DynamicShape hidden = with_width(x.shape(), core.linear1.weight.size(0));
    core_trace.hidden = rows_of(results.make("hidden", hidden));
    core_trace.activated = rows_of(results.make("activated", hidden));
  }
  tril::feed_forward(rows_of(x), core, kind, rows_of(*output), engine.context, core_trace);
  return results.hand_over();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_feed_forward) {
  using namespace emscripten;
  function("_activate", guard<&activate>, allow_raw_pointers());
  function("_activateBackward", guard<&activate_backward>, allow_raw_pointers());
  function("_feedForward", guard<&feed_forward>, allow_raw_pointers());
}

}  // namespace tril::js
