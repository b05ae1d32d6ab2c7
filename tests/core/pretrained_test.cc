// Models of three families as their authors' libraries write them, against PyTorch in float64
// (tests/golden/make_models.py), settings read back from what was written, and files that are
// refused.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/model/decoding_session.h>
#include <tril/model/model_file.h>
#include <tril/model/pretrained.h>
#include <tril/model/sampling.h>
#include <tril/model/tokenizer_file.h>

#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"
#include "core/gradient.h"

namespace tril {
namespace {

using testing::error_of;
using testing::golden;

constexpr Index kTokens = 24, kVocabulary = 48;

std::filesystem::path folder_of(const std::string& name) {
  return std::filesystem::path(testing::kGoldenFolder) / "models" / name;
}

std::vector<std::int32_t> tokens() {
  std::vector<std::int32_t> ids;
  for (std::int32_t n = 0; n < kTokens; ++n) ids.push_back((7 * n * n + 3 * n + 1) % kVocabulary);
  return ids;
}

// A term that is missing, or stands in the wrong place, changes the leading digits of logits.
// Before them are fewer than 30 operations in a row, 13 a layer, each a sum of up to 64 terms.
constexpr double kRounded = 30 * 64 * testing::kRounding;

// Logits all at once, and one by one.
void expect_golden(const ModelConfig& config, const ModelParameters& parameters,
                   const std::string& path) {
  const Buffer<float, 2> expected = golden<2>("models/" + path);
  const double bound = kRounded * testing::max_abs(expected.view());
  const std::vector<std::int32_t> ids = tokens();
  Scratch scratch;
  Parallel parallel;
  DecodingSession session(config, parameters);
  Buffer<float, 2> logits({kTokens, kVocabulary});
  session.append(ids, logits, scratch, parallel);
  EXPECT_TRUE(testing::close(expected, logits, bound)) << path;
  session.set_length(0);
  for (Index n = 0; n < kTokens; ++n) {
    const VectorView<const float> next = session.append({ids.data() + n, 1}, scratch, parallel);
    EXPECT_TRUE(testing::close(expected.view()[n], next, bound)) << path << " at " << n;
  }
}

TEST(Pretrained, LogitsArePyTorchs) {
  for (const std::string name : {"gpt2", "llama", "qwen2"}) {
    SCOPED_TRACE(name);
    std::vector<std::string> files;
    const PretrainedModel model = read_pretrained(folder_of(name), [&](const std::string& path) {
      files.push_back(std::filesystem::path(path).filename().string());
    });
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

TEST(Pretrained, SamplingIsReproducible) {
  const PretrainedModel model = read_pretrained(folder_of("qwen2"));
  Scratch scratch;
  Parallel parallel;
  const auto drawn = [&](std::uint64_t seed) {
    DecodingSession session(model.parameters);
    Sampler sampler({.temperature = 0.8, .top_k = 30, .top_p = 0.95}, seed);
    const std::vector<std::int32_t> prompt = {1, 2, 3};
    std::vector<std::int32_t> out = {sampler.draw(session.append(prompt, scratch, parallel))};
    while (out.size() < 20) {
      out.push_back(sampler.draw(session.append({&out.back(), 1}, scratch, parallel)));
    }
    return out;
  };
  EXPECT_EQ(drawn(4), drawn(4));
  EXPECT_NE(drawn(4), drawn(5));
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
  odd = ModelConfig::of(ModelFamily::llama);
  odd.biases = true;
  for (const RotaryScaling& scaling :
       {RotaryScaling{.kind = RotaryScalingKind::linear, .factor = 1.5},
        RotaryScaling{.kind = RotaryScalingKind::dynamic, .factor = 4, .original = 32},
        RotaryScaling{
            .kind = RotaryScalingKind::llama3, .factor = 8, .original = 99, .low = 2, .high = 3}}) {
    odd.rotary_scaling = scaling;
    configs.push_back(odd);
  }
  for (ModelConfig& config : configs) {
    config.vocabulary = 77;
    config.kv_heads = config.kv_head_count(), config.hidden = config.hidden_width();
    if (config.family == ModelFamily::gpt2) config.kv_heads = 0;
    const std::string text = model_config_json(config);
    const PretrainedConfig read = parse_model_config(text);
    EXPECT_TRUE(read.config == config) << text;
    EXPECT_EQ(model_config_json(read.config), text);
    const std::string half = model_config_json(config, ElementType::float16);
    EXPECT_NE(half.find("\"torch_dtype\": \"float16\""), std::string::npos);
    EXPECT_TRUE(parse_model_config(half).config == config);
    EXPECT_TRUE(read.end_tokens.empty());
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
  // The base is beside what scales it.
  const PretrainedConfig beside = parse_model_config(
      R"({"model_type": "llama", "vocab_size": 9, "hidden_size": 8, "intermediate_size": 16,
          "num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 64,
          "rope_parameters": {"rope_type": "linear", "factor": 2}, "rope_theta": 5e5})");
  EXPECT_TRUE(beside.config == read.config);
}

// The settings of the golden Llama with one text of the file in place of another.
std::string changed(const std::string& from, const std::string& to) {
  const std::vector<std::byte> bytes = read_file(folder_of("llama") / "config.json");
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ModelConfigJson, RefusesWhatNoModelHereCanBe) {
  const auto refused = [](const std::string& from, const std::string& to, const std::string& why) {
    EXPECT_EQ(error_of([&] { parse_model_config(changed(from, to)); }),
              "parse_model_config: " + why);
  };
  refused("\"llama\"", "\"bert\"",
          "model_type: unknown family \"bert\"; there are gpt2, llama, qwen2");
  refused("\"model_type\"", "\"type\"", "model_type: is missing");
  refused("\"hidden_size\": 16", "\"hidden_size\": \"16\"",
          "hidden_size: must be a whole number, is \"\\\"16\\\"\"");
  refused("\"hidden_size\": 16", "\"hidden_size\": null", "hidden_size: is missing");
  refused("\"hidden_size\": 16", "\"hidden_size\": 16.5",
          "hidden_size: must be a whole number, is \"16.5\"");
  refused("\"silu\"", "\"gelu\"", "hidden_act: must be \"silu\", is \"gelu\"");
  refused("\"head_dim\": 4", "\"head_dim\": 8",
          "head_dim: 4 heads of 8 are not as wide as hidden_size, 16");
  // Four times that is 16, as far as an Index counts.
  const std::string wrapping = std::to_string(std::numeric_limits<Index>::max() / 2 + 5);
  refused("\"head_dim\": 4", "\"head_dim\": " + wrapping,
          "head_dim: 4 heads of " + wrapping + " are not as wide as hidden_size, 16");
  refused("\"attention_bias\": false", "\"attention_bias\": true",
          "mlp_bias: must be as attention_bias");
  refused("\"llama3\"", "\"yarn\"",
          "rope_scaling: unknown rope_type \"yarn\"; there are none, linear, dynamic, llama3");
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
          "layers: must be from 1 to 65536, is 16777216");
  refused("\"num_attention_heads\": 4", "\"num_attention_heads\": 0",
          "head_dim: 0 heads of 4 are not as wide as hidden_size, 16");
  refused("5\n  ]", "48\n  ]", "eos_token_id: 48 is no token of a vocabulary of 48");
  EXPECT_EQ(error_of([] { parse_model_config("[]"); }),
            "parse_model_config: file: byte 0: expected \"{\", found \"[\"");
  EXPECT_EQ(error_of([] { parse_model_config("{} x"); }),
            "parse_model_config: file: byte 3: something follows the object");
}

// A folder of its own with a copy of a golden model.
class Copied {
 public:
  explicit Copied(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("tril-pretrained-" + std::to_string(std::random_device()()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::copy(folder_of(name), path_);
  }
  ~Copied() { std::filesystem::remove_all(path_); }
  std::string at(const std::string& name) const { return (path_ / name).string(); }
  void write(const std::string& name, std::span<const std::byte> bytes) const {
    write_file(path_ / name, {&bytes, 1});
  }
  void write(const std::string& name, const std::string& text) const {
    write(name, std::as_bytes(std::span(text)));
  }
  // The message, without the call.
  std::string refused() const {
    const std::string message = error_of([&] { read_pretrained(path_); });
    EXPECT_TRUE(message.starts_with("read_pretrained: ")) << message;
    return message.substr(std::string("read_pretrained: ").size());
  }
  bool is_read() const {
    read_pretrained(path_);
    return true;
  }

 private:
  std::filesystem::path path_;
};

// The file with other tensors in place of those that change() leaves.
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
  // A head that is the embedding is passed over.
  copy.write("model.safetensors", good);
  copy.write("model.safetensors", rewritten(file, [](auto& tensors) {
               tensors.push_back(tensors[0]);
               tensors.back().name = "lm_head.weight";
             }));
  EXPECT_TRUE(copy.is_read());
}

#ifndef __EMSCRIPTEN__  // whose memory model.test.ts asks for
TEST(Pretrained, SaysHowMuchMemoryItTakes) {
  ModelConfig config = ModelConfig::of(ModelFamily::llama);
  config.layers = 1, config.heads = 1, config.vocabulary = 1 << 24, config.width = 1 << 20;
  config.hidden = 1;
  const std::string text = error_of([&] { ModelParameters parameters(config); });
  EXPECT_TRUE(text.starts_with(
      "read_pretrained: memory: does not suffice: the parameters take 150994968 MiB"))
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
    // What only begins like one is what it is.
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
    // The first part once more: the tensors of it are there twice.
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
