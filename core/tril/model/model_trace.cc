#include <tril/foundation/check.h>
#include <tril/model/model_trace.h>

#include <algorithm>
#include <limits>

namespace tril {

ModelTrace model_trace(const ModelConfig& config, Index tokens, Index past, SavedMemory& memory,
                       const ModelTraceOptions& options) {
  constexpr const char* kCall = "model_trace";
  check_model_config(config, kCall);
  if (tokens < 1) fail(kCall, "tokens", {"must be at least 1, is ", tokens});
  if (past < 0) fail(kCall, "past", {"must be at least 0, is ", past});
  const Index most = std::numeric_limits<Index>::max() - tokens;
  if (past > most) fail(kCall, "past", {"must be at most ", most, ", is ", past});
  const Index C = config.width, F = config.hidden_width(), D = config.head_width();
  const Index H = config.heads, Hk = config.kv_head_count(), one = 1;
  ModelTrace trace;
  trace.embedded = memory.take(tokens, C);
  trace.layers.resize(static_cast<std::size_t>(config.layers));
  for (Index n = 0; n < config.layers; ++n) {
    ModelLayerTrace& layer = trace.layers[static_cast<std::size_t>(n)];
    layer.ln1 = memory.take(tokens, C);
    if (config.has_rotary(n)) {
      layer.attention.unrotated_queries = memory.take(one, H, tokens, D);
      layer.attention.unrotated_keys = memory.take(one, Hk, tokens, D);
    }
    if (config.query_key_norm) {
      layer.attention.unnormed_queries = memory.take(one, H, tokens, D);
      layer.attention.unnormed_keys = memory.take(one, Hk, tokens, D);
    }
    layer.attention.queries = memory.take(one, H, tokens, D);
    layer.attention.keys = memory.take(one, Hk, tokens, D);
    layer.attention.values = memory.take(one, Hk, tokens, D);
    if (options.scores) {
      layer.attention.attention.scores = memory.take(one, H, tokens, past + tokens);
    }
    layer.attention.attention.weights = memory.take(one, H, tokens, past + tokens);
    layer.attention.heads = memory.take(one, H, tokens, D);
    layer.attn_out = memory.take(tokens, C);
    layer.resid_mid = memory.take(tokens, C);
    layer.ln2 = memory.take(tokens, C);
    layer.feed_forward.hidden = memory.take(tokens, config.inner_width());
    layer.feed_forward.activated = memory.take(tokens, F);
    layer.mlp_out = memory.take(tokens, C);
    layer.resid_post = memory.take(tokens, C);
  }
  trace.ln_final = memory.take(tokens, C);
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
