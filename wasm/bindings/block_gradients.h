// The way back through attention with weights and through blocks and stacks of them. Each takes
// what the forward took and the gradient of its output, and gives a gradient for each input and
// dWeights.NAME for each weight that was given. `kept`: what the forward pass has left
// (saved_passes.h); null: it is computed again.
#pragma once

#include "efficient_attention.h"
#include "multi_head_attention.h"
#include "transformer.h"

namespace tril::js {

// dQuery, dKey and dValue.
NamedTensors additive_attention_backward(Engine& engine, const Tensor& d_out, const Tensor& query,
                                         const Tensor& key, const Tensor& value,
                                         const NamedTensors& weights, const MaskRules& mask);

// dX, dContext and dValueContext where there are such, and, if asked for, dMask [B, H, T, S].
NamedTensors multi_head_attention_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                                           const NamedTensors& weights, const Tensor* context,
                                           const Tensor* value_context,
                                           const MultiHeadOptions& options, bool mask_gradient,
                                           const Tensor* kept);

// dX, and, if asked for, dMask [B, H, T, T].
NamedTensors transformer_block_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                                        const NamedTensors& weights, const BlockOptions& options,
                                        bool mask_gradient, const Tensor* kept);

// dX and dMemory, and, if asked for, dMask [B, H, T, T] and dMemoryMask [B, H, T, S].
NamedTensors decoder_block_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                                    const Tensor& memory, const NamedTensors& weights,
                                    const BlockOptions& options, const AttentionOptions& cross,
                                    bool mask_gradient, const Tensor* kept);

// dSource and dTarget.
NamedTensors transformer_backward(Engine& engine, const Tensor& d_out, const Tensor& source,
                                  const Tensor& target, const NamedTensors& weights,
                                  const BlockOptions& options,
                                  const AttentionOptions& source_attention,
                                  const AttentionOptions& cross, const Tensor* kept);

}  // namespace tril::js
