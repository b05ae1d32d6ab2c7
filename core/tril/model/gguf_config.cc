// Keys and defaults are those of llama.cpp: gguf-py/gguf/constants.py (Keys), src/llama-model.cpp
// (load_hparams); the changes of its converters are in conversion/*.py.
#include <tril/files/json_writer.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/check.h>
#include <tril/model/gguf_config.h>
#include <tril/model/model_family.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tril {
namespace {

constexpr const char* kCall = "parse_gguf";
constexpr const char* kArchitecture = "general.architecture";

constexpr Named<ModelFamily> kArchitectures[] = {
    {"gpt2", ModelFamily::gpt2},          {"llama", ModelFamily::llama},
    {"qwen2", ModelFamily::qwen2},        {"qwen3", ModelFamily::qwen3},
    {"olmo2", ModelFamily::olmo2},        {"gptneox", ModelFamily::gpt_neox},
    {"phi3", ModelFamily::phi3},          {"gemma2", ModelFamily::gemma2},
    {"gemma3", ModelFamily::gemma3_text}, {"starcoder2", ModelFamily::starcoder2},
    {"stablelm", ModelFamily::stablelm},  {"smollm3", ModelFamily::smollm3},
    {"bert", ModelFamily::bert}};

// A config.json being written from the keys of one architecture.
struct Translation {
  const Gguf& file;
  std::string prefix;  // "llama."
  detail::JsonWriter json{'{'};

  std::string at(const char* key) const { return prefix + key; }
  // Adds an entry with the family's name for it, if it has one.
  void add(const char* name, const detail::JsonText& value) {
    if (name) json.add(name, value);
  }
  // Adds the number of a key, if it exists.
  void add_number(const char* name, const char* key) {
    if (file.has(at(key))) add(name, file.number(at(key)));
  }
};

// The rotated elements of a head, as a share that is read back as the same number.
double share_of(Index turned, Index width) {
  if (turned == width) return 1;
  return (static_cast<double>(turned) + 0.5) / static_cast<double>(width);
}

void add_rotary(Translation& to, const detail::FamilyEntry& entry, Index head_width) {
  const Gguf& file = to.file;
  to.add(entry.rotary_base, file.number(to.at("rope.freq_base"), 10000));
  to.add(entry.rotary_local_base, file.number(to.at("rope.freq_base_swa"), 10000));
  const std::string turned = to.at("rope.dimension_count");
  const Index width = file.integer(turned, head_width);
  const bool fits = entry.is_interleaved ? width == head_width : width <= head_width;
  if (!fits) {
    fail(kCall, turned.c_str(), {"must be ", head_width, ", the width of a head, is ", width});
  }
  to.add(entry.rotary_share, share_of(width, head_width));
  // The factors themselves are tensors (conversion/phi.py, generate_extra_tensors).
  if (file.find("rope_factors_long.weight")) {
    const Index original = file.integer(to.at("rope.scaling.original_context_length"));
    to.json.add("tril_rotary_scaling_original", original);
    to.json.add("tril_rotary_scaling_magnitude", file.number(to.at("rope.scaling.attn_factor"), 1));
    return;
  }
  const std::string_view kind = file.text(to.at("rope.scaling.type"), "linear");
  const double factor =
      file.number(to.at("rope.scaling.factor"), file.number(to.at("rope.scale_linear"), 1));
  if (kind == "none" || (kind == "linear" && factor == 1)) return;
  to.json.add("rope_scaling", detail::json_object({{"rope_type", kind}, {"factor", factor}}));
}

void add_windows(Translation& to, ModelFamily family, const detail::FamilyEntry& entry) {
  constexpr const char* kWindow = "attention.sliding_window";
  const std::string key = to.at(kWindow);
  const Index window = to.file.integer(key, 0);
  if (window > 0 && !entry.window) fail(kCall, key.c_str(), {"must be 0, is ", window});
  // Gemma 2 has a window where the file says nothing (src/models/gemma2.cpp, load_arch_hparams).
  const bool is_missing = family == ModelFamily::gemma2 && !to.file.has(key);
  if (!is_missing) to.add(entry.window, window > 0 ? detail::JsonText(window) : nullptr);
  to.add_number(entry.window_period, "attention.sliding_window_pattern");
}

// The number of token types. DistilBERT's files name one type, but have none.
Index token_types_of(const Gguf& file, const char* tensor) {
  const StoredTensor* const types = file.find(tensor);
  if (!types) return 0;
  const Index rows = types->shape.size() < 2 ? 1 : types->shape[0];
  return file.integer("tokenizer.ggml.token_type_count", rows);
}

// A list of the tokens of existing keys, without repetitions.
detail::JsonText tokens_of(const Gguf& file, std::initializer_list<const char*> keys) {
  detail::JsonWriter list('[');
  double last = -1;
  for (const char* key : keys) {
    if (!file.has(key) || file.number(key) == last) continue;
    list.add(last = file.number(key));
  }
  return std::move(list).end();
}

}  // namespace

