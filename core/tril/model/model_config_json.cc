// Keys and their defaults are those of the family's entry (model_family.h).
#include <tril/files/json_value.h>
#include <tril/foundation/check.h>
#include <tril/model/model_config_json.h>
#include <tril/model/model_config_parts.h>
#include <tril/model/model_family.h>
#include <tril/model/model_settings.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace tril {
namespace {

using detail::kActivationNames, detail::kLayerTypeList, detail::kLayerTypes, detail::kMaskedPrefix,
    detail::kOwnPrefix, detail::kTurnedList;

constexpr const char* kCall = "parse_model_config";

void read_activation(const detail::JsonObject& file, const detail::FamilyEntry& entry,
                     ModelConfig& config) {
  const std::string name = file.text(entry.activation, entry.default_activation);
  const Activation wanted =
      value_named(kActivationNames, name, kCall, entry.activation, "activation");
  const bool is_gated = config.is_gated();
  for (const auto& each : kModelFeedForwards) {
    config.feed_forward = each.value;
    if (config.activation() == wanted && config.is_gated() == is_gated) return;
  }
  fail(kCall, entry.activation, {detail::shown(name), " needs a gate, which this family has not"});
}

// The period n of a list that differs at layers n, 2 n, ... (from 1); 0 where it never differs.
Index read_period(const char* name, const std::vector<bool>& differs) {
  const Index first = std::ranges::find(differs, true) - differs.begin();
  const Index period = first < std::ssize(differs) ? first + 1 : 0;
  for (std::size_t n = 0; n < differs.size(); ++n) {
    if (differs[n] == ModelConfig::is_nth(static_cast<Index>(n), period)) continue;
    fail(kCall, name, {"must differ at every nth layer alone; layer ", n, " breaks the pattern"});
  }
  return period;
}

// Reads the lists of newer files that tell which layers have a window, and which rotate queries and
// keys.
void read_periods(const detail::JsonObject& file, const detail::FamilyEntry& entry,
                  ModelConfig& config) {
  const auto layers = static_cast<std::size_t>(config.layers);
  // The period of the layers that differ in a list.
  const auto differ = [&](const char* name, const auto& list, const auto& differs) {
    if (list.size() < layers) {
      fail(kCall, name,
           {"must have an entry for each of ", config.layers, " layers, has ", std::ssize(list)});
    }
    std::vector<bool> each(layers);
    for (std::size_t n = 0; n < layers; ++n) each[n] = differs(list[n]);
    return read_period(name, each);
  };
  if (entry.window_period) {
    config.window_period = file.integer(entry.window_period, config.window_period);
    if (const auto types = file.list_of_texts(kLayerTypeList); !types.empty()) {
      config.window_period = differ(kLayerTypeList, types, [](const std::string& type) {
        return value_named(kLayerTypes, type, kCall, kLayerTypeList, "layer type");
      });
    }
  }
  if (entry.rotary_period) {
    config.rotary_period = file.integer(entry.rotary_period, config.rotary_period);
    const auto turned = file.numbers_below(kTurnedList, std::numeric_limits<Index>::max());
    if (!turned.empty()) {
      config.rotary_period = differ(kTurnedList, turned, [](Index turns) {
        if (turns > 1) fail(kCall, kTurnedList, {"must be 0 or 1, is ", turns});
        return turns == 0;
      });
    }
  }
}

void read_sizes(const detail::JsonObject& file, const detail::FamilyEntry& entry,
                ModelConfig& config) {
  const auto size = [&](const char* name, Index otherwise) {
    return otherwise > 0 ? file.integer(name, otherwise) : file.integer(name);
  };
  config.layers = file.integer(entry.layer_count);
  config.heads = size(entry.heads, entry.default_heads);
  if (config.heads < 1) fail(kCall, entry.heads, "must be at least 1, is 0");
  config.width = file.integer(entry.width);
  config.hidden = entry.needs_hidden ? file.integer(entry.hidden) : file.integer(entry.hidden, 0);
  config.context = file.integer(entry.context, entry.default_context);
  config.vocabulary = size("vocab_size", entry.default_vocabulary);
  if (entry.kv_heads) {
    const bool as_many = entry.default_kv_heads == 0 || file.is_null(entry.kv_heads);
    config.kv_heads = file.integer(entry.kv_heads, as_many ? config.heads : entry.default_kv_heads);
  }
  if (!entry.head_dim) return;
  const Index even_width = config.width / config.heads;
  const Index own_width = file.integer(
      entry.head_dim, entry.default_head_dim > 0 ? entry.default_head_dim : even_width);
  if (config.width % config.heads != 0 || own_width != even_width) config.head_dim = own_width;
}

std::vector<std::int32_t> tokens_named(const detail::JsonObject& file, const char* name,
                                       Index vocabulary) {
  const std::vector<Index> ids = file.numbers_below(name, vocabulary);
  return {ids.begin(), ids.end()};
}

struct OwnReader {
  const detail::JsonObject& file;

