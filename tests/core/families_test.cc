// Models of more families as their authors' libraries write them, against PyTorch in float64
// (tests/golden/make_families.py); writing and reading; and wrong input.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/model/model_config_json.h>
#include <tril/model/model_file.h>
#include <tril/model/pretrained.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden_logits.h"
#include "core/golden_models.h"

namespace tril {
namespace {

using testing::Copied;
using testing::error_of;
using testing::expect_golden;
using testing::folder_of;

constexpr ModelFamily kFamilies[] = {
    ModelFamily::mistral,  ModelFamily::olmo2,      ModelFamily::gpt_neox,
    ModelFamily::phi3,     ModelFamily::gemma2,     ModelFamily::gemma3_text,
    ModelFamily::stablelm, ModelFamily::starcoder2, ModelFamily::smollm3};

class Families : public ::testing::TestWithParam<ModelFamily> {
 protected:
  std::string name = std::string(name_of(kModelFamilies, GetParam()));
};

TEST_P(Families, LogitsArePyTorchs) {
  const PretrainedModel model = read_pretrained(folder_of(name));
  EXPECT_EQ(model.parameters.config().family, GetParam());
  expect_golden(model.parameters.config(), model.parameters, name + "/logits");
}

// Models in training are written with the same bytes, too.
TEST_P(Families, AreWrittenAsTheyWereRead) {
  const PretrainedModel model = read_pretrained(folder_of(name));
  const ModelConfig& config = model.parameters.config();
  const Copied copy(name);
  const std::string settings = model_config_json(config, ElementType::float32, model.tokens);
  copy.write("config.json", settings);
  EXPECT_EQ(settings.find("tril_"), settings.npos) << settings;
  copy.write("model.safetensors", testing::written(model.parameters));
  const PretrainedModel again = read_pretrained(copy.path());
  EXPECT_TRUE(again.parameters.config() == config) << settings;
  expect_golden(again.parameters.config(), again.parameters, name + "/logits");

  const LanguageModel floats(model.parameters);
  copy.write("model.safetensors", model_file(floats));
  const PretrainedModel trained = read_pretrained(copy.path());
  expect_golden(config, trained.parameters, name + "/logits");
  LanguageModel loaded(config, 2);
  const std::vector<std::byte> bytes = read_file(copy.path() / "model.safetensors");
  load_model(parse_safetensors(bytes), loaded);
  EXPECT_TRUE(testing::equal(loaded.values(), floats.values()));
}

INSTANTIATE_TEST_SUITE_P(Each, Families, ::testing::ValuesIn(kFamilies), [](const auto& param) {
  return std::string(name_of(kModelFamilies, param.param));
});

// The settings of a family's golden model with one text of the file replaced.
ModelConfig with(const std::string& name, const std::string& from, const std::string& to) {
  return parse_model_config(testing::changed(from, to, name)).config;
}

TEST(Families, GptNeoXMayHaveSublayersThatFollowEachOther) {
  const PretrainedModel model = read_pretrained(folder_of("gpt_neox"));
  EXPECT_TRUE(model.parameters.config().parallel);
  const ModelConfig config =
      with("gpt_neox", "\"rotary_pct\"", "\"use_parallel_residual\": false, \"rotary_pct\"");
  EXPECT_FALSE(config.parallel);
  expect_golden(config, model.parameters, "gpt_neox/in_turn");
}

TEST(Families, HaveTheirAuthorsDefaultsWhereSettingsAreMissing) {
  // Missing, null, and given.
  EXPECT_EQ(with("mistral", "\"sliding_window\": 7", "\"x\": 7").window, 4096);
  EXPECT_EQ(with("mistral", "\"sliding_window\": 7", "\"sliding_window\": null").window, 0);
  EXPECT_EQ(with("mistral", "\"sliding_window\": 7", "\"sliding_window\": 5").window, 5);
  EXPECT_EQ(with("phi3", "\"sliding_window\": 7", "\"x\": 7").window, 0);
  EXPECT_EQ(with("mistral", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": null").kv_heads,
            4);
  EXPECT_EQ(with("smollm3", "\"num_key_value_heads\"", "\"x\"").kv_heads, 4);
  EXPECT_EQ(with("llama", "\"max_position_embeddings\": 32", "\"x\": 1").context, 2048);
  EXPECT_EQ(with("olmo2", "\"hidden_act\"", "\"x\"").eps, 1e-5);
  EXPECT_EQ(with("gpt_neox", "\"rotary_emb_base\"", "\"x\"").rotary_base, 10000);
  EXPECT_EQ(with("gpt_neox", "\"rotary_pct\": 0.5", "\"rotary_pct\": 1").rotary_width, 0);
  EXPECT_EQ(with("smollm3", "\"rope_theta\"", "\"x\"").rotary_base, 2e6);
  EXPECT_EQ(with("smollm3", "\"no_rope_layers\"", "\"x\"").rotary_period, 4);
  EXPECT_EQ(with("smollm3", "\"no_rope_layers\"", "\"x\"").has_rotary(3), false);
  EXPECT_EQ(with("gemma2", "\"attn_logit_softcapping\"", "\"x\"").score_cap, 50);
  EXPECT_EQ(with("gemma2", "\"final_logit_softcapping\": 3.0", "\"final_logit_softcapping\": null")
                .logit_cap,
            0);
  EXPECT_EQ(with("gemma2", "\"head_dim\"", "\"x\"").head_dim, 256);
  EXPECT_EQ(with("gemma2", "\"query_pre_attn_scalar\"", "\"x\"").query_scale, 256);
  EXPECT_TRUE(with("gemma2", "\"tie_word_embeddings\"", "\"x\"").tied_head);
  EXPECT_EQ(with("gemma3_text", "\"layer_types\"", "\"x\"").window_period, 6);
  EXPECT_EQ(
      with("gemma3_text", "\"layer_types\"", "\"sliding_window_pattern\": 3, \"x\"").window_period,
      3);
}

// Longrope of Phi-3 and Phi-4-mini, in Microsoft's spelling and in that of newer libraries.
TEST(Families, LongropeIsPyTorchsInLongTextsAndInShortOnes) {
  const PretrainedModel model = read_pretrained(folder_of("phi3"));
  const std::string factors = "\"short_factor\": [1.25, 1.5], \"long_factor\": [2.0, 3.5]";
  const auto config = [&](const std::string& type, Index original) {
    std::string file = testing::changed("\"rope_scaling\": null",
                                        "\"rope_scaling\": {" + type + factors + "}", "phi3");
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{"\"partial_rotary_factor\": 0.5",
                                              "\"partial_rotary_factor\": 1.0"},
          {"\"original_max_position_embeddings\": 32",
           "\"original_max_position_embeddings\": " + std::to_string(original)}}) {
      file.replace(file.find(from), from.size(), to);
    }
    return parse_model_config(file).config;
  };
  for (const std::string type :
       {"\"type\": \"longrope\", ", "\"type\": \"su\", ", "\"rope_type\": \"longrope\", "}) {
    expect_golden(config(type, 16), model.parameters, "phi3/longrope");
    expect_golden(config(type, 24), model.parameters, "phi3/longrope_short");
  }
  const ModelConfig newest =
      with("phi3", "\"rope_scaling\": null",
           "\"rope_parameters\": {\"rope_type\": \"longrope\", \"partial_rotary_factor\": 1.0, "
           "\"rope_theta\": 10000.0, \"original_max_position_embeddings\": 16, " +
               factors + "}");
  EXPECT_TRUE(newest == config("\"type\": \"longrope\", ", 16));
  // The file satisfies libraries that want three entries, and loses nothing.
  const std::string text = model_config_json(newest);
  EXPECT_NE(text.find("\"rope_scaling\": {\"type\": \"longrope\", \"short_factor\": [1.25, 1.5], "
                      "\"long_factor\": [2, 3.5]}"),
            text.npos)
      << text;
  ModelConfig other = newest;
  other.context = 24;
  EXPECT_TRUE(parse_model_config(model_config_json(other)).config == other);
}

