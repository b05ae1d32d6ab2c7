#include "transformer.h"

#include "sequences.h"
#include "traces.h"
#include "weights.h"

namespace tril::js {

namespace {

MultiHeadShape shape_of(const BlockOptions& options, const AttentionOptions& attention,
                        const Shape<3>& x, Index keys, const MultiHeadWeights& weights) {
  return {x[0],
          x[1],
          keys,
          options.heads,
          options.kv_heads,
          MultiHeadShape::head_width(weights, options.heads),
          attention.softcap > 0};
}

// The width of the feed-forward, or 1 where its weights are missing, which the core will say.
Index hidden_width(const LinearWeights& linear1) {
  return linear1.weight ? linear1.weight.size(0) : 1;
}

TransformerBlockTrace block_trace(const Traces& traces, const BlockOptions& options,
                                  const AttentionOptions& attention, const Shape<3>& x,
                                  const TransformerBlockWeights& weights) {
  return traces.transformer_block(x, hidden_width(weights.linear1),
                                  shape_of(options, attention, x, x[1], weights.self_attn));
}

DecoderBlockTrace decoder_trace(const Traces& traces, const BlockOptions& options,
                                const AttentionOptions& cross, const Shape<3>& x, Index keys,
                                const DecoderBlockWeights& weights) {
  return traces.decoder_block(x, hidden_width(weights.linear1),
                              shape_of(options, options.attention, x, x[1], weights.self_attn),
                              shape_of(options, cross, x, keys, weights.multihead_attn));
}

}  // namespace

BlockArguments::BlockArguments(const BlockOptions& options, const char* call)
    : mask(options.attention.mask, call), core(options.core<TransformerBlockOptions>(call)) {
  core.attention = options.attention.core(mask.mask(), 0, call);
}

DecoderArguments::DecoderArguments(const BlockOptions& options, const AttentionOptions& cross,
                                   const char* call)
    : mask(options.attention.mask, call),
      cross_mask(cross.mask, call),
      core(options.core<DecoderBlockOptions>(call)) {
  core.self_attention = options.attention.core(mask.mask(), 0, call);
  core.cross_attention = cross.core(cross_mask.mask(), 0, call);
}

TransformerArguments::TransformerArguments(const BlockOptions& options,
                                           const AttentionOptions& source,
                                           const AttentionOptions& cross, const char* call)
    : source_mask(source.mask, call),
      mask(options.attention.mask, call),
      cross_mask(cross.mask, call),
      core(options.core<TransformerOptions>(call)) {
  core.source_attention = source.core(source_mask.mask(), 0, call);
  core.target_attention = options.attention.core(mask.mask(), 0, call);
  core.memory_attention = cross.core(cross_mask.mask(), 0, call);
}

NamedTensors transformer_block(Engine& engine, const Tensor& x, const NamedTensors& weights,
                               const BlockOptions& options, Tensor* out) {
  constexpr const char* kCall = "transformer_block";
  const auto input = sequences(x, x, kCall, "x");
  const BlockArguments given(options, kCall);
  const auto parts = read_weights<TransformerBlockWeights>(weights, kCall);

  Results results(engine, kCall);
  const Output output(engine, out, x.shape(), kCall);
  if (!out) results.add("output", output.handle());
  TransformerBlockTrace trace;
  if (options.trace) {
    const Traces traces(results, left_out(x));
    trace = block_trace(traces, options, options.attention, input.shape(), parts);
  }
  tril::transformer_block(input, parts, given.core, sequences(*output, x, kCall, "out"),
                          engine.scratch, engine.parallel, trace, &engine.prepared);
  return results.hand_over();
}

NamedTensors decoder_block(Engine& engine, const Tensor& x, const Tensor& memory,
                           const NamedTensors& weights, const BlockOptions& options,
                           const AttentionOptions& cross, Tensor* out) {
  constexpr const char* kCall = "decoder_block";
  const auto input = sequences(x, x, kCall, "x");
  const auto source = sequences(memory, x, kCall, "memory");
  const DecoderArguments given(options, cross, kCall);
  const auto parts = read_weights<DecoderBlockWeights>(weights, kCall);

  Results results(engine, kCall);
  const Output output(engine, out, x.shape(), kCall);
  if (!out) results.add("output", output.handle());
  DecoderBlockTrace trace;
  if (options.trace) {
    const Traces traces(results, left_out(x));
    trace = decoder_trace(traces, options, cross, input.shape(), source.size(1), parts);
  }
  tril::decoder_block(input, source, parts, given.core, sequences(*output, x, kCall, "out"),
                      engine.scratch, engine.parallel, trace, &engine.prepared);
  return results.hand_over();
}

NamedTensors transformer(Engine& engine, const Tensor& source, const Tensor& target,
                         const NamedTensors& weights, const BlockOptions& options,
                         const AttentionOptions& source_attention, const AttentionOptions& cross,
                         Tensor* out) {
  constexpr const char* kCall = "transformer";
  const auto from = sequences(source, target, kCall, "source");
  const auto to = sequences(target, target, kCall, "target");
  const TransformerArguments given(options, source_attention, cross, kCall);

  const auto parts = read_weights<TransformerWeights>(weights, kCall);

  Results results(engine, kCall);
  const Output output(engine, out, target.shape(), kCall);
  if (!out) results.add("output", output.handle());
  TransformerTrace trace;
  if (options.trace) {
    const Traces traces(results, left_out(target));
    trace.memory = traces.make("memory", from.shape());
    for (const TransformerBlockWeights& layer : parts.encoder.layers) {
      const Traces own = traces.part("encoder." + std::to_string(trace.encoder.size()));
      trace.encoder.push_back(block_trace(own, options, source_attention, from.shape(), layer));
    }
    for (const DecoderBlockWeights& layer : parts.decoder.layers) {
      const Traces own = traces.part("decoder." + std::to_string(trace.decoder.size()));
      trace.decoder.push_back(decoder_trace(own, options, cross, to.shape(), from.size(1), layer));
    }
  }
  tril::transformer(from, to, parts, given.core, sequences(*output, target, kCall, "out"),
                    engine.scratch, engine.parallel, trace, &engine.prepared);
  return results.hand_over();
}

}  // namespace tril::js
