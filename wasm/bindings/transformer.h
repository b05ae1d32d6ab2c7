#pragma once

#include <tril/block/transformer.h>

#include <string>

#include "attention.h"
#include "feed_forward.h"

namespace tril::js {

struct BlockOptions {
  int heads;
  int kv_heads;      // 0: as many as heads
  std::string norm;  // "post" or "pre"
  std::string activation;
  double eps;
  bool trace;
  AttentionOptions
      attention;  // its heads, kv_heads and trace are not looked at; nor are those below

  // What blocks and stacks of them have in common, as the core's Options.
  template <typename Options>
  Options core(const char* call) const {
    Options core;
    core.heads = heads;
    core.kv_heads = kv_heads;
    core.norm = value_named(kNormOrders, norm, call, "norm");
    core.activation = activation_named(activation, call);
    core.eps = eps;
    return core;
  }
};

// The core's options of a block, a decoder's block and the whole, each with the masks that they
// look at: neither copied nor moved. Throw Error for what the options' names do not say.
struct BlockArguments {
  BlockArguments(const BlockOptions& options, const char* call);
  BlockArguments(const BlockArguments&) = delete;

  MaskArgument mask;
  TransformerBlockOptions core;
};

struct DecoderArguments {
  DecoderArguments(const BlockOptions& options, const AttentionOptions& cross, const char* call);
  DecoderArguments(const DecoderArguments&) = delete;

  MaskArgument mask, cross_mask;
  DecoderBlockOptions core;
};

struct TransformerArguments {
  TransformerArguments(const BlockOptions& options, const AttentionOptions& source,
                       const AttentionOptions& cross, const char* call);
  TransformerArguments(const TransformerArguments&) = delete;

  MaskArgument source_mask, mask, cross_mask;
  TransformerOptions core;
};

// x [B, T, C] or [T, C]. `weights` are named as PyTorch names those of nn.TransformerEncoderLayer.
// Gives output (unless `out` was written) and, with a trace, what `Traces::transformer_block`
// names.
NamedTensors transformer_block(Engine& engine, const Tensor& x, const NamedTensors& weights,
                               const BlockOptions& options, Tensor* out);

// memory [B, S, Cm] or [S, Cm]; nn.TransformerDecoderLayer. `cross` are the options of attention to
// the memory.
NamedTensors decoder_block(Engine& engine, const Tensor& x, const Tensor& memory,
                           const NamedTensors& weights, const BlockOptions& options,
                           const AttentionOptions& cross, Tensor* out);

// source [B, S, C], target [B, T, C], or both without B; nn.Transformer: layers encoder.layers.0,
// ... and decoder.layers.0, ..., as many as there are, and encoder.norm and decoder.norm where
// there are. options.attention is that of the decoder to itself, `source_attention` that of the
// encoder. Gives output and, with a trace, memory and the traces of encoder.0, ... and decoder.0,
// ....
NamedTensors transformer(Engine& engine, const Tensor& source, const Tensor& target,
                         const NamedTensors& weights, const BlockOptions& options,
                         const AttentionOptions& source_attention, const AttentionOptions& cross,
                         Tensor* out);

}  // namespace tril::js
