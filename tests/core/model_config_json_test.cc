// Settings read back from written files, and those of unsupported models.
#include <gtest/gtest.h>
#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/model/model_config_json.h>
#include <tril/model/model_family.h>

#include <limits>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden_models.h"

namespace tril {
namespace {

using testing::changed;
using testing::error_of;

TEST(ModelConfigJson, NumbersOfAListAreReadWhole) {
  using Numbers = std::vector<double>;
  EXPECT_EQ(detail::json_numbers("[]"), Numbers());
  EXPECT_EQ(detail::json_numbers("[ \n]"), Numbers());
  EXPECT_EQ(detail::json_numbers("[1, -2.5,\t3e2 ]"), (Numbers{1, -2.5, 300}));
  const Numbers odd = {0.1, 1e-300, -0x1p-1074, 12345678901234567.0};
  EXPECT_EQ(detail::json_numbers(detail::JsonText(odd).text), odd);
  for (const char* wrong : {"", "[", "]", "1", "[1", "[1,]", "[,1]", "[1 2]", "[[1]]", "[null]"}) {
    EXPECT_FALSE(detail::json_numbers(wrong)) << wrong;
  }
}

TEST(ModelConfigJson, IsReadAsItWasWritten) {
  std::vector<ModelConfig> configs;
  for (const auto& family : kModelFamilies) configs.push_back(ModelConfig::of(family.value));
  ModelConfig odd = ModelConfig::of(ModelFamily::gpt2);
  odd.biases = odd.causal = odd.tied_head = false;
  odd.norm = ModelNorm::rms_norm;
  configs.push_back(odd);
  odd.norm = ModelNorm::none, odd.positions = ModelPositions::none;
  odd.scaled_scores = odd.residual = false;
  configs.push_back(odd);
  odd = ModelConfig::of(ModelFamily::llama);
  odd.scaled_scores = odd.residual = false;
  odd.kv_heads = 2, odd.projection_biases = true, odd.rotary_base = 5e5, odd.eps = 1e-6;
  odd.positions = ModelPositions::learned, odd.feed_forward = ModelFeedForward::gelu_tanh;
  configs.push_back(odd);
  odd = ModelConfig::of(ModelFamily::gpt2);
  odd.head_dim = 48, odd.query_key_norm = true;
  odd.feed_forward = ModelFeedForward::relu, odd.layer_scale = true;
  configs.push_back(odd);
  odd = ModelConfig::of(ModelFamily::qwen3);
  odd.head_dim = 48, odd.query_key_norm = false;
  configs.push_back(odd);
  for (const ModelFamily family : {ModelFamily::llama, ModelFamily::gpt2, ModelFamily::smollm3}) {
    odd = ModelConfig::of(family);
    odd.biases = false, odd.attention_biases = true, odd.layer_scale = true;
    odd.feed_forward = ModelFeedForward::reglu;
    configs.push_back(odd);
    odd.feed_forward_biases = true;
    configs.push_back(odd);
    odd.attention_biases = false;
    configs.push_back(odd);
  }
  // Settings of one family under another's name.
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama, ModelFamily::gpt_neox}) {
    odd = ModelConfig::of(family);
    odd.norm = ModelNorm::layer_norm, odd.biases = false, odd.norm_biases = true;
    odd.norm_place = ModelNormPlace::around, odd.parallel = true;
    odd.query_key_norm = odd.joint_heads_norm = odd.scaled_embedding = true;
    odd.window = 9, odd.window_period = 3, odd.positions = ModelPositions::rotary;
    odd.rotary_width = 6, odd.rotary_period = 2, odd.rotary_local_base = 50;
    odd.query_scale = 7, odd.score_cap = 20, odd.logit_cap = 30;
    odd.feed_forward = ModelFeedForward::geglu_tanh;
    configs.push_back(odd);
  }
  odd = ModelConfig::of(ModelFamily::llama);
  odd.biases = true;
  for (const RotaryScaling& scaling :
       {RotaryScaling{.kind = RotaryScalingKind::linear, .factor = 1.5},
        RotaryScaling{.kind = RotaryScalingKind::dynamic, .factor = 4, .original = 32},
        RotaryScaling{
            .kind = RotaryScalingKind::llama3, .factor = 8, .original = 99, .low = 2, .high = 3},
        RotaryScaling{.kind = RotaryScalingKind::longrope,
        .original = 32,
        .short_factors = std::vector<double>(16, 1.1),
        .long_factors = std::vector<double>(16, 3),
        .magnitude = 1.5}}) {
    odd.rotary_scaling = scaling;
    configs.push_back(odd);
  }
  for (ModelConfig& config : configs) {
    config.vocabulary = 77;
    config.kv_heads = config.kv_head_count(), config.hidden = config.hidden_width();
    const bool has_kv_heads = detail::family_entry(config.family).kv_heads;
    if (!has_kv_heads) config.kv_heads = 0;
    const std::string text = model_config_json(config);
    const PretrainedConfig read = parse_model_config(text);
    EXPECT_TRUE(read.config == config) << text;
    EXPECT_EQ(model_config_json(read.config), text);
    const std::string half = model_config_json(config, ElementType::float16);
    EXPECT_NE(half.find("\"torch_dtype\": \"float16\""), std::string::npos);
    EXPECT_TRUE(parse_model_config(half).config == config);
    EXPECT_EQ(read.tokens, ModelTokens{});
  }
}

