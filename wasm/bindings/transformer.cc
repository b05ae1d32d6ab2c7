#include <emscripten/bind.h>

#include <string>

#include "block_calls.h"
#include "guard.h"
#include "layouts.h"
#include "traces.h"

namespace tril::js {

namespace {

Index length_of(const KeyValueCache* past) { return past ? past->length() : 0; }

MultiHeadShape shape_of(const BlockOptions& options, const AttentionOptions& attention,
                        const Shape<3>& x, Index keys, const MultiHeadWeights& weights,
                        const KeyValueCache* past) {
  return {x[0],
          x[1],
          keys,
          options.heads,
          options.kv_heads,
          MultiHeadShape::head_width(weights, options.heads),
          attention.softcap > 0,
          length_of(past)};
}

// The width of the feed-forward, or 1 where its weights are missing, which the core reports.
Index hidden_width(const LinearWeights& linear1) {
  return linear1.weight ? linear1.weight.size(0) : 1;
}

TransformerBlockTrace block_trace(const Traces& traces, const BlockOptions& options,
                                  const AttentionOptions& attention, const Shape<3>& x,
                                  const TransformerBlockWeights& weights,
                                  const KeyValueCache* past = nullptr) {
  return traces.transformer_block(x, hidden_width(weights.linear1),
                                  shape_of(options, attention, x, x[1], weights.self_attn, past));
}

DecoderBlockTrace decoder_trace(const Traces& traces, const BlockOptions& options,
                                const AttentionOptions& cross, const Shape<3>& x, Index keys,
                                const DecoderBlockWeights& weights,
                                const KeyValueCache* past = nullptr,
                                const KeyValueCache* memory_past = nullptr) {
  return traces.decoder_block(
      x, hidden_width(weights.linear1),
      shape_of(options, options.attention, x, x[1], weights.self_attn, past),
      shape_of(options, cross, x, keys, weights.multihead_attn, memory_past));
}

// x [B, T, C] or [T, C]. `weights` are named as PyTorch names those of nn.TransformerEncoderLayer.
// Gives output (unless `out` was written) and, with a trace, the tensors of
// `Traces::transformer_block`. With a cache, keys and values are appended to it.
NamedTensors transformer_block(Engine& engine, const Tensor& x, const NamedTensors& weights,
                               Cache* past, const BlockOptions& options, Tensor* out) {
  BlockCall call("transformer_block", x, weights, options);
  if (past) call.core.past = &past->core();
  ForwardResults forward(engine, call, out);
  TransformerBlockTrace trace;
  if (options.trace) {
    const Traces traces(forward.results, left_out(x));
    trace = block_trace(traces, options, options.attention, call.input.shape(), call.weights,
                        call.core.past);
  }
  call.run(engine, forward.to, trace);
  return forward.results.hand_over();
}

// memory [B, S, Cm] or [S, Cm]; nn.TransformerDecoderLayer. `cross` has the options of
// cross-attention, and `memory_past` is the cache of its keys and values.
NamedTensors decoder_block(Engine& engine, const Tensor& x, const Tensor& memory,
                           const NamedTensors& weights, Cache* past, Cache* memory_past,
                           const BlockOptions& options, const AttentionOptions& cross,
                           Tensor* out) {
  DecoderCall call("decoder_block", x, memory, weights, options, cross);
  if (past) call.core.past = &past->core();
  if (memory_past) call.core.memory_past = &memory_past->core();
  ForwardResults forward(engine, call, out);
  DecoderBlockTrace trace;
  if (options.trace) {
    const Traces traces(forward.results, left_out(x));
    trace = decoder_trace(traces, options, cross, call.input.shape(), call.source.size(1),
                          call.weights, call.core.past, call.core.memory_past);
  }
  call.run(engine, forward.to, trace);
  return forward.results.hand_over();
}

// source [B, S, C], target [B, T, C], or both without B; nn.Transformer: layers encoder.layers.0,
// ... and decoder.layers.0, ..., of any number, and optional encoder.norm and decoder.norm.
// options.attention is the decoder's self-attention, `source_attention` the encoder's. Gives output
// and, with a trace, memory and the traces of encoder.0, ... and decoder.0, ....
NamedTensors transformer(Engine& engine, const Tensor& source, const Tensor& target,
                         const NamedTensors& weights, const BlockOptions& options,
                         const AttentionOptions& source_attention, const AttentionOptions& cross,
                         Tensor* out) {
  const TransformerCall call("transformer", source, target, weights, options, source_attention,
                             cross);
  ForwardResults forward(engine, call, out);
  TransformerTrace trace;
  if (options.trace) {
    const Shape<3>&from = call.source.shape(), &to = call.input.shape();
    const Traces traces(forward.results, left_out(target));
    trace.memory = traces.make("memory", from);
    for (const TransformerBlockWeights& layer : call.weights.encoder.layers) {
      const Traces own = traces.part("encoder." + std::to_string(trace.encoder.size()));
      trace.encoder.push_back(block_trace(own, options, source_attention, from, layer));
    }
    for (const DecoderBlockWeights& layer : call.weights.decoder.layers) {
      const Traces own = traces.part("decoder." + std::to_string(trace.decoder.size()));
      trace.decoder.push_back(decoder_trace(own, options, cross, to, from[1], layer));
    }
  }
  call.run(engine, forward.to, trace);
  return forward.results.hand_over();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_transformer) {
  using namespace emscripten;
  value_object<BlockOptions>("_BlockOptions")
      .field("heads", &BlockOptions::heads)
      .field("kvHeads", &BlockOptions::kv_heads)
      .field("norm", &BlockOptions::norm)
      .field("activation", &BlockOptions::activation)
      .field("eps", &BlockOptions::eps)
      .field("trace", &BlockOptions::trace)
      .field("attention", &BlockOptions::attention);
  function("_transformerBlock", guard<&transformer_block>, allow_raw_pointers());
  function("_decoderBlock", guard<&decoder_block>, allow_raw_pointers());
  function("_transformer", guard<&transformer>, allow_raw_pointers());
}

}  // namespace tril::js
