#include <emscripten/bind.h>

#include "block_calls.h"
#include "guard.h"
#include "layouts.h"
#include "traces.h"

namespace tril::js {

namespace {

// x [B, T, C] or [T, C], context and value_context (null: x) alike. `weights` are named as PyTorch
// names those of nn.MultiheadAttention. Gives output (null where `out` was written), averageWeights
// or weights if asked for, and with a trace queries, keys, values, scores, capped (where there is a
// soft cap), masked, weights and heads. With a cache, keys and values are appended to it.
NamedTensors multi_head_attention(Engine& engine, const Tensor& x, const NamedTensors& weights,
                                  const Tensor* context, const Tensor* value_context, Cache* past,
                                  const MultiHeadOptions& options, Tensor* out) {
  MultiHeadCall call("multi_head_attention", x, weights, context, value_context, options);
  tril::MultiHeadOptions& core = call.core;
  if (past) core.past = &past->core();
  ForwardResults forward(engine, call, out);

  const Index batches = call.input.size(0), queries = call.input.size(1);
  const Index own = core.context ? core.context.size(1) : queries;
  const Index before = past ? past->core().length() : 0, keys = before + own;
  const Traces traces(forward.results, left_out(x));
  MultiHeadTrace trace;
  if (options.attention.trace) {
    trace = traces.multi_head({batches, queries, own, core.heads, core.kv_heads,
                               MultiHeadShape::head_width(call.weights, core.heads),
                               options.attention.softcap > 0, before});
  }
  if (options.need_weights && options.average_weights) {
    trace.average_weights = traces.make("averageWeights", Shape<3>{batches, queries, keys});
  } else if (options.need_weights && !options.attention.trace) {
    trace.attention.weights = traces.make("weights", Shape<4>{batches, core.heads, queries, keys});
  }
  call.run(engine, forward.to, trace);
  return forward.results.hand_over();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_multi_head_attention) {
  using namespace emscripten;
  value_object<MultiHeadOptions>("_MultiHeadOptions")
      .field("attention", &MultiHeadOptions::attention)
      .field("needWeights", &MultiHeadOptions::need_weights)
      .field("averageWeights", &MultiHeadOptions::average_weights)
      .field("rotates", &MultiHeadOptions::rotates)
      .field("rotary", &MultiHeadOptions::rotary);
  function("_multiHeadAttention", guard<&multi_head_attention>, allow_raw_pointers());
}

}  // namespace tril::js
