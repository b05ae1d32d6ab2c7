// Keys are those of transformers.GPT2Config, LlamaConfig, Qwen2Config and Qwen3Config, and what is
// not given is as they have it.
#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/model/model_config_json.h>

#include <string>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "parse_model_config";
// In front of the family where tokens see both sides: a type that other libraries refuse, which
// would take the model for one that sees only what came before.
constexpr std::string_view kMasked = "tril-masked-";

// What rope_scaling holds.
detail::JsonText scaling_json(const RotaryScaling& scaling) {
  detail::JsonWriter json('{');
  json.add("rope_type", name_of(kRotaryScalingKinds, scaling.kind));
  json.add("factor", scaling.factor);
  if (scaling.kind == RotaryScalingKind::llama3) {
    json.add("low_freq_factor", scaling.low);
    json.add("high_freq_factor", scaling.high);
  }
  if (scaling.kind != RotaryScalingKind::linear) {
    json.add("original_max_position_embeddings", scaling.original);
  }
  return std::move(json).end();
}

// Throws unless an entry, where it is there, says this.
void expect_text(const detail::JsonObject& file, const char* name, const std::string& expected) {
  const std::string text = file.text(name, expected);
  if (text != expected) fail(kCall, name, {"must be \"", expected, "\", is ", detail::shown(text)});
}
void expect_false(const detail::JsonObject& file, const char* name, const char* why) {
  if (file.boolean(name, false)) fail(kCall, name, why);
}

void read_gpt2(const detail::JsonObject& file, ModelConfig& config) {
  config.layers = file.whole("n_layer");
  config.heads = file.whole("n_head");
  config.width = file.whole("n_embd");
  config.hidden = file.whole("n_inner", 0);
  config.context = file.whole("n_positions");
  config.eps = file.number("layer_norm_epsilon", 1e-5);
  config.dropout = file.number("resid_pdrop", 0.1);
  config.tied_head = file.boolean("tie_word_embeddings", true);
  const std::string activation = file.text("activation_function", "gelu_new");
  if (activation != "gelu_new" && activation != "gelu_pytorch_tanh") {
    fail(kCall, "activation_function", {"must be \"gelu_new\", is ", detail::shown(activation)});
  }
  config.scaled_scores = file.boolean("scale_attn_weights", true);
  expect_false(file, "scale_attn_by_inverse_layer_idx", "must be false");
}

// Newer files have all of it in rope_parameters; what is not there may still be beside them.
void read_rotary(const detail::JsonObject& file, ModelConfig& config) {
  const bool is_new = file.has("rope_parameters");
  const std::string place = is_new ? "rope_parameters" : "rope_scaling";
  const detail::JsonObject rope = file.object(place.c_str());
  const auto number = [&](const char* name, double otherwise) {
    otherwise = file.number(name, otherwise);
    return is_new ? rope.number(name, otherwise) : otherwise;
  };
  config.rotary_base = number("rope_theta", 10000);
  if (number("partial_rotary_factor", 1) != 1) {
    fail(kCall, "partial_rotary_factor", "must be 1: rotary positions turn a whole head");
  }
  const std::string kind = rope.text("rope_type", rope.text("type", "default"));
  if (kind == "default") return;
  RotaryScaling& scaling = config.rotary_scaling;
  scaling.kind = value_named(kRotaryScalingKinds, kind, kCall, place.c_str(), "rope_type");
  scaling.factor = rope.number("factor");
  if (scaling.kind == RotaryScalingKind::dynamic) {
    scaling.original = rope.whole("original_max_position_embeddings", config.context);
  }
  if (scaling.kind == RotaryScalingKind::llama3) {
    scaling.low = rope.number("low_freq_factor");
    scaling.high = rope.number("high_freq_factor");
    scaling.original = rope.whole("original_max_position_embeddings");
  }
  // Here, where they have the names of the file.
  const std::string factor = place + ".factor", high = place + ".high_freq_factor";
  const std::string original = place + ".original_max_position_embeddings";
  check_rotary_scaling(scaling, kCall, {factor.c_str(), original.c_str(), high.c_str()});
}