// The settings for which 0 or a missing field means something else in other libraries.
TEST(ModelConfigJson, SaysInTheFamilysTermsWhatIs0Here) {
  const auto says = [](const ModelConfig& config, const std::string& what) {
    const std::string text = model_config_json(config);
    EXPECT_NE(text.find(what), text.npos) << text;
    EXPECT_TRUE(parse_model_config(text).config == config) << text;
  };
  const auto small = [](ModelFamily family) {
    ModelConfig config = ModelConfig::of(family);
    config.vocabulary = 77, config.layers = 3;
    config.kv_heads = config.heads, config.hidden = config.hidden_width();
    return config;
  };
  for (const auto& [name, family] : kModelFamilies) {
    ModelConfig config = small(family);
    if (!detail::family_entry(family).kv_heads) config.kv_heads = 0;
    says(config, "\n  \"pad_token_id\": null,");
  }
  ModelConfig config = small(ModelFamily::gemma3_text);
  config.query_scale = config.rotary_local_base = 0;
  says(config, "\"query_pre_attn_scalar\": 32,");
  says(config, "\"rope_local_base_freq\": 1e+06,");
  config = small(ModelFamily::gemma2);
  config.window = 0;
  says(config, "\"sliding_window\": 64,");
  says(config, "\"layer_types\": [\"full_attention\", \"full_attention\", \"full_attention\"],");
  config = small(ModelFamily::smollm3);
  config.rotary_period = 0;
  says(config, "\"no_rope_layers\": [1, 1, 1],");
  EXPECT_EQ(model_config_json(config).find("interval"), std::string::npos);
  config.rotary_period = 2;
  says(config, "\"no_rope_layers\": [1, 0, 1],");
}

// int(share * D), as in other libraries.
TEST(ModelConfigJson, SharesOfAHeadComeBackWhole) {
  ModelConfig config = ModelConfig::of(ModelFamily::phi3);
  config.vocabulary = 77, config.heads = 1;
  for (Index width = 3; width <= 512; width += width < 80 ? 1 : 61) {
    config.width = width;
    for (config.rotary_width = 2; config.rotary_width < width; config.rotary_width += 2) {
      const std::string text = model_config_json(config);
      ASSERT_EQ(text.find("tril_"), text.npos) << text;
    }
  }
}

TEST(ModelConfigJson, ReadsNewerFilesAlike) {
  const PretrainedConfig read = parse_model_config(
      R"({"model_type": "llama", "vocab_size": 9, "hidden_size": 8, "intermediate_size": 16,
          "num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 64,
          "rope_parameters": {"rope_type": "linear", "factor": 2, "rope_theta": 5e5}})");
  EXPECT_EQ(read.config.rotary_base, 5e5);
  EXPECT_EQ(read.config.rotary_scaling.kind, RotaryScalingKind::linear);
  EXPECT_EQ(read.config.kv_heads, 2);
  EXPECT_FALSE(read.config.tied_head);
  // The base is outside the object with the scaling.
  const PretrainedConfig beside = parse_model_config(
      R"({"model_type": "llama", "vocab_size": 9, "hidden_size": 8, "intermediate_size": 16,
          "num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 64,
          "rope_parameters": {"rope_type": "linear", "factor": 2}, "rope_theta": 5e5})");
  EXPECT_TRUE(beside.config == read.config);
}

