// A pass of the layers of a language model (block/layer.h) over a batch of sequences, with the
// model's settings, rotary positions, dropout, caches and changes.
#pragma once

#include <tril/block/layer.h>
#include <tril/foundation/buffer.h>
#include <tril/model/model_trace.h>

#include <memory>
#include <optional>
#include <span>

namespace tril::detail {

// The cosines and sines of rotary positions, [positions, R / 2]; empty where positions are not
// rotary.
struct RotaryTables {
  Buffer<float, 2> cos, sin;
  Buffer<float, 2> local_cos, local_sin;  // for layers with a window, where they differ
  // The tables for texts of more than `original` tokens, where they differ.
  Index original = 0;
  std::unique_ptr<RotaryTables> longer;

  // The tables for a text of `length` tokens.
  const RotaryTables& of(Index length) const noexcept {
    return longer && length > original ? *longer : *this;
  }
};
// The tables of positions [0, count); dynamic scaling is for a text of `length` tokens.
RotaryTables rotary_tables(const ModelConfig& config, Index count, Index length);

// The attention options of a layer: mask, scale and cap of its scores.
AttentionOptions layer_attention(const ModelConfig& config, Index layer);
// The weights of a layer, with the names of block/layer.h.
BasicLayerWeights<const float> layer_weights(const BasicModelLayerWeights<const float>& weights);
BasicLayerWeights<const float> layer_weights(const BasicModelLayerWeights<float>& weights);
// Layer `number`, without the parts that a pass adds.
Layer model_layer(const ModelConfig& config, Index number,
                  const BasicLayerWeights<const float>& weights);
// The gradients of its weights, in the same form.
BasicLayerWeights<float> layer_gradients(const BasicModelLayerWeights<float>& d_weights) noexcept;

// A pass over B sequences of T tokens.
struct ModelPass {
  const ModelConfig& config;
  const RotaryTables& rotary;
  Index batches, tokens;
  std::optional<std::uint64_t> dropout_seed;  // none: no dropout
  Index first_batch;                          // number of the first sequence, for a part of a batch
  const Context& context;
  std::span<KeyValueCache> caches = {};    // for decoding, one a layer
  const Interventions* changes = nullptr;  // for decoding: changes, if any

  // Rows [B T, W] as [B, T, W]; a null view stays null.
  TensorView<float, 3> batched(const MatrixView<float>& rows) const noexcept {
    if (!rows) return {};
    return {rows.data(), {batches, tokens, rows.size(1)}};
  }
  // Layer `number`, which fills `trace`.
  Layer layer(Index number, const BasicLayerWeights<const float>& weights,
              const LayerTrace& trace) const;
  // The dropout at a place of the model; none outside training.
  std::optional<DropoutOptions> dropout_at(Index place) const;
};

// x *= sqrt(C) where the embedding is scaled; x [N, C] is an embedding or its gradient.
void scale_embedding(const ModelConfig& config, const MatrixView<float>& x, const Context& context);
// logits = c tanh(logits / c) where there is a cap. Backward: d_logits *= 1 - (capped / c)^2;
// overwrites `capped`.
void cap_logits(const ModelConfig& config, const MatrixView<float>& logits, const Context& context);
void cap_logits_backward(const ModelConfig& config, const MatrixView<float>& capped,
                         const MatrixView<float>& d_logits, const Context& context);

// Applies changes to the residual stream [T, C], of tokens from `first` on, after `layers` layers.
void change_residual(const Interventions& changes, Index layers, Index first,
                     const MatrixView<float>& x) noexcept;

}  // namespace tril::detail
