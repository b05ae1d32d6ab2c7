#include "multi_head_attention.h"

#include "block_calls.h"
#include "sequences.h"
#include "traces.h"

namespace tril::js {

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

}  // namespace tril::js
