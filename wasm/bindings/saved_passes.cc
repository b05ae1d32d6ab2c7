// Forward passes that save what their backward passes need, so that these repeat no computation.
// Each gives output, unless `out` was written, and saved, a tensor of one axis in the core's
// layout.
#include <emscripten/bind.h>

#include "backward_call.h"
#include "guard.h"

namespace tril::js {

namespace {

template <typename Call>
NamedTensors forward_saved(Engine& engine, const Call& call, Tensor* out) {
  ForwardResults forward(engine, call, out);
  call.check(forward.to);
  const SavedPass pass(call);
  call.run(engine, forward.to, pass.begin(forward.results.make("saved", {pass.count()}).data()));
  return forward.results.hand_over();
}

// Except for that, these are the functions of the same names without _saved.
NamedTensors multi_head_attention_saved(Engine& engine, const Tensor& x,
                                        const NamedTensors& weights, const Tensor* context,
                                        const Tensor* value_context,
                                        const MultiHeadOptions& options, Tensor* out) {
  return forward_saved(
      engine, MultiHeadCall("multi_head_attention", x, weights, context, value_context, options),
      out);
}

NamedTensors transformer_block_saved(Engine& engine, const Tensor& x, const NamedTensors& weights,
                                     const BlockOptions& options, Tensor* out) {
  return forward_saved(engine, BlockCall("transformer_block", x, weights, options), out);
}

NamedTensors decoder_block_saved(Engine& engine, const Tensor& x, const Tensor& memory,
                                 const NamedTensors& weights, const BlockOptions& options,
                                 const AttentionOptions& cross, Tensor* out) {
  return forward_saved(engine, DecoderCall("decoder_block", x, memory, weights, options, cross),
                       out);
}

NamedTensors transformer_saved(Engine& engine, const Tensor& source, const Tensor& target,
                               const NamedTensors& weights, const BlockOptions& options,
                               const AttentionOptions& source_attention,
                               const AttentionOptions& cross, Tensor* out) {
  return forward_saved(
      engine,
      TransformerCall("transformer", source, target, weights, options, source_attention, cross),
      out);
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_saved_passes) {
  using namespace emscripten;
  function("_multiHeadAttentionSaved", guard<&multi_head_attention_saved>, allow_raw_pointers());
  function("_transformerBlockSaved", guard<&transformer_block_saved>, allow_raw_pointers());
  function("_decoderBlockSaved", guard<&decoder_block_saved>, allow_raw_pointers());
  function("_transformerSaved", guard<&transformer_saved>, allow_raw_pointers());
}

}  // namespace tril::js
