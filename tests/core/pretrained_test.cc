// Models of the first four families as their authors' libraries write them, against PyTorch in
// float64 (tests/golden/make_models.py), and wrong files.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/model/decoding_session.h>
#include <tril/model/language_model.h>
#include <tril/model/model_config_json.h>
#include <tril/model/model_file.h>
#include <tril/model/pretrained.h>
#include <tril/model/sampling.h>
#include <tril/text/tokenizer_file.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/compare.h"
#include "core/golden_logits.h"
#include "core/golden_models.h"
#include "core/memory_limit.h"

namespace tril {
namespace {

using testing::changed;
using testing::Copied;
using testing::error_of;
using testing::expect_golden;
using testing::folder_of;

TEST(Pretrained, LogitsArePyTorchs) {
  for (const std::string name : {"gpt2", "llama", "qwen2", "qwen3"}) {
    SCOPED_TRACE(name);
    std::vector<std::string> files;
    ReadProgress last = {};
    const auto tell = [&](const ReadProgress& now) {
      files.push_back(std::filesystem::path(now.path).filename().string());
      EXPECT_GE(now.read, last.read);
      EXPECT_GE(now.all, last.all);
      last = now;
    };
    const PretrainedModel model = read_pretrained(folder_of(name), {.progress = tell});
    EXPECT_GT(last.all, 0u);
    EXPECT_EQ(last.read, last.all);
    const ModelConfig& config = model.parameters.config();
    EXPECT_EQ(name_of(kModelFamilies, config.family), name);
    EXPECT_EQ(config.tied_head, name != "llama");
    EXPECT_FALSE(model.tokenizer);
    EXPECT_EQ(files.front(), "config.json");
    EXPECT_EQ(files.back(),
              name == "llama" ? "model-00003-of-00003.safetensors" : "model.safetensors");
    const std::vector<std::int32_t> end = name == "llama"  ? std::vector<std::int32_t>{2, 5}
                                          : name == "gpt2" ? std::vector<std::int32_t>{0}
                                                           : std::vector<std::int32_t>{2};
    EXPECT_EQ(model.end_tokens, end);
    expect_golden(config, model.parameters, name + "/logits");
  }
}

// Settings of models related to GPT-2 and Llama, and their written files.
TEST(Pretrained, KinOfGpt2AndLlamaArePyTorchs) {
  const PretrainedModel gpt2 = read_pretrained(folder_of("gpt2"));
  const ModelConfig kin = parse_model_config(changed("\"activation_function\": \"gelu_new\"",
                                                     "\"activation_function\": \"relu\", "
                                                     "\"scale_attn_by_inverse_layer_idx\": true",
                                                     "gpt2"))
                              .config;
  expect_golden(kin, gpt2.parameters, "gpt2/kin");
  const PretrainedModel llama = read_pretrained(folder_of("llama_kin"));
  const ModelConfig& config = llama.parameters.config();
  EXPECT_TRUE(config.attention_biases);
  EXPECT_FALSE(config.biases || config.feed_forward_biases);
  expect_golden(config, llama.parameters, "llama_kin/logits");
  for (ModelConfig each : {kin, config}) {
    each.hidden = each.hidden_width();
    const std::string text = model_config_json(each);
    EXPECT_EQ(text.find("tril_"), text.npos) << text;
    EXPECT_TRUE(parse_model_config(text).config == each) << text;
  }
}

TEST(Pretrained, ScaledPositionsArePyTorchs) {
  const PretrainedModel model = read_pretrained(folder_of("llama"));
  ModelConfig config = model.parameters.config();
  EXPECT_EQ(config.rotary_scaling,
            (RotaryScaling{.kind = RotaryScalingKind::llama3, .factor = 8, .original = 16}));
  config.rotary_scaling = {.kind = RotaryScalingKind::linear, .factor = 2.5};
  expect_golden(config, model.parameters, "llama/linear");
  config.rotary_scaling = {.kind = RotaryScalingKind::dynamic, .factor = 2, .original = 8};
  expect_golden(config, model.parameters, "llama/dynamic");
}

// Replaces the scaling in a config.json by dynamic scaling.
constexpr const char* kDynamic =
    R"("rope_scaling": {"rope_type": "dynamic", "factor": 2, "original_max_position_embeddings": 8},
       "rope_scaling_of_old":)";

TEST(Pretrained, DynamicScalingIsThatOfTheContext) {
  const Copied copy("llama");
  copy.write("config.json", changed("\"rope_scaling\":", kDynamic));
  for (const auto& [context, path] : {std::pair<Index, const char*>{0, "llama/dynamic"},
                                      {32, "llama/dynamic"},
                                      {24, "llama/dynamic_24"}}) {
    const PretrainedModel model = read_pretrained(copy.path(), {.context = context});
    EXPECT_EQ(model.parameters.config().context, context == 0 ? 32 : context);
    expect_golden(model.parameters.config(), model.parameters, path);
  }
  const PretrainedModel longer = read_pretrained(copy.path(), {.context = 100});
  EXPECT_EQ(DecodingSession(longer.parameters).capacity(), 100);
  EXPECT_EQ(error_of([&] { read_pretrained(copy.path(), {.context = -1}); }),
            "read_pretrained: context: must be from 1 to 16777216, is -1");
  EXPECT_EQ(error_of([&] { read_pretrained(copy.path(), {.context = (1 << 24) + 1}); }),
            "read_pretrained: context: must be from 1 to 16777216, is 16777217");
  EXPECT_EQ(error_of([&] { read_pretrained(folder_of("gpt2"), {.context = 16}); }),
            "read_pretrained: context: must be 32, for which positions are learned, is 16");
  EXPECT_EQ(read_pretrained(folder_of("gpt2"), {.context = 32}).parameters.config().context, 32);
}

TEST(Pretrained, EndsTextsAsItsFilesSay) {
  using Tokens = std::vector<std::int32_t>;
  const Copied copy("llama");
  const auto ends = [&] { return read_pretrained(copy.path()).end_tokens; };
  // generation_config.json, if it names end tokens; ids outside the vocabulary of 48 are ignored.
  const std::pair<const char*, Tokens> expected[] = {
      {R"({"eos_token_id": 7})", {7}},
      {R"({"eos_token_id": [7, 9, 48, -1]})", {7, 9}},
      {R"({"eos_token_id": 128009})", {}},
      {R"({"eos_token_id": null})", {2, 5}},
      {R"({"temperature": 0.6})", {2, 5}}};
  for (const auto& [text, tokens] : expected) {
    copy.write("generation_config.json", text);
    EXPECT_EQ(ends(), tokens) << text;
    EXPECT_EQ(read_pretrained(copy.path()).tokens.end, (Tokens{2, 5}));
  }
  copy.write("generation_config.json", "[7]");
  EXPECT_EQ(copy.refused(),
            copy.at("generation_config.json") + ": byte 0: expected \"{\", found \"[\"");
  copy.write("generation_config.json", "{}");
  copy.write("config.json", changed("5\n  ]", "50256\n  ]"));
  EXPECT_EQ(ends(), Tokens{2});
}

TEST(Pretrained, SaysInOneLineWhatIsWrongWithAnIndex) {
  const auto refused = [](const char* file) { return error_of([&] { parse_shard_index(file); }); };
  EXPECT_EQ(refused(R"({"weight_map": {"a": "x\ny/"}})"),
            "parse_shard_index: weight_map: \"x\\u000ay/\" is not the name of a file in the same "
            "folder");
  EXPECT_EQ(refused(R"({"weight_map": {"a\nb": 3}})"),
            "parse_shard_index: a\\nb: must be a text, is \"3\"");
  EXPECT_EQ(parse_shard_index(R"({"weight_map": {"a\u0000b": "x", "a": "y"}})"),
            (std::vector<std::string>{"x", "y"}));
}

// A tokenizer may have an added [PAD], for training, that the model has not learned.
TEST(Pretrained, TakesATokenizerOfWhichAddedTokensAloneAreBeyond) {
  TokenizerParts parts;
  for (int n = 0; n < 256; ++n) parts.tokens.emplace_back(1, static_cast<char>(n));
  for (const char* text : {"[PAD]", "<|x|>"}) {
    parts.added.push_back({text, static_cast<TokenId>(parts.tokens.size())});
    parts.tokens.push_back(text);
  }
  const Tokenizer tokenizer(parts);
  EXPECT_FALSE(reaches_beyond(tokenizer, 258));
  EXPECT_FALSE(reaches_beyond(tokenizer, 257));
  EXPECT_FALSE(reaches_beyond(tokenizer, 256));
  EXPECT_TRUE(reaches_beyond(tokenizer, 255));
}

TEST(Pretrained, SamplingIsReproducible) {
  const PretrainedModel model = read_pretrained(folder_of("qwen2"));
  const auto drawn = [&](std::uint64_t seed) {
    DecodingSession session(model.parameters);
    Sampler sampler({.temperature = 0.8, .top_k = 30, .top_p = 0.95}, seed);
    const std::vector<std::int32_t> prompt = {1, 2, 3};
    std::vector<std::int32_t> out = {sampler.draw(session.append(prompt))};
    while (out.size() < 20) {
      out.push_back(sampler.draw(session.append({&out.back(), 1})));
    }
    return out;
  };
  EXPECT_EQ(drawn(4), drawn(4));
  EXPECT_NE(drawn(4), drawn(5));
}

// The file with the tensors that change() leaves.
template <typename Change>
std::vector<std::byte> rewritten(const std::string& path, const Change& change) {
  const std::vector<std::byte> file = read_file(path);
  std::vector<TensorToStore> tensors;
  std::vector<std::vector<float>> elements;
  for (const NamedTensor& each : parse_safetensors(file).tensors) {
    elements.emplace_back(static_cast<std::size_t>(each.tensor.count()));
    read_elements(each.tensor, std::span<float>(elements.back()));
    tensors.push_back({each.name, each.tensor.shape, {}});
  }
  for (std::size_t n = 0; n < tensors.size(); ++n) tensors[n].elements = elements[n];
  change(tensors);
  return safetensors_bytes(tensors);
}

TEST(Pretrained, SaysWhichTensorDoesNotFit) {
  const Copied copy("qwen2");
  const std::string file = copy.at("model.safetensors");
  const std::vector<std::byte> good = read_file(file);
  const auto refused = [&](const auto& change) {
    copy.write("model.safetensors", good);
    copy.write("model.safetensors", rewritten(file, change));
    return copy.refused();
  };
  EXPECT_EQ(refused([](auto& tensors) { tensors.erase(tensors.begin() + 2); }),
            file +
                ": model.layers.0.self_attn.q_proj.weight: is missing; its shape would be "
                "[16, 16]");
  EXPECT_EQ(refused([](auto& tensors) { std::swap(tensors[4].shape[0], tensors[4].shape[1]); }),
            file + ": model.layers.0.self_attn.k_proj.weight: shape must be [8, 16], is [16, 8]");
  EXPECT_EQ(
      refused([](auto& tensors) { tensors[1].name = "model.layers.2.input_layernorm.weight"; }),
      file +
          ": model.layers.2.input_layernorm.weight: is no parameter of a model of the "
          "family qwen2 with 2 layers");
  // A head that duplicates the embedding is skipped.
  copy.write("model.safetensors", good);
  copy.write("model.safetensors", rewritten(file, [](auto& tensors) {
               tensors.push_back(tensors[0]);
               tensors.back().name = "lm_head.weight";
             }));
  EXPECT_TRUE(copy.is_read());
}

#ifndef __EMSCRIPTEN__  // model.test.ts tests this for WebAssembly
TEST(Pretrained, SaysHowMuchMemoryItTakes) {
  ModelConfig config = ModelConfig::of(ModelFamily::llama);
  config.layers = 1, config.heads = 1, config.vocabulary = 1 << 24, config.width = 1 << 20;
  config.hidden = 1;
  const testing::MemoryLimit limit(std::size_t{256} << 20);  // for systems that do not report it
  const std::string text = error_of([&] { ModelParameters parameters(config); });
  EXPECT_TRUE(
      text.starts_with("read_pretrained: memory: is not enough: the parameters take 150994968 MiB"))
      << text;
}
#endif

TEST(Pretrained, SaysWhatStandsInPlaceOfAFile) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid "
      "sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
  const std::string is_pointer =
      "is a Git LFS pointer, not the file: run `git lfs pull` where it was cloned, or download the "
      "file itself";
  const std::string is_page =
      "is a web page, not the file: download the file itself (at Hugging Face its address has "
      "/resolve/ in it, that of the page /blob/)";
  for (const std::string name : {"config.json", "model.safetensors", "tokenizer.json"}) {
    const Copied copy("qwen2");
    const std::string file = copy.at(name) + ": ";
    copy.write(name, pointer);
    EXPECT_EQ(copy.refused(), file + is_pointer);
    for (const std::string page : {"<!DOCTYPE html><html lang=\"en\">", "<html><head></head>",
                                   "\xef\xbb\xbf\r\n <!doctype HTML>\n"}) {
      copy.write(name, page);
      EXPECT_EQ(copy.refused(), file + is_page) << page;
    }
    // Files that only begin like one get the usual error.
    copy.write(name, std::string("version 1 of a file"));
    EXPECT_EQ(copy.refused().find("Git LFS"), std::string::npos);
    copy.write(name, std::string("<!DOC is no page"));
    EXPECT_EQ(copy.refused().find("web page"), std::string::npos);
  }
  const Copied copy("llama");
  copy.write("model-00002-of-00003.safetensors", pointer);
  EXPECT_EQ(copy.refused(), copy.at("model-00002-of-00003.safetensors") + ": " + is_pointer);
  copy.write("model.safetensors.index.json", pointer);
  EXPECT_EQ(copy.refused(), copy.at("model.safetensors.index.json") + ": " + is_pointer);
  copy.write("vocab.json", std::string("{}"));
  copy.write("merges.txt", pointer);
  EXPECT_EQ(copy.refused(), copy.at("merges.txt") + ": " + is_pointer);
}