// Phi3Config's default; for other models the length is that of the texts.
TEST(Families, LongropeKnowsPhi3sOriginalLengthWhereItIsMissing) {
  const std::string factors = "\"short_factor\": [1.25], \"long_factor\": [2.0]}";
  std::string file = testing::changed(
      "\"rope_scaling\": null", "\"rope_scaling\": {\"type\": \"longrope\", " + factors, "phi3");
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"\"original_max_position_embeddings\"", "\"x\""},
        {"\"max_position_embeddings\": 32", "\"max_position_embeddings\": 131072"}}) {
    file.replace(file.find(from), from.size(), to);
  }
  const RotaryScaling phi3 = parse_model_config(file).config.rotary_scaling;
  EXPECT_EQ(phi3.original, 4096);
  EXPECT_DOUBLE_EQ(phi3.magnitude, std::sqrt(1 + std::log(32.0) / std::log(4096.0)));
  const ModelConfig llama = with("llama", "\"rope_type\": \"llama3\"",
                                 "\"rope_type\": \"longrope\", \"original\": 1, "
                                 "\"short_factor\": [1.25, 1], \"long_factor\": [2.0, 1]");
  EXPECT_EQ(llama.rotary_scaling.original, 16);
}

// Gemma 3 with four billion parameters or more, whose text_config is mostly at its defaults.
TEST(Families, Gemma3IsReadFromAModelThatSeesImages) {
  const PretrainedConfig read = parse_model_config(
      R"({"architectures": ["Gemma3ForConditionalGeneration"], "eos_token_id": [1, 106],
          "model_type": "gemma3", "vision_config": {"model_type": "siglip_vision_model"},
          "text_config": {"hidden_size": 2560, "intermediate_size": 10240,
                          "model_type": "gemma3_text", "num_hidden_layers": 34,
                          "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
                          "sliding_window": 1024}})");
  ModelConfig expected = ModelConfig::of(ModelFamily::gemma3_text);
  expected.layers = 34, expected.width = 2560, expected.hidden = 10240;
  expected.heads = 8, expected.kv_heads = 4, expected.head_dim = 256;
  expected.context = 131072, expected.vocabulary = 262208, expected.window = 1024;
  expected.eps = 1e-6;
  expected.rotary_scaling = {.kind = RotaryScalingKind::linear, .factor = 8};
  EXPECT_TRUE(read.config == expected) << model_config_json(read.config);
  EXPECT_EQ(read.tokens.end, (std::vector<std::int32_t>{1, 106}));
  EXPECT_EQ(error_of([] { parse_model_config(R"({"model_type": "gemma3"})"); }),
            "parse_model_config: num_hidden_layers: is missing");

  const Copied copy("gemma3_text");
  const std::string none = R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
  copy.write("config.json", R"({"model_type": "gemma3", "text_config": )" +
                                testing::changed("", "", "gemma3_text") + "}");
  copy.change_header("\"model.", "\"language_model.model.");
  copy.change_header("{", "{\"vision_tower.a" + none + ",\"multi_modal_projector.b" + none + ",",
                     1);
  const PretrainedModel model = read_pretrained(copy.path());
  expect_golden(model.parameters.config(), model.parameters, "gemma3_text/logits");
}

