#include <tril/attention/projections.h>
#include <tril/foundation/check.h>
#include <tril/model/model_trace.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace tril {

ModelLayerTrace detail::trace_shapes(const ModelConfig& config, const MultiHeadWeights& weights,
                                     Index tokens, Index past) noexcept {
  const MatrixView<float> stream(nullptr, {tokens, config.width});
  const MultiHeadSizes sizes = {
      1, tokens, tokens, config.heads, config.kv_head_count(), config.head_width(), false};
  ModelLayerTrace like;
  like.ln1 = like.attn_out = like.resid_mid = like.ln2 = like.mlp_out = like.resid_post = stream;
  like.attention = trace_shapes(sizes, past + tokens, weights);
  like.feed_forward = {{nullptr, {tokens, config.inner_width()}},
                       {nullptr, {tokens, config.hidden_width()}}};
  return like;
}

ModelTrace model_trace(const ModelConfig& config, Index tokens, Index past, SavedMemory& memory,
                       const ModelTraceOptions& options) {
  constexpr const char* kCall = "model_trace";
  check_model_config(config, kCall);
  if (tokens < 1) fail(kCall, "tokens", {"must be at least 1, is ", tokens});
  if (past < 0) fail(kCall, "past", {"must be at least 0, is ", past});
  const Index most = std::numeric_limits<Index>::max() - tokens;
  if (past > most) fail(kCall, "past", {"must be at most ", most, ", is ", past});
  ModelTrace trace;
  trace.embedded = memory.take(tokens, config.width);
  trace.layers.resize(static_cast<std::size_t>(config.layers));
  for (Index n = 0; n < config.layers; ++n) {
    ModelLayerTrace& layer = trace.layers[static_cast<std::size_t>(n)];
    layer = detail::trace_shapes(config, {}, tokens, past);
    MultiHeadTrace& heads = layer.attention;
    if (!config.has_rotary(n)) heads.unrotated_queries = heads.unrotated_keys = {};
    if (!config.query_key_norm) heads.unnormed_queries = heads.unnormed_keys = {};
    if (!options.scores) heads.attention.scores = {};
    heads.attention.capped = heads.attention.masked = {};
    heads.attention.log_sum_exp = heads.average_weights = {};
    ModelLayerTrace::for_each_member(
        [&](const char*, auto& view) {
          if (view.size(0) == 0) return;  // not traced
          view = std::apply([&](auto... sizes) { return memory.take(sizes...); }, view.shape());
        },
        layer);
  }
  trace.ln_final = memory.take(tokens, config.width);
  return trace;
}

void check_interventions(const ModelConfig& config, const Interventions& changes,
                         const char* call) {
  const auto in_range = [&](Index value, Index end, const char* name) {
    if (value >= 0 && value < end) return;
    fail(call, name, {"must be from 0 to below ", end, ", is ", value});
  };
  const auto value = [&](const auto& change, Index width, const char* name) {
    if (change.position < -1)
      fail(call, name, {"position must be at least -1, is ", change.position});
    if (change.value)
      check_shape(change.value, {width}, call, name, "the width of what is replaced");
  };
  for (const Index layer : changes.without_layers) {
    in_range(layer, config.layers, "without_layers");
  }
  const auto is_there = [&](const auto& change, const char* name) {
    in_range(change.layer, config.layers, name);
    const auto& without = changes.without_layers;
    if (!change.value || std::ranges::find(without, change.layer) == without.end()) return;
    fail(call, name, {"has a value, and layer ", change.layer, " is left out"});
  };
  for (const HeadIntervention& each : changes.heads) {
    is_there(each, "heads.layer");
    in_range(each.head, config.heads, "heads.head");
    value(each, config.head_width(), "heads.value");
  }
  for (const SublayerIntervention& each : changes.sublayers) {
    is_there(each, "sublayers.layer");
    value(each, config.width, "sublayers.value");
  }
  for (const ResidualIntervention& each : changes.residual) {
    in_range(each.layers, config.layers + 1, "residual.layers");
    value(each, config.width, "residual.value");
  }
}

}  // namespace tril