  template <typename T, typename... Names>
  void operator()(const char* setting, T& value, const Names&... names) const {
    const std::string own = std::string(kOwnPrefix) + setting;
    const char* const name = own.c_str();
    if (!file.has(name)) return;
    if constexpr (sizeof...(names) > 0) {
      value = value_named(names..., file.text(name), kCall, name);
    } else if constexpr (std::is_same_v<T, bool>) {
      value = file.boolean(name);
    } else if constexpr (std::is_floating_point_v<T>) {
      value = file.number(name);
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      value = file.list_of_numbers(name);
    } else {
      value = file.integer(name);
    }
  }
  void newer(const char* name, auto&... each) const { (*this)(name, each...); }
};

}  // namespace

ModelConfig detail::read_family(const detail::JsonObject& file, ModelFamily family) {
  const detail::FamilyEntry& entry = detail::family_entry(family);
  ModelConfig config = ModelConfig::of(family);
  const auto flag = [&](const char* name, bool& setting) {
    if (name) setting = file.boolean(name, setting);
  };
  read_sizes(file, entry, config);
  config.eps = file.number(entry.eps, entry.default_eps);
  config.dropout = file.number(entry.dropouts[0], entry.default_dropout);
  if (config.has_head) flag("tie_word_embeddings", config.tied_head);
  if (entry.token_types) config.token_types = file.integer(entry.token_types, config.token_types);
  if (entry.position_kind && file.text(entry.position_kind, "absolute") != "absolute") {
    fail(kCall, entry.position_kind, "must be \"absolute\": others are not read");
  }
  if (config.positions == ModelPositions::rotary) detail::read_rotary(kCall, file, entry, config);
  read_activation(file, entry, config);
  flag(entry.scaled_scores, config.scaled_scores);
  flag(entry.layer_scale, config.layer_scale);
  flag(entry.parallel, config.parallel);
  flag(entry.projection_biases, config.projection_biases);
  flag(entry.biases, config.biases);
  flag(entry.attention_biases, config.attention_biases);
  flag(entry.mlp_biases, config.feed_forward_biases);
  if (config.attention_biases && config.feed_forward_biases) {
    config.attention_biases = config.feed_forward_biases = false;
    config.biases = true;
  }
  const bool has = config.has_projection_biases();
  if (!entry.biases && !entry.attention_biases && file.boolean("attention_bias", has) != has) {
    fail(kCall, "attention_bias", {"must be ", has ? "true" : "false"});
  }
  if (entry.window) {
    config.window = file.is_null(entry.window) ? 0 : file.integer(entry.window, config.window);
  }
  const auto number = [&](const char* name, double& setting) {
    if (name) setting = file.is_null(name) ? 0 : file.number(name, setting);
  };
  number(entry.query_scale, config.query_scale);
  number(entry.score_cap, config.score_cap);
  number(entry.logit_cap, config.logit_cap);
  read_periods(file, entry, config);
  for (const auto& [name, why] : entry.must_be_false) {
    if (name && file.boolean(name, false)) fail(kCall, name, why);
  }
  return config;
}

PretrainedConfig parse_model_config(std::string_view text) {
  const detail::JsonObject file(kCall, "file", text);
  const std::string type = file.text("model_type");
  const bool is_masked = type.starts_with(kMaskedPrefix);
  const ModelFamily family = is_masked
                                 ? value_named(kModelFamilies, type.substr(kMaskedPrefix.size()),
                                               kCall, "model_type", "family")
                                 : detail::family_named(type, kCall);
  const char* const whole = detail::family_entry(family).whole;
  const bool is_part = whole && type == whole;
  PretrainedConfig result{detail::read_family(is_part ? file.object("text_config") : file, family),
                          {}};
  ModelConfig& config = result.config;
  if (is_masked) config.causal = false;
  detail::for_each_model_setting(config, OwnReader{file});
  if (!config.has_head && (config.causal || !config.norms_sums())) {
    fail(kCall, "model_type", {"tril_causal and tril_norm_place cannot be said of a ", type});
  }
  if (is_masked && config.causal) fail(kCall, "tril_causal", {"must be false in a ", type});
  check_model_config(config, kCall);
  result.tokens = {tokens_named(file, "bos_token_id", config.vocabulary),
                   tokens_named(file, "eos_token_id", config.vocabulary),
                   tokens_named(file, "pad_token_id", config.vocabulary)};
  return result;
}

std::optional<std::vector<std::int32_t>> parse_generation_config(std::string_view text,
                                                                 Index vocabulary) {
  const detail::JsonObject file("parse_generation_config", "file", text);
  constexpr const char* kName = "eos_token_id";
  if (!file.has(kName)) return std::nullopt;
  return tokens_named(file, kName, vocabulary);
}

}  // namespace tril