void read_llama(const detail::JsonObject& file, ModelConfig& config) {
  config.layers = file.whole("num_hidden_layers");
  config.heads = file.whole("num_attention_heads");
  config.kv_heads = file.whole("num_key_value_heads", config.heads);
  config.width = file.whole("hidden_size");
  config.hidden = file.whole("intermediate_size");
  config.context = file.whole("max_position_embeddings");
  config.eps = file.number("rms_norm_eps", 1e-6);
  config.dropout = file.number("attention_dropout", 0);
  config.tied_head = file.boolean("tie_word_embeddings", false);
  read_rotary(file, config);
  expect_text(file, "hidden_act", "silu");
  const Index heads = std::max<Index>(1, config.heads), even_width = config.width / heads;
  const bool is_qwen3 = config.family == ModelFamily::qwen3;
  const Index own_width = file.whole("head_dim", is_qwen3 ? 128 : even_width);
  // Not by a product, which numbers of a file could take beyond an Index.
  const bool is_even = config.width % heads == 0 && own_width == even_width;
  if (is_qwen3 && !is_even) config.head_dim = own_width;
  if (config.heads < 1 || !(is_qwen3 || is_even)) {
    fail(
        kCall, "head_dim",
        {config.heads, " heads of ", own_width, " are not as wide as hidden_size, ", config.width});
  }
  if (config.family != ModelFamily::llama) {
    expect_false(file, "use_sliding_window", "must be false: every token sees all before it");
    if (is_qwen3) expect_false(file, "attention_bias", "must be false");
    return;
  }
  config.biases = file.boolean("attention_bias", false);
  if (file.boolean("mlp_bias", false) != config.biases) {
    fail(kCall, "mlp_bias", "must be as attention_bias");
  }
}

std::vector<std::int32_t> tokens_named(const detail::JsonObject& file, const char* name,
                                       Index vocabulary) {
  const std::vector<Index> ids = file.numbers_below(name, vocabulary);
  return {ids.begin(), ids.end()};
}

// A number, several in a list, or null.
detail::JsonText tokens_json(const std::vector<std::int32_t>& tokens) {
  if (tokens.empty()) return nullptr;
  if (tokens.size() == 1) return tokens[0];
  detail::JsonWriter list('[');
  for (const std::int32_t each : tokens) list.add(each);
  return std::move(list).end();
}

// What files of our own say besides.
void read_own(const detail::JsonObject& file, ModelConfig& config) {
  const auto flag = [&](const char* name, bool& setting) { setting = file.boolean(name, setting); };
  flag("tril_biases", config.biases);
  flag("tril_projection_biases", config.projection_biases);
  flag("tril_query_key_norm", config.query_key_norm);
  flag("tril_causal", config.causal);
  flag("tril_scaled_scores", config.scaled_scores);
  flag("tril_residual", config.residual);
  const auto named = [&](const char* name, auto& setting, const auto& names) {
    setting =
        value_named(names, file.text(name, std::string(name_of(names, setting))), kCall, name);
  };
  named("tril_norm", config.norm, kModelNorms);
  named("tril_positions", config.positions, kModelPositions);
  named("tril_feed_forward", config.feed_forward, kModelFeedForwards);
  config.head_dim = file.whole("tril_head_dim", config.head_dim);
}

}  // namespace

