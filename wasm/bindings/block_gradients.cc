// The backward passes of attention with weights, of blocks and of stacks. Each takes the arguments
// of its forward pass and the gradient of the output, and gives a gradient for each input and
// dWeights.NAME for each given weight. `kept` holds the saved results of the forward pass
// (saved_passes.cc); where it is null, that pass is computed again.
#include <emscripten/bind.h>
#include <tril/attention/additive_attention.h>
#include <tril/foundation/saved_memory.h>

#include "backward_call.h"
#include "guard.h"
#include "layouts.h"
#include "traces.h"
#include "weights.h"

namespace tril::js {

namespace {

// The gradient of an input, in its shape.
TensorView<float, 3> gradient(Results& results, const char* name, const Tensor& of,
                              const Shape<3>& shape) {
  return {results.make(name, of.shape()).data(), shape};
}

// The gradient of a mask, [B, H, T, S], without B where x has none.
TensorView<float, 4> mask_gradient_of(Results& results, const char* name, const Tensor& x,
                                      Index heads, Index keys) {
  const int without = left_out(x);
  const Index batches = without == 0 ? x.size(0) : 1;
  return Traces(results, without).make(name, Shape<4>{batches, heads, x.size(-2), keys});
}

// Gives dQuery, dKey and dValue.
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
  Buffer<float, 1> saved;
  const AdditiveTrace trace = saved_in(saved, [&](SavedMemory& memory) {
    return additive_attention_saved(q.shape(), k.shape(), parts, memory);
  });
  Results results(engine, kCall);
  Scratch::Frame frame(engine.scratch);
  tril::additive_attention(
      q, k, v, parts, mask.mask(),
      {frame.take<float>(q.size(0), q.size(1), v.size(2)), {q.size(0), q.size(1), v.size(2)}},
      engine.context, trace);
  const AdditiveGradients gradients{
      .d_query = gradient(results, "dQuery", query, q.shape()),
      .d_key = gradient(results, "dKey", key, k.shape()),
      .d_value = gradient(results, "dValue", value, v.shape()),
      .weights = gradients_of<BasicAdditiveWeights<float>>(results, parts)};
  tril::additive_attention_backward(sequences(d_out, query, kCall, "d_out"), q, k, v, parts, trace,
                                    gradients, engine.context);
  return results.hand_over();
}

// Gives dX, dContext and dValueContext where there are contexts, and, if asked for, dMask [B, H, T,
// S].
NamedTensors multi_head_attention_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                                           const NamedTensors& weights, const Tensor* context,
                                           const Tensor* value_context,
                                           const MultiHeadOptions& options, bool mask_gradient,
                                           const Tensor* kept) {
  const MultiHeadCall call("multi_head_attention_backward", x, weights, context, value_context,
                           options);
  BackwardCall backward(engine, call, d_out, kept);
  MultiHeadGradients gradients{
      .d_x = gradient(backward.results, "dX", x, call.input.shape()),
      .weights = gradients_of<BasicMultiHeadWeights<float>>(backward.results, call.weights)};
  if (context) {
    gradients.d_context =
        gradient(backward.results, "dContext", *context, call.core.context.shape());
  }
  if (value_context) {
    gradients.d_value_context = gradient(backward.results, "dValueContext", *value_context,
                                         call.core.value_context.shape());
  }
  if (mask_gradient) {
    const auto& keys = call.core.context ? call.core.context : call.input;
    gradients.d_mask =
        mask_gradient_of(backward.results, "dMask", x, call.core.heads, keys.size(1));
  }
  tril::multi_head_attention_backward(backward.d_out, call.input, call.weights, call.core,
                                      backward.trace, gradients, engine.context);
  return backward.results.hand_over();
}

// Gives dX, and, if asked for, dMask [B, H, T, T].
NamedTensors transformer_block_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                                        const NamedTensors& weights, const BlockOptions& options,
                                        bool mask_gradient, const Tensor* kept) {
  const BlockCall call("transformer_block_backward", x, weights, options);
  BackwardCall backward(engine, call, d_out, kept);
  TransformerBlockGradients gradients{
      .d_x = gradient(backward.results, "dX", x, call.input.shape()),
      .weights = gradients_of<BasicTransformerBlockWeights<float>>(backward.results, call.weights)};
  if (mask_gradient) {
    gradients.d_mask =
        mask_gradient_of(backward.results, "dMask", x, call.core.heads, call.input.size(1));
  }
  tril::transformer_block_backward(backward.d_out, call.input, call.weights, call.core,
                                   backward.trace, gradients, engine.context);
  return backward.results.hand_over();
}

// Gives dX and dMemory, and, if asked for, dMask [B, H, T, T] and dMemoryMask [B, H, T, S].
NamedTensors decoder_block_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                                    const Tensor& memory, const NamedTensors& weights,
                                    const BlockOptions& options, const AttentionOptions& cross,
                                    bool mask_gradient, const Tensor* kept) {
  const DecoderCall call("decoder_block_backward", x, memory, weights, options, cross);
  BackwardCall backward(engine, call, d_out, kept);
  DecoderBlockGradients gradients{
      .d_x = gradient(backward.results, "dX", x, call.input.shape()),
      .d_memory = gradient(backward.results, "dMemory", memory, call.source.shape()),
      .weights = gradients_of<BasicDecoderBlockWeights<float>>(backward.results, call.weights)};
  if (mask_gradient) {
    const auto of = [&](const char* name, const TensorView<const float, 3>& keys) {
      return mask_gradient_of(backward.results, name, x, call.core.heads, keys.size(1));
    };
    gradients.d_self_mask = of("dMask", call.input);
    gradients.d_cross_mask = of("dMemoryMask", call.source);
  }
  tril::decoder_block_backward(backward.d_out, call.input, call.source, call.weights, call.core,
                               backward.trace, gradients, engine.context);
  return backward.results.hand_over();
}

// Gives dSource and dTarget.
NamedTensors transformer_backward(Engine& engine, const Tensor& d_out, const Tensor& source,
                                  const Tensor& target, const NamedTensors& weights,
                                  const BlockOptions& options,
                                  const AttentionOptions& source_attention,
                                  const AttentionOptions& cross, const Tensor* kept) {
  const TransformerCall call("transformer_backward", source, target, weights, options,
                             source_attention, cross);
  BackwardCall backward(engine, call, d_out, kept);
  const TransformerGradients gradients{
      .d_source = gradient(backward.results, "dSource", source, call.source.shape()),
      .d_target = gradient(backward.results, "dTarget", target, call.input.shape()),
      .weights = gradients_of<BasicTransformerWeights<float>>(backward.results, call.weights)};
  tril::transformer_backward(backward.d_out, call.source, call.input, call.weights, call.core,
                             backward.trace, gradients, engine.context);
  return backward.results.hand_over();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_block_gradients) {
  using namespace emscripten;
  function("_additiveAttentionBackward", guard<&additive_attention_backward>);
  function("_multiHeadAttentionBackward", guard<&multi_head_attention_backward>,
           allow_raw_pointers());
  function("_transformerBlockBackward", guard<&transformer_block_backward>, allow_raw_pointers());
  function("_decoderBlockBackward", guard<&decoder_block_backward>, allow_raw_pointers());
  function("_transformerBackward", guard<&transformer_backward>, allow_raw_pointers());
}

}  // namespace tril::js
