#include "block_calls.h"

#include <tril/layers/activations.h>

#include <cmath>

#include "layouts.h"
#include "weights.h"

namespace tril::js {

namespace {

// The options of blocks and stacks in the core's form, except those of attention.
template <typename Options>
Options core_options(const BlockOptions& options, const char* call) {
  Options core;
  core.heads = options.heads;
  core.kv_heads = options.kv_heads;
  core.norm = value_named(kNormOrders, options.norm, call, "norm");
  core.activation = value_named(kActivations, options.activation, call, "activation");
  core.eps = options.eps;
  return core;
}

// Adds the options of attention that all calls share. The method is left out, since it does not
// change the saved results.
void add_attention(CallFingerprint& fingerprint, Index heads, Index kv_heads,
                   const AttentionOptions& options) {
  fingerprint.add("heads", heads);
  fingerprint.add("kvHeads", kv_heads == 0 ? heads : kv_heads);
  fingerprint.add("causal", options.causal);
  fingerprint.add("scale", options.scale.value_or(NAN));
  fingerprint.add("softcap", options.softcap);
}

// Adds the options of a block and of its self-attention.
void add_block(CallFingerprint& fingerprint, const BlockOptions& options) {
  add_attention(fingerprint, options.heads, options.kv_heads, options.attention);
  fingerprint.add_text("norm", options.norm);
  fingerprint.add_text("activation", options.activation);
  fingerprint.add("eps", options.eps);
  fingerprint.add_object("keyLengths", options.attention.key_lengths);
}

}  // namespace

SequenceCall::SequenceCall(const char* call, const Tensor& tensor, const char* argument)
    : name(call), x(tensor), input(sequences(x, x, call, argument)), output(x.shape()) {}

MultiHeadCall::MultiHeadCall(const char* call, const Tensor& tensor, const NamedTensors& named,
                             const Tensor* context, const Tensor* value_context,
                             const MultiHeadOptions& given_options)
    : SequenceCall(call, tensor, "x"), options(given_options), mask(options.attention.mask, call) {
  core.heads = options.attention.heads;
  core.kv_heads = options.attention.kv_heads;
  core.attention = options.attention.core(mask.mask(), 0, call);
  if (options.rotates) {
    core.rotary = MultiHeadRotary{
        options.rotary.base, options.rotary.width,
        value_named(kRotaryPairs, options.rotary.pairs, call, "rotary.pairs", "pairs")};
  }
  if (context) core.context = sequences(*context, x, call, "context");
  if (value_context) core.value_context = sequences(*value_context, x, call, "valueContext");
  weights = read_weights<MultiHeadWeights>(named, call);
  if (!weights.out_proj_weight) fail(call, "out_proj.weight", "no tensor given");
  output.back() = weights.out_proj_weight.size(0);
}

void MultiHeadCall::check(const TensorView<float, 3>& out) const {
  check_multi_head_attention(input, weights, core, out);
}

MultiHeadTrace MultiHeadCall::saved(SavedMemory& memory) const {
  return multi_head_attention_saved(input.shape(), weights, core, memory);
}

void MultiHeadCall::run(Engine& engine, const TensorView<float, 3>& out,
                        const MultiHeadTrace& trace) const {
  tril::multi_head_attention(input, weights, core, out, engine.context, trace);
}

CallFingerprint MultiHeadCall::fingerprint() const {
  CallFingerprint fingerprint;
  fingerprint.add("x", input.shape());
  fingerprint.add("context", core.context.shape());
  add_attention(fingerprint, core.heads, core.kv_heads, options.attention);
  fingerprint.add_object("keyLengths", options.attention.key_lengths);
  fingerprint.add_object("mask", options.attention.mask);
  fingerprint.add("rotary", options.rotates ? options.rotary.base : 0);
  fingerprint.add("rotary", options.rotary.width);
  fingerprint.add_text("rotary", options.rotary.pairs);
  return fingerprint;
}

BlockCall::BlockCall(const char* call, const Tensor& tensor, const NamedTensors& named,
                     const BlockOptions& given_options)
    : SequenceCall(call, tensor, "x"),
      options(given_options),
      mask(options.attention.mask, call),
      core(core_options<TransformerBlockOptions>(options, call)),
      weights(read_weights<TransformerBlockWeights>(named, call)) {
  core.attention = options.attention.core(mask.mask(), 0, call);
}

void BlockCall::check(const TensorView<float, 3>& out) const {
  check_transformer_block(input, weights, core, out);
}

TransformerBlockTrace BlockCall::saved(SavedMemory& memory) const {
  return transformer_block_saved(input.shape(), weights, core, memory);
}

void BlockCall::run(Engine& engine, const TensorView<float, 3>& out,
                    const TransformerBlockTrace& trace) const {
  tril::transformer_block(input, weights, core, out, engine.context, trace);
}

CallFingerprint BlockCall::fingerprint() const {
  CallFingerprint fingerprint;
  fingerprint.add("x", input.shape());
  add_block(fingerprint, options);
  fingerprint.add_object("mask", options.attention.mask);
  return fingerprint;
}

DecoderCall::DecoderCall(const char* call, const Tensor& tensor, const Tensor& memory,
                         const NamedTensors& named, const BlockOptions& given_options,
                         const AttentionOptions& to_memory)
    : SequenceCall(call, tensor, "x"),
      source(sequences(memory, x, call, "memory")),
      options(given_options),
      cross(to_memory),
      mask(options.attention.mask, call),
      cross_mask(cross.mask, call),
      core(core_options<DecoderBlockOptions>(options, call)),
      weights(read_weights<DecoderBlockWeights>(named, call)) {
  core.self_attention = options.attention.core(mask.mask(), 0, call);
  core.cross_attention = cross.core(cross_mask.mask(), 0, call);
}

void DecoderCall::check(const TensorView<float, 3>& out) const {
  check_decoder_block(input, source, weights, core, out);
}

DecoderBlockTrace DecoderCall::saved(SavedMemory& memory) const {
  return decoder_block_saved(input.shape(), source.shape(), weights, core, memory);
}

void DecoderCall::run(Engine& engine, const TensorView<float, 3>& out,
                      const DecoderBlockTrace& trace) const {
  tril::decoder_block(input, source, weights, core, out, engine.context, trace);
}

CallFingerprint DecoderCall::fingerprint() const {
  CallFingerprint fingerprint;
  fingerprint.add("x", input.shape());
  fingerprint.add("memory", source.shape());
  add_block(fingerprint, options);
  fingerprint.add_object("mask", options.attention.mask);
  fingerprint.add_object("memoryMask", cross.mask);
  return fingerprint;
}

TransformerCall::TransformerCall(const char* call, const Tensor& from, const Tensor& target,
                                 const NamedTensors& named, const BlockOptions& given_options,
                                 const AttentionOptions& of_source,
                                 const AttentionOptions& to_memory)
    : SequenceCall(call, target, "target"),
      source(sequences(from, target, call, "source")),
      options(given_options),
      source_attention(of_source),
      cross(to_memory),
      source_mask(source_attention.mask, call),
      mask(options.attention.mask, call),
      cross_mask(cross.mask, call),
      core(core_options<TransformerOptions>(options, call)),
      weights(read_weights<TransformerWeights>(named, call)) {
  core.source_attention = source_attention.core(source_mask.mask(), 0, call);
  core.target_attention = options.attention.core(mask.mask(), 0, call);
  core.memory_attention = cross.core(cross_mask.mask(), 0, call);
}

TransformerTrace TransformerCall::saved(SavedMemory& memory) const {
  return transformer_saved(source.shape(), input.shape(), weights, core, memory);
}

void TransformerCall::run(Engine& engine, const TensorView<float, 3>& out,
                          const TransformerTrace& trace) const {
  tril::transformer(source, input, weights, core, out, engine.context, trace);
}

CallFingerprint TransformerCall::fingerprint() const {
  CallFingerprint fingerprint;
  fingerprint.add("source", source.shape());
  fingerprint.add("target", input.shape());
  add_block(fingerprint, options);
  fingerprint.add_object("sourceMask", source_attention.mask);
  fingerprint.add_object("targetMask", options.attention.mask);
  fingerprint.add_object("memoryMask", cross.mask);
  return fingerprint;
}

ForwardResults::ForwardResults(Engine& engine, const SequenceCall& call, Tensor* out)
    : results(engine, call.name),
      output(engine, out, call.output, call.name),
      to({output->data(), {call.input.size(0), call.input.size(1), call.output.back()}}) {
  if (!out) results.add("output", output.handle());
}

}  // namespace tril::js
