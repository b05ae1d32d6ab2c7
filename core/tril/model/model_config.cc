#include <tril/foundation/check.h>
#include <tril/model/model_config.h>

#include <cmath>
#include <limits>
#include <string>

namespace tril {
namespace {

// Keeps products of two sizes within an Index, and positions exact as int32.
constexpr Index kLargest = 1 << 24;
// Four times the deepest known model (DeepNet, Wang et al. 2022). It bounds the memory for each
// layer besides its parameters, whatever a file claims.
constexpr Index kMostLayers = 1 << 12;

}  // namespace

Index ModelConfig::hidden_width() const noexcept {
  if (hidden > 0) return hidden;
  return is_gated() ? (8 * width / 3 + 15) / 16 * 16 : 4 * width;
}

bool ModelConfig::is_gated() const noexcept {
  using enum ModelFeedForward;
  return feed_forward != gelu_tanh && feed_forward != gelu && feed_forward != relu;
}

Activation ModelConfig::activation() const noexcept {
  switch (feed_forward) {
    case ModelFeedForward::swiglu:
      return Activation::silu;
    case ModelFeedForward::gelu:
    case ModelFeedForward::geglu:
      return Activation::gelu;
    case ModelFeedForward::relu:
    case ModelFeedForward::reglu:
      return Activation::relu;
    default:
      return Activation::gelu_tanh;
  }
}

ModelConfig with_context(const ModelConfig& config, Index context, const char* call) {
  ModelConfig changed = config;
  if (context == 0) return changed;
  if (context < 1 || context > kLargest) {
    fail(call, "context", {"must be from 1 to ", kLargest, ", is ", context});
  }
  if (config.positions == ModelPositions::learned && context != config.context) {
    fail(call, "context",
         {"must be ", config.context, ", for which positions are learned, is ", context});
  }
  changed.context = context;
  return changed;
}

void check_model_config(const ModelConfig& config, const char* call) {
  const auto in_range = [&](Index value, Index least, const char* name, Index most = kLargest) {
    if (value >= least && value <= most) return;
    fail(call, name, {"must be from ", least, " to ", most, ", is ", value});
  };
  in_range(config.layers, 1, "layers", kMostLayers);
  in_range(config.heads, 1, "heads");
  in_range(config.kv_heads, 0, "kv_heads");
  in_range(config.head_dim, 0, "head_dim");
  in_range(config.width, 1, "width");
  in_range(config.hidden, 0, "hidden");
  in_range(config.context, 1, "context");
  in_range(config.vocabulary, 1, "vocabulary");
  in_range(config.window, 0, "window");
  in_range(config.window_period, 0, "window_period");
  in_range(config.rotary_width, 0, "rotary_width", config.head_width());
  in_range(config.rotary_period, 0, "rotary_period");
  in_range(config.token_types, 0, "token_types");
  if (config.norms_sums() && config.parallel) {
    fail(call, "norm_place", "sum goes with sublayers that follow each other, not with parallel");
  }
  const auto divides = [&](Index part, const char* name, Index whole, const char* of) {
    if (whole % part == 0) return;
    fail(call, name, {part, " does not divide ", of, " ", whole});
  };
  if (config.head_dim == 0) divides(config.heads, "heads", config.width, "width");
  if (config.query_width() > kLargest) {
    fail(call, "head_dim",
         {config.heads, " heads of ", config.head_dim, " are wider than ", kLargest, " together"});
  }
  divides(config.kv_head_count(), "kv_heads", config.heads, "heads");
  if (config.positions == ModelPositions::rotary && config.head_width() % 2 != 0 &&
      config.rotary_width == 0) {
    fail(call, "heads",
         {"rotary positions turn pairs, and a head has ", config.head_width(), " elements"});
  }
  if (config.rotary_width % 2 != 0) {
    fail(call, "rotary_width", {"must be even, is ", config.rotary_width});
  }
  if (config.window > 0 && !config.causal) {
    fail(call, "window", "needs a causal model: it limits the keys before a query");
  }
  const auto finite = [&](double value, const char* name) {
    if (!(value > 0) || !std::isfinite(value)) {
      fail(call, name, {"must be finite and above 0, is ", value});
    }
  };
  finite(config.eps, "eps");
  finite(config.rotary_base, "rotary_base");
  if (config.rotary_local_base != 0) finite(config.rotary_local_base, "rotary_local_base");
  const auto normal_or_0 = [&](double value, const char* name) {
    if (value == 0) return;
    finite(value, name);
    if (value < std::numeric_limits<float>::min() || value > std::numeric_limits<float>::max()) {
      fail(call, name, {"must be a normal float, is ", value});
    }
  };
  normal_or_0(config.query_scale, "query_scale");
  normal_or_0(config.score_cap, "score_cap");
  normal_or_0(config.logit_cap, "logit_cap");
  check_rotary_scaling(config.rotary_scaling, config.turned_width() / 2, call,
                       {"rotary_scaling_factor", "rotary_scaling_original", "rotary_scaling_high",
                        "rotary_scaling_short", "rotary_scaling_long", "rotary_scaling_magnitude"});
  if (!(config.dropout >= 0 && config.dropout < 1)) {
    fail(call, "dropout", {"must be from 0 to below 1, is ", config.dropout});
  }
}

}  // namespace tril
