// How the layers of a language model (block/layer.h) run over a batch of sequences: with the
// model's settings, rotary positions, dropout, caches and changes.
#pragma once

#include <tril/block/layer.h>
#include <tril/foundation/buffer.h>
#include <tril/model/model_trace.h>

#include <memory>
#include <optional>
#include <span>

namespace tril::detail {

// Where positions turn queries and keys, cosine and sine of each, [positions, R / 2]; else none.
struct RotaryTables {
  Buffer<float, 2> cos, sin;
  Buffer<float, 2> local_cos, local_sin;  // of layers with a window, where theirs are others
  // Where longer texts than `original` tokens are turned otherwise, those of longer ones.
  Index original = 0;
  std::unique_ptr<RotaryTables> longer;

  // Those of a text of so many tokens.
  const RotaryTables& of(Index length) const noexcept {
    return longer && length > original ? *longer : *this;
  }
};
// Of the positions from 0 to below `count`; those of dynamic scaling as far as `length` tokens.
RotaryTables rotary_tables(const ModelConfig& config, Index count, Index length);

// How a layer attends: mask, scale and cap of its scores.
AttentionOptions layer_attention(const ModelConfig& config, Index layer);
// Its weights, by the layer's names.
BasicLayerWeights<const float> layer_weights(const BasicModelLayerWeights<const float>& weights);
BasicLayerWeights<const float> layer_weights(const BasicModelLayerWeights<float>& weights);
// The layer of this number, but for what a pass adds to it.
Layer model_layer(const ModelConfig& config, Index number,
                  const BasicLayerWeights<const float>& weights);
// The gradients of its weights, the same.
BasicLayerWeights<float> layer_gradients(const BasicModelLayerWeights<float>& d_weights) noexcept;

// A pass over B sequences of T tokens.
struct ModelPass {
  const ModelConfig& config;
  const RotaryTables& rotary;
  Index batches, tokens;
  std::optional<std::uint64_t> dropout_seed;  // none: nothing is left out
  Index first_batch;                          // of a part of a batch, where it begins in the whole
  const Context& context;
  std::span<KeyValueCache> caches = {};    // in decoding, one a layer
  const Interventions* changes = nullptr;  // in decoding: of heads, those that there are

  // Rows [B T, W] as [B, T, W]; none as none.
  TensorView<float, 3> batched(const MatrixView<float>& rows) const noexcept {
    if (!rows) return {};
    return {rows.data(), {batches, tokens, rows.size(1)}};
  }
  // The layer of this number, which fills `trace`.
  Layer layer(Index number, const BasicLayerWeights<const float>& weights,
              const LayerTrace& trace) const;
  // What is left out at a place of the model; none where nothing is.
  std::optional<DropoutOptions> dropout_at(Index place) const;
};

// x *= sqrt(C) where the embedding is scaled; x [N, C]: embeddings, or their gradient.
void scale_embedding(const ModelConfig& config, const MatrixView<float>& x, const Context& context);
// logits = c tanh(logits / c) where there is a cap. Backward: d_logits *= 1 - (capped / c)^2;
// overwrites `capped`.
void cap_logits(const ModelConfig& config, const MatrixView<float>& logits, const Context& context);
void cap_logits_backward(const ModelConfig& config, const MatrixView<float>& capped,
                         const MatrixView<float>& d_logits, const Context& context);

// In the residual stream [T, C] after so many layers, the tokens from `first` on.
void change_residual(const Interventions& changes, Index layers, Index first,
                     const MatrixView<float>& x) noexcept;

}  // namespace tril::detail
