// The arguments of attention with projections, of the blocks and of the Transformer, read once for
// the forward pass, traced or saved, and for the backward pass. Each call has
//
//   check(out)           what the core throws for its arguments; nothing is written
//   saved(memory)        the trace that its backward pass needs, laid out
//   run(engine, out, trace)
//   fingerprint()        the shapes and options that its backward pass must be given as well
#pragma once

#include <tril/block/transformer.h>

#include <string>

#include "attention.h"
#include "call_fingerprint.h"
#include "rotary_positions.h"

namespace tril::js {

struct MultiHeadOptions {
  AttentionOptions attention;  // heads and kv_heads are those of the projections
  bool need_weights;
  bool average_weights;
  bool rotates;
  RotaryOptions rotary;
};

struct BlockOptions {
  int heads;
  int kv_heads;      // 0: as many as heads
  std::string norm;  // "post" or "pre"
  std::string activation;
  double eps;
  bool trace;
  AttentionOptions attention;  // its heads, kv_heads and trace are ignored, as are those below
};

// The common part of all calls: x [B, T, C] or [T, C], and an output of its layout. A call borrows,
// and is neither copied nor moved. All constructors throw Error in the name of the call.
struct SequenceCall {
  SequenceCall(const char* call, const Tensor& tensor, const char* argument);
  SequenceCall(const SequenceCall&) = delete;

  const char* name;
  const Tensor& x;
  TensorView<const float, 3> input;  // x
  DynamicShape output;
};

struct MultiHeadCall : SequenceCall {
  // The contexts may be null.
  MultiHeadCall(const char* call, const Tensor& x, const NamedTensors& named, const Tensor* context,
                const Tensor* value_context, const MultiHeadOptions& given_options);

  const MultiHeadOptions& options;
  MaskArgument mask;
  tril::MultiHeadOptions core;
  MultiHeadWeights weights;

  void check(const TensorView<float, 3>& out) const;
  MultiHeadTrace saved(SavedMemory& memory) const;
  void run(Engine& engine, const TensorView<float, 3>& out, const MultiHeadTrace& trace) const;
  CallFingerprint fingerprint() const;
};

struct BlockCall : SequenceCall {
  BlockCall(const char* call, const Tensor& x, const NamedTensors& named,
            const BlockOptions& given_options);

  const BlockOptions& options;
  MaskArgument mask;
  TransformerBlockOptions core;
  TransformerBlockWeights weights;

  void check(const TensorView<float, 3>& out) const;
  TransformerBlockTrace saved(SavedMemory& memory) const;
  void run(Engine& engine, const TensorView<float, 3>& out,
           const TransformerBlockTrace& trace) const;
  CallFingerprint fingerprint() const;
};

struct DecoderCall : SequenceCall {
  DecoderCall(const char* call, const Tensor& x, const Tensor& memory, const NamedTensors& named,
              const BlockOptions& given_options, const AttentionOptions& to_memory);

  TensorView<const float, 3> source;  // the memory
  const BlockOptions& options;
  const AttentionOptions& cross;
  MaskArgument mask, cross_mask;
  DecoderBlockOptions core;
  DecoderBlockWeights weights;

  void check(const TensorView<float, 3>& out) const;
  DecoderBlockTrace saved(SavedMemory& memory) const;
  void run(Engine& engine, const TensorView<float, 3>& out, const DecoderBlockTrace& trace) const;
  CallFingerprint fingerprint() const;
};

// A call of the Transformer; x is the target.
struct TransformerCall : SequenceCall {
  TransformerCall(const char* call, const Tensor& source, const Tensor& target,
                  const NamedTensors& named, const BlockOptions& given_options,
                  const AttentionOptions& of_source, const AttentionOptions& to_memory);

  TensorView<const float, 3> source;
  const BlockOptions& options;
  const AttentionOptions &source_attention, &cross;
  MaskArgument source_mask, mask, cross_mask;
  TransformerOptions core;
  TransformerWeights weights;

  // Left to saved and run, which check every layer.
  void check(const TensorView<float, 3>&) const {}
  TransformerTrace saved(SavedMemory& memory) const;
  void run(Engine& engine, const TensorView<float, 3>& out, const TransformerTrace& trace) const;
  CallFingerprint fingerprint() const;
};

// The results of a forward pass: output, unless `out` is written, and traces.
struct ForwardResults {
  ForwardResults(Engine& engine, const SequenceCall& call, Tensor* out);

  Results results;
  Output output;
  TensorView<float, 3> to;  // the output
};

}  // namespace tril::js
