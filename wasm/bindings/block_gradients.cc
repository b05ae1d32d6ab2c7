#include "block_gradients.h"

#include <tril/attention/additive_attention.h>

#include "saved_gradients.h"
#include "sequences.h"
#include "traces.h"
#include "weights.h"

namespace tril::js {

namespace {

// [B, H, T, S], without B where x [B, T, C] is.
TensorView<float, 4> mask_gradient_of(Results& results, const char* name, const Tensor& x,
                                      Index heads, Index keys) {
  const int without = left_out(x);
  const Index batches = without == 0 ? x.size(0) : 1;
  return Traces(results, without).make(name, Shape<4>{batches, heads, x.size(-2), keys});
}

}  // namespace

NamedTensors additive_attention_backward(Engine& engine, const Tensor& d_out, const Tensor& query,
                                         const Tensor& key, const Tensor& value,
                                         const NamedTensors& weights, const MaskRules& mask_rules) {
  constexpr const char* kCall = "additive_attention_backward";
  const auto q = sequences(query, query, kCall, "query");
  const auto k = sequences(key, query, kCall, "key"), v = sequences(value, query, kCall, "value");
  const MaskArgument mask(mask_rules, kCall);
  const auto parts = read_weights<AdditiveWeights>(weights, kCall);
  tril::detail::check_additive(kCall, q, k, v, parts);
  check_same_shape(d_out, with_width(query.shape(), v.size(2)), kCall, "d_out", "the output");
  Saved saved;
  const AdditiveTrace trace = saved.lay_out(kCall, [&](SavedMemory& memory) {
    return additive_attention_saved(q.shape(), k.shape(), parts, memory);
  });
  Results results(engine, kCall);
  Scratch::Frame frame(engine.scratch);
  tril::additive_attention(q, k, v, parts, mask.mask(),
                           unseen(frame, {q.size(0), q.size(1), v.size(2)}), engine.scratch,
                           engine.parallel, trace);
  const AdditiveGradients gradients{
      .d_query = gradient(results, "dQuery", query, q.shape()),
      .d_key = gradient(results, "dKey", key, k.shape()),
      .d_value = gradient(results, "dValue", value, v.shape()),
      .weights = gradients_of<BasicAdditiveWeights<float>>(results, parts)};
  tril::additive_attention_backward(sequences(d_out, query, kCall, "d_out"), q, k, v, parts, trace,
                                    gradients, engine.scratch, engine.parallel);
  return results.hand_over();
}

NamedTensors multi_head_attention_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                                           const NamedTensors& weights, const Tensor* context,
                                           const Tensor* value_context,
                                           const MultiHeadOptions& options, bool mask_gradient,
                                           const Tensor* kept) {
  constexpr const char* kCall = "multi_head_attention_backward";
  const MaskArgument mask(options.attention.mask, kCall);
  const auto input = sequences(x, x, kCall, "x");
  const tril::MultiHeadOptions core =
      core_options(options, mask.mask(), x, context, value_context, kCall);
  const auto parts = read_weights<MultiHeadWeights>(weights, kCall);
  if (!parts.out_proj_weight) fail(kCall, "out_proj.weight", "no tensor given");
  const Index width = parts.out_proj_weight.size(0);
  check_same_shape(d_out, with_width(x.shape(), width), kCall, "d_out", "the output");
  Saved saved(kept);
  const MultiHeadTrace trace = saved.lay_out(kCall, [&](SavedMemory& memory) {
    return multi_head_attention_saved(input.shape(), parts, core, memory);
  });
  Results results(engine, kCall);
  Scratch::Frame frame(engine.scratch);
  if (!saved.is_kept()) {
    tril::multi_head_attention(input, parts, core,
                               unseen(frame, {input.size(0), input.size(1), width}), engine.scratch,
                               engine.parallel, trace);
  }
  MultiHeadGradients gradients{
      .d_x = gradient(results, "dX", x, input.shape()),
      .weights = gradients_of<BasicMultiHeadWeights<float>>(results, parts)};
  if (context) {
    gradients.d_context = gradient(results, "dContext", *context, core.context.shape());
  }
  if (value_context) {
    gradients.d_value_context =
        gradient(results, "dValueContext", *value_context, core.value_context.shape());
  }
  if (mask_gradient) {
    const Index keys = core.context ? core.context.size(1) : input.size(1);
    gradients.d_mask = mask_gradient_of(results, "dMask", x, core.heads, keys);
  }
  tril::multi_head_attention_backward(sequences(d_out, x, kCall, "d_out"), input, parts, core,
                                      trace, gradients, engine.scratch, engine.parallel);
  return results.hand_over();
}