// Models related to Llama have these settings.
TEST(ModelConfigJson, ReadsALlamaWithHeadsOfTheirOwnWidthAndAnotherActivation) {
  EXPECT_EQ(parse_model_config(changed("\"head_dim\": 4", "\"head_dim\": 8")).config.head_dim, 8);
  const auto by = [](const char* name) {
    return parse_model_config(changed("\"silu\"", name)).config.feed_forward;
  };
  EXPECT_EQ(by("\"gelu\""), ModelFeedForward::geglu);
  EXPECT_EQ(by("\"gelu_pytorch_tanh\""), ModelFeedForward::geglu_tanh);
  EXPECT_EQ(by("\"swish\""), ModelFeedForward::swiglu);
  EXPECT_EQ(by("\"gelu_fast\""), ModelFeedForward::geglu_tanh);
}

TEST(ModelConfigJson, HeadsOfAQwen3HaveTheirOwnWidth) {
  const auto with = [](const std::string& entries) {
    return parse_model_config(
        R"({"model_type": "qwen3", "vocab_size": 9, "hidden_size": 8, "intermediate_size": 16,
            "num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 64)" +
        entries + "}");
  };
  const ModelConfig config = with("").config;
  EXPECT_EQ(config.head_width(), 128);  // the default of transformers.Qwen3Config
  EXPECT_EQ(config.query_width(), 256);
  EXPECT_TRUE(config.query_key_norm);
  EXPECT_EQ(with(", \"head_dim\": 6").config.head_dim, 6);
  EXPECT_EQ(with(", \"head_dim\": 4").config.head_dim, 0);  // width / heads
  EXPECT_EQ(error_of([&] { with(", \"attention_bias\": true"); }),
            "parse_model_config: attention_bias: must be false");
  EXPECT_EQ(
      error_of([&] { with(", \"use_sliding_window\": true"); }),
      "parse_model_config: use_sliding_window: must be false: every token sees all before it");
  EXPECT_EQ(error_of([&] { with(", \"head_dim\": 20000000"); }),
            "parse_model_config: head_dim: must be from 0 to 16777216, is 20000000");
}

PretrainedConfig config_with(const std::string& entries) {
  return parse_model_config(
      R"({"model_type": "gpt2", "n_layer": 1, "n_head": 1, "n_embd": 8, "n_positions": 8,
          "vocab_size": 9)" +
      entries + "}");
}

// Editors on Windows put a byte order mark first, and Python writes numbers that JSON lacks.
TEST(ModelConfigJson, ReadsWhatOtherProgramsMakeOfJson) {
  const PretrainedConfig plain = config_with("");
  const PretrainedConfig read =
      parse_model_config(std::string("\xef\xbb\xbf") +
                         R"({"time_step_limit": [0.0, Infinity], "scale": NaN, "low": -Infinity,
          "model_type": "gpt2", "n_layer": 1, "n_head": 1, "n_embd": 8, "n_positions": 8,
          "vocab_size": 9})");
  EXPECT_EQ(model_config_json(read.config, ElementType::float32, read.tokens),
            model_config_json(plain.config, ElementType::float32, plain.tokens));
  EXPECT_EQ(error_of([] { config_with(", \"layer_norm_epsilon\": NaN"); }),
            "parse_model_config: layer_norm_epsilon: must be a number, is \"NaN\"");
  EXPECT_NE(
      error_of([] { config_with(", \"eos_token_id\": Infinity"); }).find("eos_token_id: must be"),
      std::string::npos);
  for (const char* wrong : {"Nan", "infinity", "-infinity", "-NaN", "+Infinity", "Infinity1"}) {
    EXPECT_NE(error_of([&] { config_with(std::string(", \"x\": ") + wrong); }), "") << wrong;
  }
}

