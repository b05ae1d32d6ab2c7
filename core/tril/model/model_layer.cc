#include <tril/layers/dropout.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/feed_forward.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/rms_norm.h>
#include <tril/model/model_layer.h>

#include <algorithm>
#include <numeric>

namespace tril::detail {
namespace {

// But for the tables of rotary positions.
MultiHeadOptions attention_options(const ModelConfig& config) {
  MultiHeadOptions options;
  options.heads = config.heads;
  options.kv_heads = config.kv_heads;
  if (config.positions == ModelPositions::rotary) options.rotary.emplace();
  options.attention.causal = config.causal;
  if (!config.scaled_scores) options.attention.scale = 1;
  return options;
}

void replace(const VectorView<float>& row, const VectorView<const float>& value) noexcept {
  for (Index i = 0; i < row.size(0); ++i) row[i] = value ? value[i] : 0;
}

// Rows as batches of tokens.
template <typename T>
TensorView<T, 3> as_batches(const MatrixView<T>& rows, const ModelPass& pass) noexcept {
  return {rows.data(), {pass.batches, pass.tokens, rows.size(1)}};
}

FeedForwardWeights feed_forward_weights(const BasicModelLayerWeights<float>& weights) noexcept {
  return {{weights.linear1.weight, weights.linear1.bias},
          {weights.linear2.weight, weights.linear2.bias}};
}

bool is_gated(const ModelConfig& config) noexcept {
  return config.feed_forward == ModelFeedForward::swiglu;
}
Activation activation_of(const ModelConfig& config) noexcept {
  return is_gated(config) ? Activation::silu : Activation::gelu_tanh;
}

// Of a place where each sequence of the batch has `rows` rows.
DropoutOptions dropout_options(const ModelPass& pass, Index place, Index rows) noexcept {
  return DropoutPlaces{pass.config.dropout, *pass.dropout_seed, pass.first_batch}.at(place, rows);
}

// Of the tokens of a pass, which stand from `first` on, those that a change is for.
template <typename Apply>
void for_changed(Index position, Index first, Index tokens, const Apply& apply) {
  for (Index t = 0; t < tokens; ++t) {
    if (position < 0 || position == first + t) apply(t);
  }
}

// In what the heads of a layer give, [1, H, T, D], the tokens from `first` on.
void change_heads(const ModelChanges& changes, Index layer, Index first,
                  const TensorView<float, 4>& heads) {
  for (const HeadChange& change : changes.heads) {
    if (change.layer != layer) continue;
    for_changed(change.position, first, heads.size(2),
                [&](Index t) { replace(heads[0][change.head][t], change.value); });
  }
}

// What a part of a layer adds, [T, C], as it is in this pass, and a copy of it where it is wanted.
void change_sublayer(const ModelPass& pass, Index layer, LayerPart sublayer,
                     const MatrixView<float>& x, const MatrixView<float>& wanted) {
  if (pass.changes) {
    for (const SublayerChange& change : pass.changes->sublayers) {
      if (change.layer != layer || change.sublayer != sublayer) continue;
      // Attention has put the keys of the tokens in the cache.
      const Index end = pass.caches[static_cast<std::size_t>(layer)].length();
      for_changed(change.position, end - pass.tokens, x.size(0),
                  [&](Index t) { replace(x[t], change.value); });
    }
  }
  if (wanted) add(x, 0, wanted, pass.parallel);
}

// Of a layer's attention in this pass.
MultiHeadOptions attention_options(const ModelPass& pass, Index number) {
  MultiHeadOptions options = attention_options(pass.config);
  if (options.rotary) options.rotary->cos = pass.rotary.cos, options.rotary->sin = pass.rotary.sin;
  if (!pass.caches.empty()) options.past = &pass.caches[static_cast<std::size_t>(number)];
  if (pass.changes && !pass.changes->heads.empty()) {
    options.change_heads = [&pass, number](const TensorView<float, 4>& heads) {
      const Index end = pass.caches[static_cast<std::size_t>(number)].length();
      change_heads(*pass.changes, number, end - pass.tokens, heads);
    };
  }
  if (pass.drops()) {
    options.attention.dropout =
        dropout_options(pass, 3 * number + 1, pass.config.heads * pass.tokens);
  }
  return options;
}

}  // namespace

void ModelPass::norm(const MatrixView<float>& x, const BasicNormWeights<float>& weights,
                     const SavedNorm& saved) const {
  if (config.norm == ModelNorm::none) {
    std::copy_n(x.data(), x.count(), saved.normed.data());
  } else if (config.norm == ModelNorm::layer_norm) {
    layer_norm(x, weights.weight, weights.bias, {.eps = config.eps}, saved.normed, parallel,
               {saved.mean, saved.rstd});
  } else {
    rms_norm(x, weights.weight, {.eps = config.eps}, saved.normed, parallel, saved.rstd);
  }
}

void ModelPass::norm_backward(const MatrixView<float>& d_out, const MatrixView<float>& x,
                              const BasicNormWeights<float>& weights, const SavedNorm& saved,
                              const MatrixView<float>& d_x,
                              const BasicNormWeights<float>& d_weights) const {
  if (config.norm == ModelNorm::none) {
    if (d_x.data() != d_out.data()) std::copy_n(d_out.data(), d_out.count(), d_x.data());
  } else if (config.norm == ModelNorm::layer_norm) {
    layer_norm_backward(d_out, x, weights.weight, saved.mean, saved.rstd,
                        {d_x, d_weights.weight, d_weights.bias}, scratch, parallel);
  } else {
    rms_norm_backward(d_out, x, weights.weight, saved.rstd, {d_x, d_weights.weight}, scratch,
                      parallel);
  }
}

void ModelPass::drop(const MatrixView<float>& x, Index place) const {
  if (drops()) dropout(x, dropout_options(*this, place, tokens), x, parallel);
}

void ModelPass::drop_backward(const MatrixView<float>& from, Index place,
                              const MatrixView<float>& to) const {
  dropout_backward(from, dropout_options(*this, place, tokens), to, parallel);
}

void change_residual(const ModelChanges& changes, Index layers, Index first,
                     const MatrixView<float>& x) noexcept {
  for (const ResidualChange& change : changes.residual) {
    if (change.layers != layers) continue;
    for_changed(change.position, first, x.size(0), [&](Index t) { replace(x[t], change.value); });
  }
}

RotaryTables rotary_tables(const ModelConfig& config, Index count, Index length) {
  RotaryTables tables;
  if (config.positions != ModelPositions::rotary) return tables;
  const Shape<2> shape = {count, config.head_width() / 2};
  tables.cos = Buffer<float, 2>(shape), tables.sin = Buffer<float, 2>(shape);
  std::vector<std::int32_t> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), 0);
  RotaryScaling scaling = config.rotary_scaling;
  scaling.length = length;
  rotary_angles({positions.data(), {count}}, config.rotary_base, scaling, tables.cos, tables.sin);
  return tables;
}

