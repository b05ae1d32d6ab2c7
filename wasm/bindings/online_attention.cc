#include <emscripten/bind.h>
#include <tril/lessons/online_attention.h>

#include "attention.h"
#include "guard.h"
#include "layouts.h"
#include "traces.h"

namespace tril::js {

namespace {

// Inputs as for attention. Gives output (null where `out` was written) and, with a trace, maximum,
// sum and factor [B, H, T, N], partial [B, H, T, N, Dv] and visited [B, H, blocks of queries, N].
NamedTensors online_attention(Engine& engine, const Tensor& query, const Tensor& key,
                              const Tensor& value, const AttentionOptions& options,
                              int block_queries, int block_keys, Tensor* out) {
  constexpr const char* kCall = "online_attention";
  const HeadLayout layout(query, options.heads, kCall);
  const MaskArgument mask(options.mask, kCall);
  const auto q = layout.view(query, options.heads, kCall, "query");
  const auto k = layout.view(key, options.kv_heads, kCall, "key");
  const auto v = layout.view(value, options.kv_heads, kCall, "value");
  const OnlineBlocks blocks{block_queries, block_keys};
  const tril::AttentionOptions core = options.core(mask.mask(), 0, kCall);

  Results results(engine, kCall);
  const Output output(engine, out,
                      layout.tensor_shape({q.size(0), q.size(1), q.size(2), v.size(3)}), kCall);
  if (!out) results.add("output", output.handle());
  OnlineTrace trace;
  if (options.trace) {
    const Index steps = blocks.steps_of(k.size(2));
    const Traces traces(results, layout.left_out());
    const Shape<4> each{q.size(0), q.size(1), q.size(2), steps};
    trace.maximum = traces.make("maximum", each);
    trace.sum = traces.make("sum", each);
    trace.factor = traces.make("factor", each);
    trace.partial = traces.make("partial", Shape<5>{each[0], each[1], each[2], steps, v.size(3)});
    trace.visited =
        traces.make("visited", Shape<4>{each[0], each[1], blocks.blocks_of(q.size(2)), steps});
  }
  tril::online_attention(q, k, v, core, blocks, layout.view(*output, options.heads, kCall, "out"),
                         engine.context, trace);
  return results.hand_over();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_online_attention) {
  using namespace emscripten;
  function("_onlineAttention", guard<&online_attention>, allow_raw_pointers());
}

}  // namespace tril::js
