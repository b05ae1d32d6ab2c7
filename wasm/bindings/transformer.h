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
