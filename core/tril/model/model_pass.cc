#include <tril/layers/elementwise.h>
#include <tril/model/model_pass.h>

#include <cmath>
#include <numeric>

namespace tril::detail {
namespace {

void replace(const VectorView<float>& row, const VectorView<const float>& value) noexcept {
  for (Index i = 0; i < row.size(0); ++i) row[i] = value ? value[i] : 0;
}

// Calls apply for the changed tokens; the pass has tokens from `first` on.
template <typename Apply>
void for_changed(Index position, Index first, Index tokens, const Apply& apply) {
  for (Index t = 0; t < tokens; ++t) {
    if (position < 0 || position == first + t) apply(t);
  }
}

// Changes the outputs of a layer's heads, [1, H, T, D], for the tokens from `first` on.
void change_heads(const Interventions& changes, Index layer, Index first,
                  const TensorView<float, 4>& heads) {
  for (const HeadIntervention& change : changes.heads) {
    if (change.layer != layer) continue;
    for_changed(change.position, first, heads.size(2),
                [&](Index t) { replace(heads[0][change.head][t], change.value); });
  }
}

// Changes the output of a sublayer, [1, T, C], for the tokens from `first` on.
void change_sublayer(const Interventions& changes, Index layer, LayerPart part, Index first,
                     const TensorView<float, 3>& x) {
  for (const SublayerIntervention& change : changes.sublayers) {
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
          .norm2 = norm(weights.norm2),
          .branch_norm1 = norm(weights.branch_norm1),
          .branch_norm2 = norm(weights.branch_norm2)};
}

}  // namespace

void change_residual(const Interventions& changes, Index layers, Index first,
                     const MatrixView<float>& x) noexcept {
  for (const ResidualIntervention& change : changes.residual) {
    if (change.layers != layers) continue;
    for_changed(change.position, first, x.size(0), [&](Index t) { replace(x[t], change.value); });
  }
}

void scale_embedding(const ModelConfig& config, const MatrixView<float>& x,
                     const Context& context) {
  if (!config.scaled_embedding) return;
  multiply(x, std::sqrt(static_cast<float>(config.width)), x, context);
}

void cap_logits(const ModelConfig& config, const MatrixView<float>& logits,
                const Context& context) {
  if (config.logit_cap == 0) return;
  const auto cap = static_cast<float>(config.logit_cap);
  divide(logits, cap, logits, context);
  unary(Unary::tanh, logits, logits, context);
  multiply(logits, cap, logits, context);
}

void cap_logits_backward(const ModelConfig& config, const MatrixView<float>& capped,
                         const MatrixView<float>& d_logits, const Context& context) {
  if (config.logit_cap == 0) return;
  divide(capped, static_cast<float>(config.logit_cap), capped, context);
  multiply(capped, capped, capped, context);
  subtract(1, capped, capped, context);
  multiply(d_logits, capped, d_logits, context);
}

namespace {

RotaryTables tables_of(const ModelConfig& config, Index count, Index length) {
  RotaryTables tables;
  if (config.positions != ModelPositions::rotary) return tables;
  const Shape<2> shape = {count, config.turned_width() / 2};
  std::vector<std::int32_t> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), 0);
  const auto fill = [&](double base, const RotaryScaling& scaling, Buffer<float, 2>& cos,
                        Buffer<float, 2>& sin) {
    cos = Buffer<float, 2>(shape), sin = Buffer<float, 2>(shape);
    rotary_angles({positions.data(), {count}}, base, scaling, cos, sin);
  };
  RotaryScaling scaling = config.rotary_scaling;
  scaling.length = length;
  fill(config.rotary_base, scaling, tables.cos, tables.sin);
  if (config.window > 0 && config.rotary_local_base > 0) {
    fill(config.rotary_local_base, {}, tables.local_cos, tables.local_sin);
  }
  return tables;
}

}  // namespace

RotaryTables rotary_tables(const ModelConfig& config, Index count, Index length) {
  const RotaryScaling& scaling = config.rotary_scaling;
  if (scaling.kind != RotaryScalingKind::longrope) return tables_of(config, count, length);
  if (count <= scaling.original) return tables_of(config, count, count);
  RotaryTables tables = tables_of(config, scaling.original, scaling.original);
  tables.original = scaling.original;
  tables.longer = std::make_unique<RotaryTables>(tables_of(config, count, count));
  return tables;
}

AttentionOptions layer_attention(const ModelConfig& config, Index layer) {
  AttentionOptions options;
  options.causal = config.causal;
  if (config.has_window(layer)) options.mask = Mask::window(config.window - 1, std::nullopt);
  options.softcap = static_cast<float>(config.score_cap);
  const auto width = static_cast<double>(config.head_width());
  const double squared = config.query_scale > 0 ? config.query_scale : width;
  const double over = config.layer_scale ? static_cast<double>(layer + 1) : 1;
  options.scale = static_cast<float>((config.scaled_scores ? 1 / std::sqrt(squared) : 1) / over);
  return options;
}

BasicLayerWeights<const float> layer_weights(const BasicModelLayerWeights<const float>& weights) {
  return by_layer_names<const float>(weights);
}

BasicLayerWeights<const float> layer_weights(const BasicModelLayerWeights<float>& weights) {
  return by_layer_names<const float>(weights);
}

Layer model_layer(const ModelConfig& config, Index number,
                  const BasicLayerWeights<const float>& weights) {
  Layer layer;
  layer.weights = weights;
  layer.order = NormOrder::pre;
  if (!config.norms_inputs()) layer.order.reset();
  if (config.norms_sums()) layer.order = NormOrder::post;
  layer.branch_norms = config.norms_outputs();
  layer.parallel = config.parallel;
  layer.norm = config.norm;
  layer.residuals = config.residual;
  layer.eps = config.eps;
  layer.gated = config.is_gated();
  layer.activation = config.activation();
  MultiHeadOptions& attention = layer.self_attention;
  attention.heads = config.heads;
  attention.kv_heads = config.kv_heads;
  attention.norm_eps = config.eps;
  if (config.has_rotary(number)) attention.rotary.emplace().width = config.rotary_width;
  attention.attention = layer_attention(config, number);
  return layer;
}

BasicLayerWeights<float> layer_gradients(const BasicModelLayerWeights<float>& d_weights) noexcept {
  return by_layer_names<float>(d_weights);
}

// A layer has three dropout places, which follow that of the embedding.
Layer ModelPass::layer(Index number, const BasicLayerWeights<const float>& weights,
                       const LayerTrace& trace) const {
  Layer layer = model_layer(config, number, weights);
  layer.trace = trace;
  MultiHeadOptions& attention = layer.self_attention;
  if (attention.rotary) {
    const bool local = config.has_window(number) && config.rotary_local_base > 0;
    attention.rotary->cos = local ? rotary.local_cos : rotary.cos;
    attention.rotary->sin = local ? rotary.local_sin : rotary.sin;
  }
  if (dropout_seed && config.dropout > 0) {
    layer.dropout = {.places = {config.dropout, *dropout_seed, first_batch},
                     .self_weights = 3 * number + 1,
                     .self = 3 * number + 2,
                     .feed_forward = 3 * number + 3};
  }
  if (caches.empty()) return layer;
  KeyValueCache& cache = caches[static_cast<std::size_t>(number)];
  attention.past = &cache;
  // Attention has appended the keys of the tokens to the cache.
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
