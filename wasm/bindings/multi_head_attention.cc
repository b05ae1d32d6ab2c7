#include "multi_head_attention.h"

#include <tril/attention/multi_head_attention.h>

#include "sequences.h"
#include "traces.h"
#include "weights.h"

namespace tril::js {

namespace {

constexpr const char* kCall = "multi_head_attention";

}  // namespace

tril::MultiHeadOptions core_options(const MultiHeadOptions& options, const Mask& mask,
                                    const Tensor& x, const Tensor* context,
                                    const Tensor* value_context, const char* call) {
  tril::MultiHeadOptions core;
  core.heads = options.attention.heads;
  core.kv_heads = options.attention.kv_heads;
  core.attention = options.attention.core(mask, 0, call);
  if (options.rotates) {
    core.rotary = MultiHeadRotary{
        options.rotary.base, options.rotary.width,
        value_named(kRotaryPairs, options.rotary.pairs, call, "rotary.pairs", "pairs")};
  }
  if (context) core.context = sequences(*context, x, call, "context");
  if (value_context) core.value_context = sequences(*value_context, x, call, "valueContext");
  return core;
}

NamedTensors multi_head_attention(Engine& engine, const Tensor& x, const NamedTensors& weights,
                                  const Tensor* context, const Tensor* value_context, Cache* past,
                                  const MultiHeadOptions& options, Tensor* out) {
  const MaskArgument mask(options.attention.mask, kCall);
  const auto input = sequences(x, x, kCall, "x");
  tril::MultiHeadOptions core =
      core_options(options, mask.mask(), x, context, value_context, kCall);
  if (past) core.past = &past->core();
  const auto parts = read_weights<MultiHeadWeights>(weights, kCall);
  if (!parts.out_proj_weight) fail(kCall, "out_proj.weight", "no tensor given");

  Results results(engine, kCall);
  const Index width = parts.out_proj_weight.size(0);
  const Output output(engine, out, with_width(x.shape(), width), kCall);
  if (!out) results.add("output", output.handle());

  const Index batches = input.size(0), queries = input.size(1);
  const Index own = core.context ? core.context.size(1) : queries;
  const Index before = past ? past->core().length() : 0, keys = before + own;
  const Traces traces(results, left_out(x));
  MultiHeadTrace trace;
  if (options.attention.trace) {
    trace = traces.multi_head({batches, queries, own, core.heads, core.kv_heads,
                               MultiHeadShape::head_width(parts, core.heads),
                               options.attention.softcap > 0, before});
  }
  if (options.need_weights && options.average_weights) {
    trace.average_weights = traces.make("averageWeights", Shape<3>{batches, queries, keys});
  } else if (options.need_weights && !options.attention.trace) {
    trace.attention.weights = traces.make("weights", Shape<4>{batches, core.heads, queries, keys});
  }
  tril::multi_head_attention(input, parts, core, {output->data(), {batches, queries, width}},
                             engine.scratch, engine.parallel, trace, &engine.prepared);
  return results.hand_over();
}

}  // namespace tril::js
