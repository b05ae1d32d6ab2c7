// Writes a config.json from a model's settings.
#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/model/model_config_json.h>
#include <tril/model/model_config_parts.h>
#include <tril/model/model_settings.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tril {
namespace {

using detail::kActivationNames, detail::kLayerTypeList, detail::kLayerTypes, detail::kMaskedPrefix,
    detail::kOwnPrefix, detail::kTurnedList;

// The rotated share of a head; readers take the integer part of share * D.
double turned_share(const ModelConfig& config) {
  const auto width = static_cast<double>(config.head_width());
  const double share = static_cast<double>(config.turned_width()) / width;
  const bool is_less = static_cast<Index>(share * width) < config.turned_width();
  return is_less ? std::nextafter(share, 1.0) : share;
}

// A number, several in a list, or null.
detail::JsonText tokens_json(const std::vector<std::int32_t>& tokens) {
  if (tokens.empty()) return nullptr;
  if (tokens.size() == 1) return tokens[0];
  detail::JsonWriter list('[');
  for (const std::int32_t each : tokens) list.add(each);
  return std::move(list).end();
}

struct OwnWriter {
  std::map<std::string, detail::JsonText>& texts;

  void operator()(const char* name, const auto& value) const { texts.emplace(name, value); }
  void operator()(const char* name, const auto& value, const auto& names) const {
    texts.emplace(name, name_of(names, value));
  }
  void newer(const char* name, const auto&... each) const { (*this)(name, each...); }
};

// Adds Tril's own entries for settings that the other entries do not express.
void add_own(detail::JsonWriter& json, const ModelConfig& config, ModelConfig said) {
  said.kv_heads = said.kv_head_count() == config.kv_head_count() ? config.kv_heads : said.kv_heads;
  said.hidden = config.hidden;
  said.causal = ModelConfig::of(config.family).causal;  // implied by model_type
  std::map<std::string, detail::JsonText> all, known;
  detail::for_each_model_setting(config, OwnWriter{all});
  detail::for_each_model_setting(said, OwnWriter{known});
  for (const auto& [name, value] : all) {
    if (known.at(name).text != value.text) json.add(kOwnPrefix + name, value);
  }
}

}  // namespace

std::string model_config_json(const ModelConfig& config, ElementType type,
                              const ModelTokens& tokens) {
  const detail::FamilyEntry& entry = detail::family_entry(config.family);
  const ModelConfig published = ModelConfig::of(config.family);
  detail::JsonWriter json('{', 2);
  const auto add = [&](const char* name, const detail::JsonText& value) {
    if (name) json.add(name, value);
  };
  const bool is_causal_as_published = config.causal == published.causal;
  const std::string own =
      std::string(is_causal_as_published ? "" : kMaskedPrefix).append(family_name(config.family));
  json.add("architectures",
           detail::json_list({is_causal_as_published ? entry.architecture : "TrilForMaskedLM"}));
  json.add("model_type", own);
  json.add(entry.layer_count, config.layers);
  json.add(entry.heads, config.heads);
  add(entry.kv_heads, config.kv_head_count());
  if (config.head_dim > 0 || entry.default_head_dim > 0) add(entry.head_dim, config.head_width());
  json.add(entry.width, config.width);
  json.add(entry.hidden, config.hidden_width());
  json.add(entry.context, config.context);
  const bool is_named =
      config.feed_forward != published.feed_forward && config.is_gated() == published.is_gated();
  json.add(entry.activation, is_named ? name_of(kActivationNames, config.activation())
                                      : std::string_view(entry.default_activation));
  json.add(entry.eps, config.eps);
  if (entry.rotary_base) {
    json.add(entry.rotary_base, config.rotary_base);
    add(entry.rotary_local_base,
        config.rotary_local_base > 0 ? config.rotary_local_base : config.rotary_base);
    const double share = turned_share(config);
    if (share != entry.default_rotary_share) add(entry.rotary_share, share);
    detail::add_rotary_scaling(json, config);
  }
  for (const char* name : entry.dropouts) add(name, config.dropout);
  add(entry.token_types, config.token_types);
  add(entry.position_kind, "absolute");
  add(entry.biases, config.biases);
  add(entry.attention_biases, config.has_output_bias());
  add(entry.mlp_biases, config.has_feed_forward_biases());
  add(entry.projection_biases, config.projection_biases);
  add(entry.parallel, config.parallel);
  if (!config.scaled_scores) add(entry.scaled_scores, false);
  if (config.layer_scale) add(entry.layer_scale, true);
  const auto add_or_null = [&](const char* name, auto value) {
    if (value > 0) add(name, value);
    if (value == 0) add(name, nullptr);
  };
  // Where layers may differ, other libraries refuse null, and the list of types is sufficient.
  const bool has_types = entry.window_period;
  add_or_null(entry.window, has_types && config.window == 0 ? config.context : config.window);
  add(entry.query_scale,
      config.query_scale > 0 ? config.query_scale : static_cast<double>(config.head_width()));
  add_or_null(entry.score_cap, config.score_cap);
  add_or_null(entry.logit_cap, config.logit_cap);
  const auto each_layer = [&](const char* name, const auto& says) {
    detail::JsonWriter list('[');
    for (Index n = 0; n < config.layers; ++n) list.add(says(n));
    json.add(name, std::move(list).end());
  };
  if (entry.window_period) {
    each_layer(kLayerTypeList,
               [&](Index n) { return name_of(kLayerTypes, !config.has_window(n)); });
  }
  if (entry.rotary_period) {
    each_layer(kTurnedList,
               [&](Index n) { return ModelConfig::is_nth(n, config.rotary_period) ? 0 : 1; });
  }
  json.add("vocab_size", config.vocabulary);
  json.add("bos_token_id", tokens_json(tokens.begin));
  json.add("eos_token_id", tokens_json(tokens.end));
  json.add("pad_token_id", tokens_json(tokens.pad));
  if (config.has_head) json.add("tie_word_embeddings", config.tied_head);
  json.add("torch_dtype", element_name(type));
  const std::string so_far = detail::JsonWriter(json).end().text;
  add_own(json, config, detail::read_family({"parse_model_config", "file", so_far}, config.family));
  return std::move(json).end().text + "\n";
}

}  // namespace tril