TEST(Pretrained, SaysWhichFileDoesNotFit) {
  {
    const Copied copy("llama");
    const std::string part = copy.at("model-00002-of-00003.safetensors");
    std::vector<std::byte> bytes = read_file(part);
    bytes.resize(bytes.size() / 2);
    copy.write("model-00002-of-00003.safetensors", bytes);
    EXPECT_TRUE(copy.refused().starts_with(part + ": ")) << copy.refused();
    // The first part again: its tensors are duplicated.
    copy.write("model-00002-of-00003.safetensors",
               read_file(copy.at("model-00001-of-00003.safetensors")));
    EXPECT_EQ(copy.refused(), part + ": model.embed_tokens.weight: is there twice");
    std::filesystem::remove(part);
    EXPECT_EQ(copy.refused(), part + ": No such file or directory");
    const std::string index = copy.at("model.safetensors.index.json");
    copy.write("model.safetensors.index.json",
               R"({"weight_map": {"a": "model-00003-of-00003.safetensors"}})");
    EXPECT_EQ(copy.refused(),
              index + ": model.embed_tokens.weight: is missing; its shape would be [48, 16]");
    copy.write("model.safetensors.index.json", R"({"weight_map": {"a": "../x"}})");
    EXPECT_EQ(copy.refused(),
              index + ": weight_map: \"../x\" is not the name of a file in the same folder");
    copy.write("model.safetensors.index.json", "{}");
    EXPECT_EQ(copy.refused(), index + ": weight_map: is missing");
  }
  const Copied copy("gpt2");
  copy.write("tokenizer.json", tokenizer_json(Tokenizer([] {
               TokenizerParts bytes;
               for (int n = 0; n < 256; ++n) bytes.tokens.emplace_back(1, static_cast<char>(n));
               return bytes;
             }())));
  EXPECT_TRUE(
      copy.refused().ends_with(": the tokenizer has 256 tokens, and the model a vocabulary of 48"))
      << copy.refused();
  copy.write("tokenizer.json", "{");
  EXPECT_TRUE(copy.refused().starts_with(copy.at("tokenizer.json") + ": byte 1: "))
      << copy.refused();
  copy.write("config.json", "not a model");
  EXPECT_EQ(copy.refused(), copy.at("config.json") + ": byte 0: expected \"{\", found \"n\"");
  std::filesystem::remove(copy.at("config.json"));
  EXPECT_EQ(copy.refused(), copy.at("config.json") + ": No such file or directory");
}

}  // namespace
}  // namespace tril