// Qwen3's sentence encoders are published without the prefix: the inner model of the one with a
// head.
TEST(Families, AreReadWithoutTheNameOfTheirPlace) {
  for (const std::string name : {"qwen3", "smollm3"}) {
    const Copied copy(name);
    copy.change_header("\"model.", "\"");
    const PretrainedModel model = read_pretrained(copy.path());
    expect_golden(model.parameters.config(), model.parameters, name + "/logits");
  }
  const Copied untied("mistral");
  untied.change_header("\"model.", "\"");
  EXPECT_TRUE(untied.is_read());
  untied.change_header("\"lm_head.", "\"head.");
  EXPECT_EQ(untied.refused(),
            untied.at("model.safetensors") +
                ": head.weight: is no parameter of a model of the family mistral with 2 layers");
}

// Older files have both next to each other.
TEST(Families, Gemma3sTwoBasesAreReadInBothSpellings) {
  const ModelConfig newer = with("gemma3_text", "\"dtype\"", "\"dtype\"");
  EXPECT_EQ(newer.rotary_base, 1e6);
  EXPECT_EQ(newer.rotary_local_base, 1e4);
  EXPECT_EQ(newer.rotary_scaling.kind, RotaryScalingKind::linear);
  const ModelConfig older =
      with("gemma3_text", "\"rope_parameters\"",
           "\"rope_theta\": 1e6, \"rope_local_base_freq\": 1e4, \"rope_scaling\": {\"rope_type\": "
           "\"linear\", \"factor\": 8}, \"x\"");
  EXPECT_TRUE(older == newer);
}