NamedTensors transformer_block_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                                        const NamedTensors& weights, const BlockOptions& options,
                                        bool mask_gradient, const Tensor* kept) {
  constexpr const char* kCall = "transformer_block_backward";
  const auto input = sequences(x, x, kCall, "x");
  const BlockArguments given(options, kCall);
  const auto parts = read_weights<TransformerBlockWeights>(weights, kCall);
  check_same_shape(d_out, x.shape(), kCall, "d_out", "the output");
  Results results(engine, kCall);
  Scratch::Frame frame(engine.scratch);
  const TensorView<float, 3> out = unseen(frame, input.shape());
  check_transformer_block(input, parts, given.core, out);
  Saved saved(kept);
  const TransformerBlockTrace trace = saved.lay_out(kCall, [&](SavedMemory& memory) {
    return transformer_block_saved(input.shape(), parts, given.core, memory);
  });
  if (!saved.is_kept()) {
    tril::transformer_block(input, parts, given.core, out, engine.scratch, engine.parallel, trace);
  }
  TransformerBlockGradients gradients{
      .d_x = gradient(results, "dX", x, input.shape()),
      .weights = gradients_of<BasicTransformerBlockWeights<float>>(results, parts)};
  if (mask_gradient) {
    gradients.d_mask = mask_gradient_of(results, "dMask", x, given.core.heads, input.size(1));
  }
  tril::transformer_block_backward(sequences(d_out, x, kCall, "d_out"), input, parts, given.core,
                                   trace, gradients, engine.scratch, engine.parallel);
  return results.hand_over();
}

NamedTensors decoder_block_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                                    const Tensor& memory, const NamedTensors& weights,
                                    const BlockOptions& options, const AttentionOptions& cross,
                                    bool mask_gradient, const Tensor* kept) {
  constexpr const char* kCall = "decoder_block_backward";
  const auto input = sequences(x, x, kCall, "x");
  const auto source = sequences(memory, x, kCall, "memory");
  const DecoderArguments given(options, cross, kCall);
  const auto parts = read_weights<DecoderBlockWeights>(weights, kCall);
  check_same_shape(d_out, x.shape(), kCall, "d_out", "the output");
  Results results(engine, kCall);
  Scratch::Frame frame(engine.scratch);
  const TensorView<float, 3> out = unseen(frame, input.shape());
  check_decoder_block(input, source, parts, given.core, out);
  Saved saved(kept);
  const DecoderBlockTrace trace = saved.lay_out(kCall, [&](SavedMemory& place) {
    return decoder_block_saved(input.shape(), source.shape(), parts, given.core, place);
  });
  if (!saved.is_kept()) {
    tril::decoder_block(input, source, parts, given.core, out, engine.scratch, engine.parallel,
                        trace);
  }
  DecoderBlockGradients gradients{
      .d_x = gradient(results, "dX", x, input.shape()),
      .d_memory = gradient(results, "dMemory", memory, source.shape()),
      .weights = gradients_of<BasicDecoderBlockWeights<float>>(results, parts)};
  if (mask_gradient) {
    const auto of = [&](const char* name, const TensorView<const float, 3>& keys) {
      return mask_gradient_of(results, name, x, given.core.heads, keys.size(1));
    };
    gradients.d_self_mask = of("dMask", input);
    gradients.d_cross_mask = of("dMemoryMask", source);
  }
  tril::decoder_block_backward(sequences(d_out, x, kCall, "d_out"), input, source, parts,
                               given.core, trace, gradients, engine.scratch, engine.parallel);
  return results.hand_over();
}

NamedTensors transformer_backward(Engine& engine, const Tensor& d_out, const Tensor& source,
                                  const Tensor& target, const NamedTensors& weights,
                                  const BlockOptions& options,
                                  const AttentionOptions& source_attention,
                                  const AttentionOptions& cross, const Tensor* kept) {
  constexpr const char* kCall = "transformer_backward";
  const auto from = sequences(source, target, kCall, "source");
  const auto to = sequences(target, target, kCall, "target");
  const TransformerArguments given(options, source_attention, cross, kCall);
  const auto parts = read_weights<TransformerWeights>(weights, kCall);
  check_same_shape(d_out, target.shape(), kCall, "d_out", "the output");
  Results results(engine, kCall);
  Scratch::Frame frame(engine.scratch);
  Saved saved(kept);
  const TransformerTrace trace = saved.lay_out(kCall, [&](SavedMemory& memory) {
    return transformer_saved(from.shape(), to.shape(), parts, given.core, memory);
  });
  if (!saved.is_kept()) {
    tril::transformer(from, to, parts, given.core, unseen(frame, to.shape()), engine.scratch,
                      engine.parallel, trace);
  }
  const TransformerGradients gradients{
      .d_source = gradient(results, "dSource", source, from.shape()),
      .d_target = gradient(results, "dTarget", target, to.shape()),
      .weights = gradients_of<BasicTransformerWeights<float>>(results, parts)};
  tril::transformer_backward(sequences(d_out, target, kCall, "d_out"), from, to, parts, given.core,
                             trace, gradients, engine.scratch, engine.parallel);
  return results.hand_over();
}

}  // namespace tril::js
