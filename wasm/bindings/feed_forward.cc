#include "feed_forward.h"

#include <tril/layers/feed_forward.h>

#include "output.h"
#include "weights.h"

namespace tril::js {

namespace {

constexpr const char* kCall = "feed_forward";

}  // namespace

TensorHandle activate(Engine& engine, const Tensor& x, const std::string& activation, Tensor* out) {
  const char* const call = activation.c_str();
  const Activation kind = activation_named(activation, call);
  const Output output(engine, out, x.shape(), call);
  tril::activate(kind, rows_of(x), rows_of(*output), engine.parallel);
  return output.handle();
}

NamedTensors feed_forward(Engine& engine, const Tensor& x, const NamedTensors& weights,
                          const std::string& activation, bool trace, Tensor* out) {
  const auto core = read_weights<FeedForwardWeights>(weights, kCall);
  if (!core.linear1.weight) fail(kCall, "linear1.weight", "no tensor given");
  if (!core.linear2.weight) fail(kCall, "linear2.weight", "no tensor given");
  const Activation kind = activation_named(activation, kCall);
  Results results(engine, kCall);
  const Output output(engine, out, with_width(x.shape(), core.linear2.weight.size(0)), kCall);
  if (!out) results.add("output", output.handle());
  FeedForwardTrace core_trace;
  if (trace) {
    const DynamicShape hidden = with_width(x.shape(), core.linear1.weight.size(0));
    core_trace.hidden = rows_of(results.make("hidden", hidden));
    core_trace.activated = rows_of(results.make("activated", hidden));
  }
  tril::feed_forward(rows_of(x), core, kind, rows_of(*output), engine.scratch, engine.parallel,
                     core_trace, &engine.prepared);
  return results.hand_over();
}

}  // namespace tril::js