TEST(Families, RefuseWhatNoModelHereCanBe) {
  const auto refused = [](const std::string& name, const std::string& from, const std::string& to,
                          const std::string& why) {
    EXPECT_EQ(error_of([&] { with(name, from, to); }), "parse_model_config: " + why);
  };
  refused("gemma3_text", "\"gemma3_text\"", "\"gemma4\"",
          "model_type: unknown family \"gemma4\"; there are gpt2, llama, qwen2, qwen3, mistral, "
          "olmo2, gpt_neox, phi3, gemma2, gemma3_text, starcoder2, stablelm, smollm3, bert");
  refused("mistral", "\"sliding_window\": 7", "\"sliding_window\": 1e9",
          "sliding_window: must be a whole number, is \"1e9\"");
  refused("mistral", "\"sliding_window\": 7", "\"sliding_window\": 100000000",
          "window: must be from 0 to 16777216, is 100000000");
  refused("mistral", "\"mistral\"", "\"tril-masked-mistral\"",
          "window: needs a causal model: it limits the keys before a query");
  refused("olmo2", "\"attention_bias\": false", "\"attention_bias\": true",
          "attention_bias: must be false");
  refused("gpt_neox", "\"hidden_act\": \"gelu\"", "\"attention_bias\": false",
          "attention_bias: must be true");
  refused("gpt_neox", "\"rotary_pct\": 0.5", "\"rotary_pct\": 0.75",
          "rotary_width: must be even, is 3");
  refused("phi3", "\"partial_rotary_factor\": 0.5", "\"partial_rotary_factor\": 1.5",
          "partial_rotary_factor: must be above 0 and at most 1, is 1.5");
  refused("phi3", "\"partial_rotary_factor\": 0.5", "\"partial_rotary_factor\": 0.25",
          "partial_rotary_factor: turns fewer than 2 of a head's 4 elements");
  refused("gemma2", "\"attention_bias\": false", "\"use_bidirectional_attention\": true",
          "use_bidirectional_attention: must be false");
  const auto longrope = [&](const std::string& more, const std::string& why) {
    refused("phi3", "\"rope_scaling\": null",
            "\"rope_scaling\": {\"type\": \"longrope\"" + more + "}", "rope_scaling." + why);
  };
  longrope("", "short_factor: must be 1 numbers, one a pair, are 0");
  longrope(", \"short_factor\": [1, 2]", "short_factor: must be 1 numbers, one a pair, are 2");
  longrope(", \"short_factor\": [1]", "long_factor: must be 1 numbers, one a pair, are 0");
  longrope(", \"short_factor\": [1], \"long_factor\": [-1]",
           "long_factor: must be finite and above 0, is -1");
  longrope(", \"short_factor\": [1], \"long_factor\": [1], \"attention_factor\": 0",
           "attention_factor: must be finite and above 0, is 0");
  refused("phi3", "\"rope_scaling\": null",
          "\"rope_scaling\": {\"type\": \"longrope\", \"short_factor\": [\"1\"]}",
          "short_factor: must be a list of numbers, is \"[\\\"1\\\"]\"");
  refused("gemma2", "\"attn_logit_softcapping\": 2.0", "\"attn_logit_softcapping\": -2.0",
          "score_cap: must be finite and above 0, is -2");
  refused("gemma2", "\"final_logit_softcapping\": 3.0", "\"final_logit_softcapping\": -3.0",
          "logit_cap: must be finite and above 0, is -3");
  refused("gemma2", "\"query_pre_attn_scalar\": 9", "\"query_pre_attn_scalar\": -9",
          "query_scale: must be finite and above 0, is -9");
  refused("gemma2", "\"attn_logit_softcapping\": 2.0", "\"attn_logit_softcapping\": 1e-50",
          "score_cap: must be a normal float, is 1e-50");
  refused("gemma2", "\"final_logit_softcapping\": 3.0", "\"final_logit_softcapping\": 1e-40",
          "logit_cap: must be a normal float, is 1e-40");
  refused("gemma2", "\"query_pre_attn_scalar\": 9", "\"query_pre_attn_scalar\": 1e39",
          "query_scale: must be a normal float, is 1e+39");
  refused("stablelm", "\"use_parallel_residual\": false", "\"use_parallel_residual\": true",
          "use_parallel_residual: must be false");
  refused("stablelm", "\"qk_layernorm\": false", "\"qk_layernorm\": true",
          "qk_layernorm: must be false");
  refused("smollm3", "\"use_sliding_window\": false", "\"use_sliding_window\": true",
          "use_sliding_window: must be false: every token sees all before it");
  refused("smollm3", "\"no_rope_layers\": [\n    1,", "\"no_rope_layers\": [\n    ",
          "no_rope_layers: must have an entry for each of 2 layers, has 1");
  refused("smollm3", "\"no_rope_layers\": [\n    1,", "\"no_rope_layers\": [\n    2,",
          "no_rope_layers: must be 0 or 1, is 2");
  refused("gpt_neox", "\"hidden_act\": \"gelu\"", "\"hidden_act\": \"silu\"",
          "hidden_act: \"silu\" needs a gate, which this family has not");
}

