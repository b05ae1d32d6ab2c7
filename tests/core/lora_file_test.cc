// Adapters as files: PEFT's names and shapes, a round trip, and merging while a model is read.
#include <gtest/gtest.h>
#include <tril/files/json_value.h>
#include <tril/model/lora_file.h>
#include <tril/model/model_family.h>
#include <tril/model/model_file.h>
#include <tril/model/pretrained.h>
#include <tril/model/trainer.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden_models.h"
#include "core/temporary_folder.h"
#include "core/token_stream.h"
#include "core/training_run.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;
using testing::stream;
using testing::tiny;

std::vector<std::string> names_of(const std::vector<std::byte>& file) {
  std::vector<std::string> names;
  for (const NamedTensor& each : parse_safetensors(file).tensors) {
    EXPECT_EQ(each.tensor.type, ElementType::float32);
    names.push_back(each.name + " " + Message(each.tensor.shape).text());
  }
  return names;
}

// Names and shapes are PEFT's for layers of these modules; its Conv1D is [in, out].
TEST(LoraFile, NamesAndShapesArePeftsOfEachFamily) {
  const auto files = [](ModelFamily family, std::vector<std::string> targets = {}) {
    ModelConfig config = tiny(family);
    config.layers = 1;
    LanguageModel model(config, 1);
    const LoraAdapter adapter(model, {.rank = 2, .targets = std::move(targets)}, 1);
    EXPECT_EQ(parse_safetensors(lora_file(adapter)).metadata.at("format"), "pt");
    return names_of(lora_file(adapter));
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(files(ModelFamily::gpt2, {"c_attn", "mlp.c_fc"}),
            (Names{"base_model.model.transformer.h.0.attn.c_attn.lora_A.weight [2, 16]",
                   "base_model.model.transformer.h.0.attn.c_attn.lora_B.weight [48, 2]",
                   "base_model.model.transformer.h.0.mlp.c_fc.lora_A.weight [2, 16]",
                   "base_model.model.transformer.h.0.mlp.c_fc.lora_B.weight [64, 2]"}));
  EXPECT_EQ(files(ModelFamily::llama),
            (Names{"base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight [2, 16]",
                   "base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight [16, 2]",
                   "base_model.model.model.layers.0.self_attn.v_proj.lora_A.weight [2, 16]",
                   "base_model.model.model.layers.0.self_attn.v_proj.lora_B.weight [16, 2]"}));
  EXPECT_EQ(files(ModelFamily::gpt_neox),
            (Names{"base_model.model.gpt_neox.layers.0.attention.query_key_value.lora_A.weight "
                   "[2, 16]",
                   "base_model.model.gpt_neox.layers.0.attention.query_key_value.lora_B.weight "
                   "[48, 2]"}));
  EXPECT_EQ(files(ModelFamily::phi3, {"gate_up_proj"}),
            (Names{"base_model.model.model.layers.0.mlp.gate_up_proj.lora_A.weight [2, 16]",
                   "base_model.model.model.layers.0.mlp.gate_up_proj.lora_B.weight [96, 2]"}));
}

TEST(LoraFile, SettingsArePefts) {
  LanguageModel model(tiny(), 1), other(tiny(ModelFamily::llama), 1);
  EXPECT_EQ(lora_config_json(LoraAdapter(model, {.rank = 2, .alpha = 16}, 1)),
            "{\n"
            "  \"base_model_name_or_path\": null,\n"
            "  \"bias\": \"none\",\n"
            "  \"fan_in_fan_out\": true,\n"
            "  \"inference_mode\": true,\n"
            "  \"init_lora_weights\": true,\n"
            "  \"lora_alpha\": 16,\n"
            "  \"lora_dropout\": 0,\n"
            "  \"peft_type\": \"LORA\",\n"
            "  \"r\": 2,\n"
            "  \"target_modules\": [\"c_attn\"],\n"
            "  \"task_type\": \"CAUSAL_LM\"\n"
            "}\n");
  const std::string text = lora_config_json(LoraAdapter(other, {}, 1));
  const detail::JsonObject config("test", "file", text);
  EXPECT_FALSE(config.boolean("fan_in_fan_out"));
  EXPECT_EQ(config.integer("r"), 8);
  EXPECT_EQ(config.list_of_texts("target_modules"), (std::vector<std::string>{"q_proj", "v_proj"}));
}

// A folder with an adapter's files.
struct AdapterFolder {
  testing::TemporaryFolder folder;

  AdapterFolder(const std::string& config, const std::vector<std::byte>& tensors) {
    write("adapter_config.json", std::as_bytes(std::span(config)));
    write("adapter_model.safetensors", tensors);
  }
  explicit AdapterFolder(const LoraAdapter& adapter)
      : AdapterFolder(lora_config_json(adapter), lora_file(adapter)) {}
  void write(const std::string& name, std::span<const std::byte> bytes) const {
    write_file(folder.path() / name, {&bytes, 1});
  }
  PretrainedModel read(const std::string& model, ParameterMemory weights) const {
    return read_pretrained(testing::folder_of(model), {.weights = weights, .lora = folder.path()});
  }
};

// An adapter trained on a model, in any type of file, gives the same model when both are read, bit
// by bit.
TEST(LoraFile, AModelThatIsReadWithItsAdapterIsTheOneThatWasTrained) {
  for (const char* name : {"gpt2", "llama", "gpt_neox", "phi3", "qwen3", "gemma2"}) {
    SCOPED_TRACE(name);
    const PretrainedModel base = read_pretrained(testing::folder_of(name));
    LanguageModel model(base.parameters);
    const ModelFamily family = model.config().family;
    LoraOptions options{.rank = 2, .alpha = 3, .targets = lora_targets(family)};
    options.targets.push_back(detail::family_entry(family).attention_out);
    LoraAdapter adapter(model, options, 1);
    Trainer trainer(adapter, testing::Training::quick());
    for (int n = 0; n < 5; ++n) trainer.step(stream(300));

    const AdapterFolder files(adapter);
    const PretrainedModel merged = files.read(name, ParameterMemory::as_in_files);
    EXPECT_GE(merged.parameters.bytes(), base.parameters.bytes());
    EXPECT_TRUE(equal(LanguageModel(merged.parameters).values(), model.values()));
    EXPECT_FALSE(equal(LanguageModel(base.parameters).values(), model.values()));
  }
}

// With a base in q8_0: its widened numbers plus the product.
TEST(LoraFile, MergesWithWhatQ80StandsFor) {
  const ParameterMemory weights = ParameterMemory::q8_0;
  const PretrainedModel base = read_pretrained(testing::folder_of("llama"), {.weights = weights});
  LanguageModel model(base.parameters);
  LoraAdapter adapter(model, {.rank = 2}, 1);
  Trainer trainer(adapter, testing::Training::quick());
  for (int n = 0; n < 5; ++n) trainer.step(stream(300));
  const AdapterFolder files(adapter);
  const PretrainedModel merged = files.read("llama", weights);
  EXPECT_EQ(merged.parameters.weights().layers[0].linear1.weight.kind(), WeightKind::q8_0);
  const Weight& changed = merged.parameters.weights().layers[0].attention.in_proj_weight;
  EXPECT_EQ(changed.kind(), WeightKind::float32);
  // This model's base was not rounded to q8_0, which makes a difference of at most half a step.
  const MatrixView<float>& own = model.weights().layers[0].attention.in_proj_weight;
  std::vector<float> row(static_cast<std::size_t>(own.size(1)));
  for (Index n = 0; n < own.size(0); ++n) {
    changed.widen(n, 0, own.size(1), row.data());
    float largest = 0;
    for (const float each : row) largest = std::max(largest, std::abs(each));
    for (Index i = 0; i < own.size(1); ++i) {
      EXPECT_NEAR(row[static_cast<std::size_t>(i)], own[n][i], largest / 100);
    }
  }
}

TEST(LoraFile, TakesWhatOthersWrite) {
  LanguageModel model(tiny(ModelFamily::llama), 1);
  const ModelConfig& config = model.config();
  const std::vector<float> ones(64, 1.0f);
  const std::string at = "base_model.model.model.layers.1.self_attn.";
  const std::vector<TensorToStore> tensors = {
      {at + "k_proj.lora_A.weight", {4, 16}, std::span(ones)},
      {at + "k_proj.lora_B.weight", {16, 4}, std::span(ones), ElementType::bfloat16}};
  const std::vector<std::byte> file = safetensors_bytes(tensors);
  ModelParameters parameters(config);
  for (const bool by_root : {false, true}) {
    const std::string settings =
        std::string(
            "{\"peft_type\": \"LORA\", \"r\": 1, \"lora_alpha\": 6, \"rank_pattern\": "
            "{\"k_proj\": 4}, \"alpha_pattern\": {}, \"use_rslora\": ") +
        (by_root ? "true}" : "false}");
    const StoredLora lora(parse_lora_config(settings), file, config);
    std::memset(parameters.floats().layers[1].attention.in_proj_weight.data(), 0, 48 * 16 * 4);
    lora.merge(parameters);
    const float expected = 4 * (by_root ? 6.0f / 2 : 6.0f / 4);
    const MatrixView<float>& weight = parameters.floats().layers[1].attention.in_proj_weight;
    for (Index n = 0; n < 48; ++n) EXPECT_EQ(weight[n][7], n / 16 == 1 ? expected : 0) << n;
  }
}

TEST(LoraFile, WhatIsNoAdapterOfTheModelIsRefused) {
  LanguageModel model(tiny(), 1);
  const LoraAdapter adapter(model, {.rank = 2}, 1);
  const std::string config = lora_config_json(adapter);
  const std::vector<std::byte> file = lora_file(adapter);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = config;
    return text.replace(text.find(from), from.size(), to);
  };
  const auto refused = [&](const std::string& settings, const std::vector<std::byte>& tensors,
                           const ModelConfig& of) {
    return error_of([&] { StoredLora(parse_lora_config(settings), tensors, of); });
  };
  EXPECT_EQ(refused(with("LORA", "IA3"), file, tiny()),
            "read_lora: peft_type: must be LORA, is \"IA3\"");
  EXPECT_EQ(refused(with("\"bias\"", "\"alpha_pattern\": {\"a\": 3}, \"bias\""), file, tiny()),
            "read_lora: alpha_pattern: must be empty: all matrices have one alpha");
  EXPECT_EQ(refused(with("lora_alpha", "alpha"), file, tiny()),
            "read_lora: lora_alpha: is missing");
  EXPECT_EQ(refused(config, file, tiny(ModelFamily::llama)),
            "read_lora: base_model.model.transformer.h.0.attn.c_attn.lora_A.weight: is no matrix "
            "of LoRA of such a model");
  ModelConfig other = tiny();
  other.layers = 1;
  EXPECT_EQ(refused(config, file, other),
            "read_lora: base_model.model.transformer.h.1.attn.c_attn.lora_A.weight: is no matrix "
            "of LoRA of such a model");
  other = tiny();
  other.width = 32;
  EXPECT_EQ(refused(config, file, other),
            "read_lora: base_model.model.transformer.h.0.attn.c_attn.lora_A.weight: shape must be "
            "[rank, 32], is [2, 16]");
  const std::vector<float> ones(64, 1.0f);
  const std::string name = "base_model.model.transformer.h.0.attn.c_attn.lora_A.weight";
  const std::vector<TensorToStore> half = {{name, {4, 16}, std::span(ones)}};
  EXPECT_EQ(refused(config, safetensors_bytes(half), tiny()),
            "read_lora: base_model.model.transformer.h.0.attn.c_attn.lora_B.weight: is not in the "
            "file");
  EXPECT_EQ(refused(config, safetensors_bytes({}), tiny()),
            "read_lora: file: there are no matrices of LoRA in it");
  const auto merge_refused = [&](ModelParameters parameters) {
    return error_of([&] { StoredLora({}, file, tiny()).merge(parameters); });
  };
  EXPECT_EQ(merge_refused(ModelParameters(tiny(), ParameterMemory::as_in_files)),
            "read_lora: parameters: have not been read");
  ModelParameters rounded(tiny(), ParameterMemory::q8_0);
  const std::vector<std::byte> whole = model_file(model);
  ParameterReader reader(rounded);
  const Safetensors tensors = parse_safetensors(whole);
  for (const ParameterRange& each : reader.find(tensors)) reader.read(each, each.tensor.bytes);
  reader.finish();
  EXPECT_EQ(merge_refused(std::move(rounded)),
            "read_lora: h.0.attn.c_attn.weight: is not held as floats");
}

TEST(LoraFile, ErrorsHaveThePathOfTheFile) {
  LanguageModel model(tiny(), 1);
  const LoraAdapter adapter(model, {.rank = 2}, 1);
  const AdapterFolder files(adapter);
  const auto refused = [&] {
    return error_of([&] { files.read("llama", ParameterMemory::as_in_files); });
  };
  const std::string tensors = (files.folder.path() / "adapter_model.safetensors").string();
  EXPECT_EQ(refused().find("read_pretrained: " + tensors + ": base_model"), 0u) << refused();
  std::filesystem::remove(tensors);
  EXPECT_EQ(refused().find("read_pretrained: " + tensors), 0u) << refused();
  const std::string config = (files.folder.path() / "adapter_config.json").string();
  std::filesystem::remove(config);
  EXPECT_EQ(refused().find("read_pretrained: " + config), 0u) << refused();
}

}  // namespace
}  // namespace tril
