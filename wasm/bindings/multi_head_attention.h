#pragma once

#include <tril/attention/multi_head_attention.h>

#include "attention.h"
#include "layers.h"

namespace tril::js {

struct MultiHeadOptions {
  AttentionOptions attention;  // its heads and kv_heads are those of the projections
  bool need_weights;
  bool average_weights;
  bool rotates;
  RotaryOptions rotary;
};

// x [B, T, C] or [T, C], context and value_context (null: x) alike. `weights` are named as PyTorch
// names those of nn.MultiheadAttention. Gives output (null where `out` was written), averageWeights
// or weights if asked for, and with a trace queries, keys, values, scores, capped (where there is a
// soft cap), masked, weights and heads. With a cache, keys and values are appended to it.
NamedTensors multi_head_attention(Engine& engine, const Tensor& x, const NamedTensors& weights,
                                  const Tensor* context, const Tensor* value_context, Cache* past,
                                  const MultiHeadOptions& options, Tensor* out);

}  // namespace tril::js