SavedNorm saved_norm(const ModelConfig& config, Index rows, SavedMemory& memory) {
  SavedNorm saved;
  saved.normed = memory.take(rows, config.width);
  if (config.norm == ModelNorm::layer_norm) saved.mean = memory.take(rows);
  if (config.norm != ModelNorm::none) saved.rstd = memory.take(rows);
  return saved;
}

SavedModelLayer saved_layer(const ModelConfig& config, const BasicModelLayerWeights<float>& weights,
                            Index batches, Index tokens, SavedMemory& memory) {
  const Index rows = batches * tokens;
  SavedModelLayer saved;
  saved.norm1 = saved_norm(config, rows, memory);
  saved.attention = multi_head_attention_saved({batches, tokens, config.width},
                                               parameters_as<MultiHeadWeights>(weights.attention),
                                               attention_options(config), memory);
  saved.between = memory.take(rows, config.width);
  saved.norm2 = saved_norm(config, rows, memory);
  const auto feed_forward = is_gated(config) ? gated_feed_forward_saved : feed_forward_saved;
  saved.feed_forward = feed_forward(rows, feed_forward_weights(weights), memory);
  saved.out = memory.take(rows, config.width);
  return saved;
}

void run_layer(const ModelPass& pass, Index number, const BasicModelLayerWeights<float>& weights,
               const MatrixView<float>& x, const SavedModelLayer& saved) {
  const ModelConfig& config = pass.config;
  Scratch& scratch = pass.scratch;
  Parallel& parallel = pass.parallel;
  pass.norm(x, weights.norm1, saved.norm1);
  multi_head_attention(as_batches<const float>(saved.norm1.normed, pass),
                       parameters_as<MultiHeadWeights>(weights.attention),
                       attention_options(pass, number), as_batches(saved.between, pass), scratch,
                       parallel, saved.attention, pass.prepared);
  change_sublayer(pass, number, LayerPart::attention, saved.between, saved.from_attention);
  pass.drop(saved.between, 3 * number + 2);
  if (config.residual) add(x, saved.between, saved.between, parallel);

  pass.norm(saved.between, weights.norm2, saved.norm2);
  const auto feed = is_gated(config) ? gated_feed_forward : feed_forward;
  feed(saved.norm2.normed, feed_forward_weights(weights), activation_of(config), saved.out, scratch,
       parallel, saved.feed_forward, pass.prepared);
  change_sublayer(pass, number, LayerPart::feed_forward, saved.out, saved.from_feed_forward);
  pass.drop(saved.out, 3 * number + 3);
  if (config.residual) add(saved.between, saved.out, saved.out, parallel);
}