TEST(Families, LayersThatDifferDoSoInTurn) {
  const auto types = [](const std::string& list) {
    return parse_model_config(
               R"({"model_type": "gemma2", "vocab_size": 9, "hidden_size": 8,
                   "intermediate_size": 16, "num_hidden_layers": 4, "num_attention_heads": 4,
                   "max_position_embeddings": 64, "layer_types": [)" +
               list + "]}")
        .config.window_period;
  };
  const std::string w = "\"sliding_attention\", ", all = "\"full_attention\", ";
  const std::string end = "\"x\"";
  EXPECT_EQ(types(w + w + w + w + end), 0);
  EXPECT_EQ(types(all + all + all + all + end), 1);
  EXPECT_EQ(types(w + all + w + all + end), 2);
  EXPECT_EQ(types(w + w + all + w + end), 3);
  EXPECT_EQ(error_of([&] { types(all + w + all + w + end); }),
            "parse_model_config: layer_types: must differ at every nth layer alone; layer 1 breaks "
            "the pattern");
  EXPECT_EQ(error_of([&] { types(all + end); }),
            "parse_model_config: layer_types: must have an entry for each of 4 layers, has 2");
  EXPECT_EQ(error_of([&] { types(w + "\"chunked_attention\", " + w + w + end); }),
            "parse_model_config: layer_types: unknown layer type \"chunked_attention\"; there are "
            "full_attention, sliding_attention");
}

}  // namespace
}  // namespace tril