PretrainedConfig parse_gguf_config(const Gguf& file) {
  const std::string architecture(file.text(kArchitecture));
  ModelFamily family =
      value_named(kArchitectures, architecture, kCall, kArchitecture, "architecture");
  Translation to{file, architecture + "."};
  const auto integer = [&](const char* key) { return file.integer(to.at(key)); };
  if (const Index parts = file.integer("split.count", 1); parts > 1) {
    fail(kCall, "split.count",
         {"must be 1, is ", parts, ": join the parts by `llama-gguf-split --merge`"});
  }
  const bool causal = ModelConfig::of(family).causal;
  if (const std::string key = to.at("attention.causal"); file.boolean(key, causal) != causal) {
    fail(kCall, key.c_str(), {"must be ", causal ? "true" : "false"});
  }
  // Mistral has Llama's architecture and a window.
  if (family == ModelFamily::llama && file.integer(to.at("attention.sliding_window"), 0) > 0) {
    family = ModelFamily::mistral;
  }
  const detail::FamilyEntry entry = detail::entry_of(family, ParameterNames::of_gguf);
  const bool has_rms = ModelConfig::of(family).norm == ModelNorm::rms_norm;
  const Index layers = integer("block_count"), heads = integer("attention.head_count");
  const Index width = integer("embedding_length");
  if (heads < 1) fail(kCall, to.at("attention.head_count").c_str(), "must be at least 1, is 0");
  const Index head_width = file.integer(to.at("attention.key_length"), width / heads);
  if (const std::string key = to.at("attention.value_length");
      file.integer(key, head_width) != head_width) {
    fail(kCall, key.c_str(), {"must be ", head_width, ", as that of keys"});
  }
  const StoredTensor* const embedding = file.find(entry.embedding);
  if (!embedding || embedding->shape.size() != 2) {
    fail(kCall, entry.embedding, embedding ? "must have two axes" : "is missing");
  }
  to.json.add("model_type", family_name(family));
  to.json.add(entry.layer_count, layers);
  to.json.add(entry.heads, heads);
  to.add(entry.kv_heads, file.integer(to.at("attention.head_count_kv"), heads));
  to.add(entry.head_dim, head_width);
  to.json.add(entry.width, width);
  to.json.add(entry.hidden, integer("feed_forward_length"));
  to.json.add(entry.context, integer("context_length"));
  to.json.add("vocab_size", embedding->shape[0]);
  to.json.add(entry.eps, file.number(to.at(has_rms ? "attention.layer_norm_rms_epsilon"
                                                   : "attention.layer_norm_epsilon")));
  if (entry.rotary_base) add_rotary(to, entry, head_width);
  if (entry.token_types)
    to.json.add(entry.token_types, token_types_of(file, entry.token_type_embedding));
  add_windows(to, family, entry);
  // Only the largest Gemmas scale by the width of all heads (src/models/gemma2.cpp, gemma3.cpp).
  const bool is_largest = layers == (family == ModelFamily::gemma2 ? 46 : 62);
  to.add(entry.query_scale, is_largest ? width / heads : head_width);
  to.add_number(entry.score_cap, "attn_logit_softcapping");
  to.add_number(entry.logit_cap, "final_logit_softcapping");
  if (const std::string key = to.at("use_parallel_residual"); file.has(key)) {
    to.json.add("use_parallel_residual", file.boolean(key));
  }
  // The tensors of the file decide the other settings.
  const auto has = [&](const char* tensor) { return file.find(tensor) != nullptr; };
  to.add(entry.biases, has("blk.0.attn_output.bias"));
  to.add(entry.attention_biases, has("blk.0.attn_output.bias"));
  to.add(entry.mlp_biases, has("blk.0.ffn_up.bias"));
  to.add(entry.projection_biases, has("blk.0.attn_q.bias"));
  to.json.add("tie_word_embeddings", !has(entry.head));
  to.json.add("bos_token_id", tokens_of(file, {"tokenizer.ggml.bos_token_id"}));
  to.json.add("eos_token_id",
              tokens_of(file, {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}));
  to.json.add("pad_token_id", tokens_of(file, {"tokenizer.ggml.padding_token_id"}));
  return parse_model_config(std::move(to.json).end().text);
}

// conversion/llama.py, generate_extra_tensors: a pair that turns `turns` times within the original
// length has 1 / ((1 - share) / factor + share), share = (turns - low) / (high - low) within 0..1.
std::optional<RotaryScaling> rotary_scaling_of(double base, std::span<const float> factors) {
  const Index pairs = std::ssize(factors);
  RotaryScaling scaling{.kind = RotaryScalingKind::llama3, .original = 8192};
  for (const float each : factors) {
    if (!(each >= 1 && each < 0x1p30f)) return {};
    scaling.factor = std::max(scaling.factor, static_cast<double>(each));
  }
  // Radians by which each pair rotates from one position to the next.
  const auto speeds = [&](const RotaryScaling& by) {
    constexpr std::int32_t kFirst = 1;
    Buffer<float, 2> cos({1, pairs}), sin({1, pairs});
    rotary_angles({&kFirst, {1}}, base, by, cos, sin);
    std::vector<double> each;
    for (Index i = 0; i < pairs; ++i) {
      each.push_back(
          std::atan2(static_cast<double>(sin.data()[i]), static_cast<double>(cos.data()[i])));
    }
    return each;
  };
  const std::vector<double> plain = speeds({});
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const double inverse = 1 / static_cast<double>(factors[i]), least = 1 / scaling.factor;
    if (inverse == 1 || inverse == least) continue;
    const double share = (inverse - least) / (1 - least);
    const double turns = share * (scaling.high - scaling.low) + scaling.low;
    constexpr double kTurn = 6.283185307179586;
    scaling.original =
        static_cast<Index>(std::fmin(std::fmax(std::round(turns * kTurn / plain[i]), 1), 0x1p30));
    break;
  }
  const std::vector<double> scaled = speeds(scaling);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto given = static_cast<double>(factors[i]);
    if (!(std::fabs(plain[i] / scaled[i] - given) <= 1e-3 * given)) return {};
  }
  return scaling;
}

}  // namespace tril
