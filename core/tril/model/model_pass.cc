#include <tril/model/model_pass.h>

#include <numeric>

namespace tril::detail {
namespace {

void replace(const VectorView<float>& row, const VectorView<const float>& value) noexcept {
  for (Index i = 0; i < row.size(0); ++i) row[i] = value ? value[i] : 0;
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

// In what a part of a layer adds, [1, T, C], the tokens from `first` on.
void change_sublayer(const ModelChanges& changes, Index layer, LayerPart part, Index first,
                     const TensorView<float, 3>& x) {
  for (const SublayerChange& change : changes.sublayers) {
    if (change.layer != layer || change.sublayer != part) continue;
    for_changed(change.position, first, x.size(1),
                [&](Index t) { replace(x[0][t], change.value); });
  }
}

template <typename To, typename T>
BasicLayerWeights<To> by_layer_names(const BasicModelLayerWeights<T>& weights) {
  const auto linear = [](const BasicLinearWeights<T>& of) {
    return BasicLinearWeights<To>{of.weight, of.bias};
  };
  const auto norm = [](const BasicNormWeights<T>& of) {
    return BasicNormWeights<To>{of.weight, of.bias};
  };
  return {.self_attn = parameters_as<BasicMultiHeadWeights<To>>(weights.attention),
          .linear1 = linear(weights.linear1),
          .linear2 = linear(weights.linear2),
          .norm1 = norm(weights.norm1),
          .norm2 = norm(weights.norm2)};
}

}  // namespace

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

Layer model_layer(const ModelConfig& config, const BasicModelLayerWeights<float>& weights) {
  Layer layer;
  layer.weights = by_layer_names<const float>(weights);
  layer.order = NormOrder::pre;
  layer.norm = config.norm;
  layer.residuals = config.residual;
  layer.eps = config.eps;
  layer.gated = config.feed_forward == ModelFeedForward::swiglu;
  layer.activation = layer.gated ? Activation::silu : Activation::gelu_tanh;
  MultiHeadOptions& attention = layer.self_attention;
  attention.heads = config.heads;
  attention.kv_heads = config.kv_heads;
  attention.norm_eps = config.eps;
  if (config.positions == ModelPositions::rotary) attention.rotary.emplace();
  attention.attention.causal = config.causal;
  if (!config.scaled_scores) attention.attention.scale = 1;
  return layer;
}

BasicLayerWeights<float> layer_gradients(const BasicModelLayerWeights<float>& d_weights) noexcept {
  return by_layer_names<float>(d_weights);
}

// A layer leaves out at three places, after that of the embedding.
Layer ModelPass::layer(Index number, const BasicModelLayerWeights<float>& weights,
                       const LayerTrace& trace) const {
  Layer layer = model_layer(config, weights);
  layer.trace = trace;
  layer.prepared = prepared;
  MultiHeadOptions& attention = layer.self_attention;
  if (attention.rotary) attention.rotary->cos = rotary.cos, attention.rotary->sin = rotary.sin;
  if (dropout_seed && config.dropout > 0) {
    layer.dropout = {.places = {config.dropout, *dropout_seed, first_batch},
                     .self_weights = 3 * number + 1,
                     .self = 3 * number + 2,
                     .feed_forward = 3 * number + 3};
  }
  if (caches.empty()) return layer;
  KeyValueCache& cache = caches[static_cast<std::size_t>(number)];
  attention.past = &cache;
  // Attention has put the keys of the tokens in the cache.
  const auto first = [this, &cache] { return cache.length() - tokens; };
  if (changes && !changes->heads.empty()) {
    attention.change_heads = [this, number, first](const TensorView<float, 4>& heads) {
      change_heads(*changes, number, first(), heads);
    };
  }
  if (changes && !changes->sublayers.empty()) {
    layer.change_branch = [this, number, first](LayerPart part, const TensorView<float, 3>& x) {
      change_sublayer(*changes, number, part, first(), x);
    };
  }
  return layer;
}

std::optional<DropoutOptions> ModelPass::dropout_at(Index place) const {
  if (!dropout_seed || config.dropout <= 0) return {};
  return DropoutPlaces{config.dropout, *dropout_seed, first_batch}.at(place, tokens);
}

}  // namespace tril::detail
