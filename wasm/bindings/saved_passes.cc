#include "saved_passes.h"

#include "saved_gradients.h"
#include "sequences.h"
#include "weights.h"

namespace tril::js {

NamedTensors multi_head_attention_saved(Engine& engine, const Tensor& x,
                                        const NamedTensors& weights, const Tensor* context,
                                        const Tensor* value_context,
                                        const MultiHeadOptions& options, Tensor* out) {
  constexpr const char* kCall = "multi_head_attention";
  const MaskArgument mask(options.attention.mask, kCall);
  const auto input = sequences(x, x, kCall, "x");
  const tril::MultiHeadOptions core =
      core_options(options, mask.mask(), x, context, value_context, kCall);
  const auto parts = read_weights<MultiHeadWeights>(weights, kCall);
  if (!parts.out_proj_weight) fail(kCall, "out_proj.weight", "no tensor given");
  const Index width = parts.out_proj_weight.size(0);

  Results results(engine, kCall);
  const Output output(engine, out, with_width(x.shape(), width), kCall);
  if (!out) results.add("output", output.handle());
  const TensorView<float, 3> to(output->data(), {input.size(0), input.size(1), width});
  check_multi_head_attention(input, parts, core, to);
  const MultiHeadTrace trace = Saved::make(results, [&](SavedMemory& memory) {
    return tril::multi_head_attention_saved(input.shape(), parts, core, memory);
  });
  tril::multi_head_attention(input, parts, core, to, engine.scratch, engine.parallel, trace,
                             &engine.prepared);
  return results.hand_over();
}

NamedTensors transformer_block_saved(Engine& engine, const Tensor& x, const NamedTensors& weights,
                                     const BlockOptions& options, Tensor* out) {
  constexpr const char* kCall = "transformer_block";
  const auto input = sequences(x, x, kCall, "x");
  const BlockArguments given(options, kCall);
  const auto parts = read_weights<TransformerBlockWeights>(weights, kCall);

  Results results(engine, kCall);
  const Output output(engine, out, x.shape(), kCall);
  if (!out) results.add("output", output.handle());
  const auto to = sequences(*output, x, kCall, "out");
  check_transformer_block(input, parts, given.core, to);
  const TransformerBlockTrace trace = Saved::make(results, [&](SavedMemory& memory) {
    return tril::transformer_block_saved(input.shape(), parts, given.core, memory);
  });
  tril::transformer_block(input, parts, given.core, to, engine.scratch, engine.parallel, trace,
                          &engine.prepared);
  return results.hand_over();
}

NamedTensors decoder_block_saved(Engine& engine, const Tensor& x, const Tensor& memory,
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
  const auto to = sequences(*output, x, kCall, "out");
  check_decoder_block(input, source, parts, given.core, to);
  const DecoderBlockTrace trace = Saved::make(results, [&](SavedMemory& place) {
    return tril::decoder_block_saved(input.shape(), source.shape(), parts, given.core, place);
  });
  tril::decoder_block(input, source, parts, given.core, to, engine.scratch, engine.parallel, trace,
                      &engine.prepared);
  return results.hand_over();
}

NamedTensors transformer_saved(Engine& engine, const Tensor& source, const Tensor& target,
                               const NamedTensors& weights, const BlockOptions& options,
                               const AttentionOptions& source_attention,
                               const AttentionOptions& cross, Tensor* out) {
  constexpr const char* kCall = "transformer";
  const auto from = sequences(source, target, kCall, "source");
  const auto to = sequences(target, target, kCall, "target");
  const TransformerArguments given(options, source_attention, cross, kCall);
  const auto parts = read_weights<TransformerWeights>(weights, kCall);

  Results results(engine, kCall);
  const Output output(engine, out, target.shape(), kCall);
  if (!out) results.add("output", output.handle());
  const TransformerTrace trace = Saved::make(results, [&](SavedMemory& memory) {
    return tril::transformer_saved(from.shape(), to.shape(), parts, given.core, memory);
  });
  tril::transformer(from, to, parts, given.core, sequences(*output, target, kCall, "out"),
                    engine.scratch, engine.parallel, trace, &engine.prepared);
  return results.hand_over();
}

}  // namespace tril::js
