// One layer of a language model (model_config.h), there and back, over rows [B T, C]:
//
//   between = x + dropout(attention(norm1(x)))
//   out = between + dropout(feed_forward(norm2(between)))
//
// and dropout of the weights inside attention. Settings of the model (model_config.h) may leave out
// norms and residuals.
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/layers/feed_forward.h>
#include <tril/model/model_trace.h>

#include <optional>
#include <span>

namespace tril::detail {

// What a norm leaves.
struct SavedNorm {
  MatrixView<float> normed;  // [B T, C]
  VectorView<float> mean;    // [B T]; none for rms_norm
  VectorView<float> rstd;    // [B T]; none where there is no norm
};

// What the forward pass of a layer leaves.
struct SavedModelLayer {
  SavedNorm norm1, norm2;
  MultiHeadTrace attention;
  MatrixView<float> from_attention;  // [B T, C], before dropout; none: not wanted
  MatrixView<float> between;         // [B T, C]
  FeedForwardTrace feed_forward;
  MatrixView<float> from_feed_forward;  // as from_attention
  MatrixView<float> out;                // [B T, C]
};

// Where positions turn queries and keys, cosine and sine of each, [positions, D / 2]; else none.
struct RotaryTables {
  Buffer<float, 2> cos, sin;
};
// Of the positions from 0 to below `count`; those of dynamic scaling as far as `length` tokens.
RotaryTables rotary_tables(const ModelConfig& config, Index count, Index length);

// How the layers of a model run over B sequences of T tokens.
struct ModelPass {
  const ModelConfig& config;
  const RotaryTables& rotary;
  Index batches, tokens;
  std::optional<std::uint64_t> dropout_seed;  // none: nothing is left out
  Index first_batch;                          // of a part of a batch, where it begins in the whole
  Scratch& scratch;
  Parallel& parallel;
  std::span<KeyValueCache> caches = {};       // in decoding, one a layer
  const ModelChanges* changes = nullptr;      // in decoding: of heads, those that there are
  const PreparedWeights* prepared = nullptr;  // where weights have 16 bits

  Index rows() const noexcept { return batches * tokens; }
  // Whether anything is left out.
  bool drops() const noexcept { return dropout_seed && config.dropout > 0; }
  // The norm of the settings.
  void norm(const MatrixView<float>& x, const BasicNormWeights<float>& weights,
            const SavedNorm& saved) const;
  // d_x overwritten; it may be d_out.
  void norm_backward(const MatrixView<float>& d_out, const MatrixView<float>& x,
                     const BasicNormWeights<float>& weights, const SavedNorm& saved,
                     const MatrixView<float>& d_x, const BasicNormWeights<float>& d_weights) const;
  // In place, of the place of this number in the model.
  void drop(const MatrixView<float>& x, Index place) const;
  // Gradients: `to` may be `from`.
  void drop_backward(const MatrixView<float>& from, Index place, const MatrixView<float>& to) const;
};

// In the residual stream [T, C] behind so many layers, the tokens from `first` on.
void change_residual(const ModelChanges& changes, Index layers, Index first,
                     const MatrixView<float>& x) noexcept;

SavedNorm saved_norm(const ModelConfig& config, Index rows, SavedMemory& memory);
SavedModelLayer saved_layer(const ModelConfig& config, const BasicModelLayerWeights<float>& weights,
                            Index batches, Index tokens, SavedMemory& memory);

// x [B T, C]; the result is saved.out. Of what is saved the views that no backward pass is to read
// may be none: mean, rstd, and all of attention and feed_forward. Both normed may be one view, and
// out may be x.
void run_layer(const ModelPass& pass, Index number, const BasicModelLayerWeights<float>& weights,
               const MatrixView<float>& x, const SavedModelLayer& saved);

// d [B T, C]: the gradient of the layer's output, which that of its input takes the place of.
void run_layer_backward(const ModelPass& pass, Index number,
                        const BasicModelLayerWeights<float>& weights, const MatrixView<float>& x,
                        const SavedModelLayer& saved, const MatrixView<float>& d,
                        const BasicModelLayerWeights<float>& d_weights);

}  // namespace tril::detail