TEST(ModelConfigJson, NamesTokensOfTheVocabulary) {
  using Tokens = std::vector<std::int32_t>;
  const std::pair<const char*, Tokens> expected[] = {{"2", {2}},
                                                     {"8", {8}},
                                                     {"[3, 1]", {3, 1}},
                                                     {"null", {}},
                                                     {"[]", {}},
                                                     // An id outside the vocabulary ends no text.
                                                     {"9", {}},
                                                     {"50256", {}},
                                                     {"-1", {}},
                                                     {"123456789012345678901234567890", {}},
                                                     {"[50256, 2, -1, null, 2.5]", {2}}};
  for (const auto& [value, tokens] : expected) {
    for (const char* name : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
      const auto read = config_with(std::string(", \"") + name + "\": " + value);
      const auto& [begin, end, pad] = read.tokens;
      EXPECT_EQ(*name == 'b' ? begin : *name == 'e' ? end : pad, tokens) << name << value;
      const std::string text = model_config_json(read.config, ElementType::float32, read.tokens);
      EXPECT_EQ(parse_model_config(text).tokens, read.tokens) << text;
    }
    EXPECT_EQ(parse_generation_config(std::string("{\"eos_token_id\": ") + value + "}", 9),
              std::string_view(value) == "null" ? std::nullopt : std::optional(tokens));
  }
  EXPECT_EQ(parse_generation_config(R"({"temperature": 0.6, "do_sample": true})", 9), std::nullopt);
  const ModelTokens tokens{{1}, {2, 3}, {}};
  const std::string text = model_config_json(config_with("").config, ElementType::float32, tokens);
  EXPECT_NE(text.find("\"bos_token_id\": 1,\n  \"eos_token_id\": [2, 3],\n"), text.npos) << text;
  EXPECT_EQ(
      error_of([] { config_with(", \"eos_token_id\": \"2\""); }),
      "parse_model_config: eos_token_id: must be a number or a list of numbers, is \"\\\"2\\\"\"");
  EXPECT_EQ(
      error_of([] { config_with(", \"eos_token_id\": [2, [3]]"); }),
      "parse_model_config: eos_token_id: must be a number or a list of numbers, is \"[2, [3]]\"");
  EXPECT_EQ(error_of([] { parse_generation_config("[2]", 9); }),
            "parse_generation_config: file: byte 0: expected \"{\", found \"[\"");
}

TEST(ModelConfigJson, RefusesWhatNoModelHereCanBe) {
  const auto refused = [](const std::string& from, const std::string& to, const std::string& why) {
    EXPECT_EQ(error_of([&] { parse_model_config(changed(from, to)); }),
              "parse_model_config: " + why);
  };
  refused("\"llama\"", "\"roberta\"",
          "model_type: unknown family \"roberta\"; there are gpt2, llama, qwen2, qwen3, mistral, "
          "olmo2, gpt_neox, phi3, gemma2, gemma3_text, starcoder2, stablelm, smollm3, bert");
  refused("\"model_type\"", "\"type\"", "model_type: is missing");
  refused("\"hidden_size\": 16", "\"hidden_size\": \"16\"",
          "hidden_size: must be a whole number, is \"\\\"16\\\"\"");
  refused("\"hidden_size\": 16", "\"hidden_size\": null", "hidden_size: is missing");
  refused("\"hidden_size\": 16", "\"hidden_size\": 16.5",
          "hidden_size: must be a whole number, is \"16.5\"");
  refused("\"silu\"", "\"relu2\"",
          "hidden_act: unknown activation \"relu2\"; there are silu, gelu_pytorch_tanh, gelu_new, "
          "gelu_fast, gelu, swish, relu");
  // Four times that is 16, as far as an Index counts.
  const std::string wrapping = std::to_string(std::numeric_limits<Index>::max() / 2 + 5);
  refused("\"head_dim\": 4", "\"head_dim\": " + wrapping,
          "head_dim: must be from 0 to 16777216, is " + wrapping);
  refused("\"llama3\"", "\"yarn\"",
          "rope_scaling: unknown rope_type \"yarn\"; there are none, linear, dynamic, llama3, "
          "longrope");
  refused("\"factor\": 8.0", "\"factor\": -1",
          "rope_scaling.factor: must be finite and above 0, is -1");
  refused("\"factor\": 8.0", "\"factor\": 0.5", "rope_scaling.factor: must be at least 1, is 0.5");
  refused("\"original_max_position_embeddings\": 16", "\"original_max_position_embeddings\": 0",
          "rope_scaling.original_max_position_embeddings: must be at least 1, is 0");
  refused("\"high_freq_factor\": 4.0", "\"high_freq_factor\": 1",
          "rope_scaling.high_freq_factor: must be above low, both above 0; they are 1 and 1");
  refused("\"rope_scaling\": {\n    \"factor\": 8.0", "\"rope_parameters\": {\n    \"factor\": 0",
          "rope_parameters.factor: must be finite and above 0, is 0");
  refused("\"vocab_size\": 48", "\"vocab_size\": 1000000000",
          "vocabulary: must be from 1 to 16777216, is 1000000000");
  refused("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 16777216",
          "layers: must be from 1 to 4096, is 16777216");
  refused("\"num_attention_heads\": 4", "\"num_attention_heads\": 0",
          "num_attention_heads: must be at least 1, is 0");
  EXPECT_EQ(error_of([] { parse_model_config("[]"); }),
            "parse_model_config: file: byte 0: expected \"{\", found \"[\"");
  EXPECT_EQ(error_of([] { parse_model_config("{} x"); }),
            "parse_model_config: file: byte 3: something follows the object");
}

}  // namespace
}  // namespace tril