PretrainedConfig parse_model_config(std::string_view text) {
  const detail::JsonObject file(kCall, "file", text);
  const std::string type = file.text("model_type");
  const bool is_masked = type.starts_with(kMasked);
  const ModelFamily family = value_named(
      kModelFamilies, type.substr(is_masked ? kMasked.size() : 0), kCall, "model_type", "family");
  PretrainedConfig result{ModelConfig::of(family), {}};
  ModelConfig& config = result.config;
  config.causal = !is_masked;
  config.vocabulary = file.whole("vocab_size");
  if (family == ModelFamily::gpt2) {
    read_gpt2(file, config);
  } else {
    read_llama(file, config);
  }
  read_own(file, config);
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

std::string model_config_json(const ModelConfig& config, ElementType type,
                              const ModelTokens& tokens) {
  detail::JsonWriter json('{', 2);
  const auto kind = [&](const char* usual) {
    std::string own(config.causal ? std::string_view() : kMasked);
    own += name_of(kModelFamilies, config.family);
    json.add("architectures", detail::json_list({config.causal ? usual : "TrilForMaskedLM"}));
    json.add("model_type", own);
  };
  if (config.family == ModelFamily::gpt2) {
    kind("GPT2LMHeadModel");
    json.add("n_layer", config.layers);
    json.add("n_head", config.heads);
    json.add("n_embd", config.width);
    json.add("n_inner", config.hidden_width());
    json.add("n_positions", config.context);
    json.add("activation_function", "gelu_new");
    json.add("layer_norm_epsilon", config.eps);
    for (const char* name : {"embd_pdrop", "resid_pdrop", "attn_pdrop"}) {
      json.add(name, config.dropout);
    }
  } else {
    const bool is_llama = config.family == ModelFamily::llama;
    const bool is_qwen3 = config.family == ModelFamily::qwen3;
    kind(is_llama ? "LlamaForCausalLM" : is_qwen3 ? "Qwen3ForCausalLM" : "Qwen2ForCausalLM");
    json.add("num_hidden_layers", config.layers);
    json.add("num_attention_heads", config.heads);
    json.add("num_key_value_heads", config.kv_head_count());
    if (is_qwen3) json.add("head_dim", config.head_width());
    json.add("hidden_size", config.width);
    json.add("intermediate_size", config.hidden_width());
    json.add("max_position_embeddings", config.context);
    json.add("hidden_act", "silu");
    json.add("rms_norm_eps", config.eps);
    json.add("rope_theta", config.rotary_base);
    if (config.rotary_scaling.kind != RotaryScalingKind::none) {
      json.add("rope_scaling", scaling_json(config.rotary_scaling));
    }
    json.add("attention_dropout", config.dropout);
    if (is_llama) {
      json.add("attention_bias", config.biases);
      json.add("mlp_bias", config.biases);
    }
  }
  json.add("vocab_size", config.vocabulary);
  json.add("bos_token_id", tokens_json(tokens.begin));
  json.add("eos_token_id", tokens_json(tokens.end));
  if (!tokens.pad.empty()) json.add("pad_token_id", tokens_json(tokens.pad));
  json.add("tie_word_embeddings", config.tied_head);
  json.add("torch_dtype", element_name(type));
  const ModelConfig usual = ModelConfig::of(config.family);
  if (config.biases != usual.biases) json.add("tril_biases", config.biases);
  if (config.projection_biases != usual.projection_biases) {
    json.add("tril_projection_biases", config.projection_biases);
  }
  if (config.query_key_norm != usual.query_key_norm) {
    json.add("tril_query_key_norm", config.query_key_norm);
  }
  if (config.head_dim > 0 && config.family != ModelFamily::qwen3) {
    json.add("tril_head_dim", config.head_dim);
  }
  if (!config.causal) json.add("tril_causal", false);
  if (!config.scaled_scores) {
    const bool is_gpt2 = config.family == ModelFamily::gpt2;
    json.add(is_gpt2 ? "scale_attn_weights" : "tril_scaled_scores", false);
  }
  if (!config.residual) json.add("tril_residual", false);
  const auto named = [&](const char* name, auto setting, auto as_usual, const auto& names) {
    if (setting != as_usual) json.add(name, name_of(names, setting));
  };
  named("tril_norm", config.norm, usual.norm, kModelNorms);
  named("tril_positions", config.positions, usual.positions, kModelPositions);
  named("tril_feed_forward", config.feed_forward, usual.feed_forward, kModelFeedForwards);
  return std::move(json).end().text + "\n";
}

}  // namespace tril