// d_branch = dropout back (d);  d += norm2 back (feed-forward back (d_branch))
// d_branch = dropout back (d);  d += norm1 back (attention back (d_branch))
// Without residuals d becomes what is added here.
void run_layer_backward(const ModelPass& pass, Index number,
                        const BasicModelLayerWeights<float>& weights, const MatrixView<float>& x,
                        const SavedModelLayer& saved, const MatrixView<float>& d,
                        const BasicModelLayerWeights<float>& d_weights) {
  const ModelConfig& config = pass.config;
  Scratch& scratch = pass.scratch;
  Parallel& parallel = pass.parallel;
  const bool drops = pass.drops();
  Scratch::Frame frame(scratch);
  const auto take = [&](Index width) {
    return MatrixView<float>(frame.take<float>(pass.rows(), width), {pass.rows(), width});
  };
  const MatrixView<float> d_normed = take(config.width);
  const MatrixView<float> dropped = drops ? take(config.width) : d;
  const auto branch = [&](Index place) {
    if (drops) pass.drop_backward(d, place, dropped);
    return dropped;
  };
  const auto through = [&](const MatrixView<float>& input, const BasicNormWeights<float>& norm,
                           const SavedNorm& saved_norm, const BasicNormWeights<float>& d_norm) {
    const MatrixView<float> to = config.residual ? d_normed : d;
    pass.norm_backward(d_normed, input, norm, saved_norm, to, d_norm);
    if (config.residual) add(d, d_normed, d, parallel);
  };
  const auto feed_backward = is_gated(config) ? gated_feed_forward_backward : feed_forward_backward;
  feed_backward(branch(3 * number + 3), saved.norm2.normed, feed_forward_weights(weights),
                activation_of(config), saved.feed_forward,
                {d_normed, {d_weights.linear1, d_weights.linear2}}, scratch, parallel);
  through(saved.between, weights.norm2, saved.norm2, d_weights.norm2);

  multi_head_attention_backward(as_batches<const float>(branch(3 * number + 2), pass),
                                as_batches<const float>(saved.norm1.normed, pass),
                                parameters_as<MultiHeadWeights>(weights.attention),
                                attention_options(pass, number), saved.attention,
                                {.d_x = as_batches(d_normed, pass), .weights = d_weights.attention},
                                scratch, parallel);
  through(x, weights.norm1, saved.norm1, d_weights.norm1);
}

}  // namespace tril::detail
