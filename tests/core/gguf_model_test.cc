// Models in GGUF files: the same as those in the folders from which they were made, bit for bit.
#include <gtest/gtest.h>
#include <tril/model/decoding_session.h>
#include <tril/model/gguf_config.h>
#include <tril/model/pretrained.h>

#include <string>
#include <utility>
#include <vector>

#include "core/compare.h"
#include "core/gguf_models.h"
#include "core/golden_logits.h"
#include "core/golden_models.h"

namespace tril {
namespace {

using testing::error_of;
using testing::GgufWriter;
using testing::golden_tokens;

std::vector<double> logits_of(const ModelParameters& parameters) {
  const std::vector<std::int32_t> ids = golden_tokens();
  DecodingSession session(parameters.config(), parameters);
  Buffer<float, 2> logits({std::ssize(ids), parameters.config().vocabulary});
  session.append(ids, logits);
  return testing::elements(logits);
}

// A file with this content.
class Written {
 public:
  explicit Written(const std::string& file, const std::string& name = "model.gguf")
      : path_(folder_.path() / name) {
    const auto bytes = std::as_bytes(std::span(file));
    write_file(path_, {&bytes, 1});
  }
  const std::filesystem::path& path() const { return path_; }
  // The error message without the call and the path.
  std::string refused() const {
    const std::string message = error_of([&] { read_pretrained(path_); });
    const std::string begin = "read_pretrained: " + path_.string() + ": ";
    EXPECT_TRUE(message.starts_with(begin)) << message;
    return message.substr(std::min(begin.size(), message.size()));
  }

 private:
  testing::TemporaryFolder folder_;
  std::filesystem::path path_;
};

// A golden model with float32 parameters, and settings that GGUF files can express.
class Golden {
 public:
  explicit Golden(const std::string& name) : copy_(name), model_(read(name)) {}
  const PretrainedModel& model() const { return model_; }
  const ModelConfig& config() const { return model_.parameters.config(); }
  std::vector<std::byte> file() const { return testing::written(model_.parameters); }

 private:
  PretrainedModel read(const std::string& name) {
    if (name.starts_with("gemma")) {
      copy_.write("config.json", testing::changed("query_pre_attn_scalar\": 9",
                                                  "query_pre_attn_scalar\": 6", name));
    }
    if (name == "smollm3") {
      copy_.write("config.json", testing::changed("\"no_rope_layers\"", "\"x\"", name));
    }
    const PretrainedModel narrow = read_pretrained(copy_.path());
    const LanguageModel floats(narrow.parameters);
    std::filesystem::remove(copy_.path() / "model.safetensors.index.json");
    copy_.write("model.safetensors", model_file(floats));
    return read_pretrained(copy_.path());
  }

  testing::Copied copy_;
  PretrainedModel model_;
};

std::string gguf_of(const Golden& golden, std::uint32_t type = testing::kTensorF32) {
  GgufWriter writer;
  testing::write_gguf_settings(writer, golden.config());
  testing::write_gguf_tensors(writer, golden.config(), golden.file(), type);
  writer.u32("tokenizer.ggml.bos_token_id", golden.model().tokens.begin.front());
  writer.u32("tokenizer.ggml.eos_token_id", golden.model().tokens.end.front());
  if (golden.model().tokens.end.size() > 1) {
    writer.u32("tokenizer.ggml.eot_token_id", golden.model().tokens.end[1]);
  }
  return writer.file();
}

class GgufModels : public ::testing::TestWithParam<ModelFamily> {
 protected:
  Golden golden{std::string(name_of(kModelFamilies, GetParam()))};
};

TEST_P(GgufModels, AreThoseOfTheirFolders) {
  const Written file(gguf_of(golden));
  ReadProgress last = {};
  const PretrainedModel model =
      read_pretrained(file.path(), {.progress = [&](const ReadProgress& now) { last = now; }});
  EXPECT_EQ(last.path, file.path().string());
  EXPECT_EQ(last.read, last.all);
  ModelConfig config = model.parameters.config();
  EXPECT_EQ(config.hidden_width(), golden.config().hidden_width());
  config.hidden = golden.config().hidden;
  config.dropout = golden.config().dropout;
  EXPECT_TRUE(config == golden.config())
      << model_config_json(config) << model_config_json(golden.config());
  EXPECT_EQ(model.tokens, golden.model().tokens);
  EXPECT_EQ(model.end_tokens, golden.model().end_tokens);
  EXPECT_FALSE(model.tokenizer);
  EXPECT_EQ(logits_of(model.parameters), logits_of(golden.model().parameters));
}

TEST_P(GgufModels, KeepHalves) {
  struct Half {
    std::uint32_t type;
    ElementType element;
    WeightKind kind;
  };
  for (const auto& [type, element, kind] :
       {Half{testing::kTensorF16, ElementType::float16, WeightKind::float16},
        Half{testing::kTensorBf16, ElementType::bfloat16, WeightKind::bfloat16}}) {
    const Written file(gguf_of(golden, type));
    const PretrainedModel model = read_pretrained(file.path());
    EXPECT_EQ(model.parameters.types().back().type, kind);
    // The numbers are rounded as in a folder.
    const testing::Copied copy(std::string(name_of(kModelFamilies, GetParam())));
    std::filesystem::remove(copy.path() / "model.safetensors.index.json");
    std::vector<std::vector<float>> elements;
    std::vector<TensorToStore> tensors;
    const std::vector<std::byte> bytes = golden.file();
    for (const NamedTensor& each : parse_safetensors(bytes).tensors) {
      elements.emplace_back(static_cast<std::size_t>(each.tensor.count()));
      read_elements(each.tensor, std::span(elements.back()));
      const bool is_matrix = each.tensor.shape.size() > 1;
      tensors.push_back({each.name, each.tensor.shape, elements.back(),
                         is_matrix ? element : ElementType::float32});
    }
    copy.write("model.safetensors", safetensors_bytes(tensors));
    copy.write("config.json", model_config_json(golden.config()));
    EXPECT_EQ(logits_of(model.parameters), logits_of(read_pretrained(copy.path()).parameters));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, GgufModels,
    ::testing::Values(ModelFamily::gpt2, ModelFamily::llama, ModelFamily::qwen2, ModelFamily::qwen3,
                      ModelFamily::mistral, ModelFamily::olmo2, ModelFamily::gpt_neox,
                      ModelFamily::phi3, ModelFamily::gemma2, ModelFamily::gemma3_text,
                      ModelFamily::starcoder2, ModelFamily::stablelm, ModelFamily::smollm3),
    [](const auto& param) { return std::string(name_of(kModelFamilies, param.param)); });

// Blocks of 32 numbers, each a scale times bytes, widened.
TEST(GgufModel, Q8IsThatOfItsNumbers) {
  ModelConfig config = ModelConfig::of(ModelFamily::llama);
  config.layers = 2, config.heads = 4, config.kv_heads = 2, config.width = 64, config.hidden = 96;
  config.vocabulary = testing::kGoldenVocabulary;
  LanguageModel model(config, 3);
  GgufWriter writer;
  testing::write_gguf_settings(writer, config);
  testing::write_gguf_tensors(writer, config, model_file(model), testing::kTensorQ8);
  const PretrainedModel read = read_pretrained(Written(writer.file()).path());
  EXPECT_EQ(read.parameters.types().front().type, WeightKind::float32);
  // Rows are reordered, but each as a whole: they are rounded as in the other file.
  for (const StoredParameter& each : stored_parameters(config, model.weights())) {
    if (each.shape.size() < 2) continue;
    for (Index n = 0; n < each.count(); n += 32) {
      const std::string block = testing::q8_block({each.data + n, 32});
      StoredTensor tensor{.type = ElementType::q8_0, .shape = {32}};
      tensor.bytes = std::as_bytes(std::span(block));
      read_elements(tensor, std::span(each.data + n, 32));
    }
  }
  const testing::Copied copy("llama");
  std::filesystem::remove(copy.path() / "model.safetensors.index.json");
  copy.write("model.safetensors", model_file(model));
  copy.write("config.json", model_config_json(config));
  EXPECT_EQ(logits_of(read.parameters), logits_of(read_pretrained(copy.path()).parameters));
}

// The blocks stay as they are, whoever made them: blocks that would change if quantised again.
TEST(GgufModel, Q8StaysAsItIsWhereItIsAskedFor) {
  ModelConfig config = ModelConfig::of(ModelFamily::llama);
  config.layers = 2, config.heads = 4, config.kv_heads = 2, config.width = 64, config.hidden = 96;
  config.vocabulary = testing::kGoldenVocabulary;
  LanguageModel model(config, 3);
  GgufWriter writer;
  testing::write_gguf_settings(writer, config);
  testing::write_gguf_tensors(writer, config, model_file(model), testing::kTensorQ8);
  std::string file = writer.file();
  const Gguf gguf = parse_gguf_header(std::as_bytes(std::span(file)), file.size());
  for (const NamedTensor& each : gguf.tensors) {
    if (each.tensor.type != ElementType::q8_0) continue;
    const std::size_t size = *stored_bytes(each.tensor.shape, each.tensor.type);
    for (std::size_t at = 0; at < size; ++at) {
      char& byte = file[each.begin + at];
      if (at % 34 >= 2) byte = static_cast<char>(static_cast<signed char>(byte) / 2);
    }
  }
  const Written written(file);
  const PretrainedModel widened = read_pretrained(written.path());
  const PretrainedModel kept = read_pretrained(written.path(), {.weights = ParameterMemory::q8_0});
  EXPECT_LT(kept.parameters.bytes(), widened.parameters.bytes() / 3);
  const auto of = [&](const PretrainedModel& each) {
    return stored_parameters(config, each.parameters.layout());
  };
  const std::vector<StoredParameter> exact = of(widened), found = of(kept);
  int matrices = 0;
  for (std::size_t n = 0; n < exact.size(); ++n) {
    if (!exact[n].matrix) continue;
    matrices += 1;
    const MatrixView<const float> floats = widened.parameters.rows_of(exact[n]).floats();
    const Weight weight = kept.parameters.rows_of(found[n]);
    ASSERT_EQ(weight.kind(), WeightKind::q8_0) << exact[n].name;
    std::vector<float> row(static_cast<std::size_t>(weight.size(1)));
    for (Index r = 0; r < weight.size(0); ++r) {
      weight.widen(r, 0, weight.size(1), row.data());
      for (Index c = 0; c < weight.size(1); ++c) {
        ASSERT_EQ(row[static_cast<std::size_t>(c)], floats[r][c])
            << exact[n].name << " [" << r << ", " << c << "]";
      }
    }
  }
  EXPECT_EQ(matrices, 16);
}

TEST(GgufModel, Llama3sScalingIsFoundInItsFactors) {
  const auto factors = [](double factor, double original, double base, Index pairs) {
    std::vector<float> list;
    for (Index i = 0; i < pairs; ++i) {
      const double turn =
          6.283185307179586 * std::pow(base, static_cast<double>(i) / static_cast<double>(pairs));
      const double smooth = std::clamp((original / turn - 1) / 3, 0.0, 1.0);
      list.push_back(static_cast<float>(1 / ((1 - smooth) / factor + smooth)));
    }
    return list;
  };
  for (const double factor : {8.0, 32.0}) {
    for (const Index pairs : {16, 32, 64}) {
      for (const Index original : {2048, 8192}) {
        const auto scaling =
            rotary_scaling_of(5e5, factors(factor, static_cast<double>(original), 5e5, pairs));
        ASSERT_TRUE(scaling);
        EXPECT_EQ(*scaling,
                  (RotaryScaling{
                      .kind = RotaryScalingKind::llama3, .factor = factor, .original = original}));
      }
    }
  }
  EXPECT_FALSE(rotary_scaling_of(5e5, std::vector<float>{1, 2, 3, 4}));
  EXPECT_FALSE(rotary_scaling_of(5e5, std::vector<float>{1, 0}));
  EXPECT_FALSE(rotary_scaling_of(5e5, std::vector<float>{NAN, 1}));
}

TEST(GgufModel, FactorsOfLongropeAreTensors) {
  const Golden golden("phi3");
  ModelConfig config = golden.config();
  config.rotary_scaling = {.kind = RotaryScalingKind::longrope,
                           .original = 16,
                           .short_factors = {1.25},
                           .long_factors = {3.5},
                           .magnitude = 1.125};
  GgufWriter writer;
  testing::write_gguf_settings(writer, config);
  testing::write_gguf_tensors(writer, config, golden.file());
  const PretrainedModel model = read_pretrained(Written(writer.file()).path());
  EXPECT_EQ(model.parameters.config().rotary_scaling, config.rotary_scaling);
  const testing::Copied copy("phi3");
  copy.write("config.json", model_config_json(config));
  EXPECT_EQ(logits_of(model.parameters), logits_of(read_pretrained(copy.path()).parameters));

  config.rotary_scaling.short_factors = {-1};
  GgufWriter wrong;
  testing::write_gguf_settings(wrong, config);
  testing::write_gguf_tensors(wrong, config, golden.file());
  EXPECT_EQ(Written(wrong.file()).refused(),
            "rope_factors_short.weight: must be finite and above 0, is -1");
}

TEST(GgufModel, SaysWhatIsWrong) {
  const Golden golden("qwen2");
  const auto with = [&](const auto& change) {
    GgufWriter writer;
    change(writer);
    return Written(writer.file()).refused();
  };
  const auto settings = [&](const auto& more) {
    return with([&](GgufWriter& writer) {
      testing::write_gguf_settings(writer, golden.config());
      testing::write_gguf_tensors(writer, golden.config(), golden.file());
      more(writer);
    });
  };
  EXPECT_EQ(with([](GgufWriter& writer) { writer.u32("x", 1); }),
            "general.architecture: is missing");
  EXPECT_EQ(
      with([](GgufWriter& writer) { writer.text("general.architecture", "mamba"); }),
      "general.architecture: unknown architecture \"mamba\"; there are gpt2, llama, "
      "qwen2, qwen3, olmo2, gptneox, phi3, gemma2, gemma3, starcoder2, stablelm, smollm3, bert");
  EXPECT_EQ(with([](GgufWriter& writer) { writer.text("general.architecture", "llama"); }),
            "llama.block_count: is missing");
  EXPECT_EQ(settings([](GgufWriter& writer) { writer.u32("qwen2.attention.sliding_window", 4); }),
            "qwen2.attention.sliding_window: must be 0, is 4");
  EXPECT_EQ(settings([](GgufWriter& writer) { writer.u32("qwen2.attention.value_length", 5); }),
            "qwen2.attention.value_length: must be 4, as that of keys");
  EXPECT_EQ(settings([](GgufWriter& writer) { writer.flag("qwen2.attention.causal", false); }),
            "qwen2.attention.causal: must be true");
  EXPECT_EQ(
      settings([](GgufWriter& writer) { writer.value("split.count", testing::kU16, "\3\1"); }),
      "split.count: must be 1, is 259: join the parts by `llama-gguf-split --merge`");
  EXPECT_EQ(settings([](GgufWriter& writer) { writer.text("qwen2.rope.scaling.type", "yarn"); }),
            "rope_scaling: unknown rope_type \"yarn\"; there are none, linear, dynamic, llama3, "
            "longrope");
  EXPECT_EQ(settings([](GgufWriter& writer) {
              writer.floats("blk.0.extra.weight", {1}, testing::kTensorF32, std::vector<float>{1});
            }),
            "blk.0.extra.weight: is no parameter of a model of the family qwen2 with 2 layers");
  EXPECT_EQ(
      settings([](GgufWriter& writer) {
        writer.floats("rope_freqs.weight", {2}, testing::kTensorF32, std::vector<float>{3, 2});
      }),
      "rope_freqs.weight: are not those of Llama 3's scaling of positions");
  EXPECT_EQ(with([&](GgufWriter& writer) {
              testing::write_gguf_settings(writer, golden.config());
              writer.floats("token_embd.weight", {48, 16}, testing::kTensorF32,
                            std::vector<float>(48 * 16));
            }),
            "blk.0.attn_norm.weight: is missing; its shape would be [16]");
  EXPECT_EQ(
      with([&](GgufWriter& writer) { testing::write_gguf_settings(writer, golden.config()); }),
      "token_embd.weight: is missing");
  EXPECT_EQ(Written("not a model").refused(),
            "is no GGUF file; a model's other files are read from their folder");
  EXPECT_EQ(Written(std::string("PK\3\4") + std::string(60, '\0')).refused(),
            "is a .zip archive: unpack it first");
  EXPECT_EQ(Written("").refused(),
            "is no GGUF file; a model's other files are read from their folder");
  EXPECT_EQ(logits_of(read_pretrained(Written(gguf_of(golden)).path()).parameters),
            logits_of(golden.model().parameters));
}

TEST(GgufModel, CutShortAnywhereIsRefused) {
  const Golden golden("llama");
  const std::string file = gguf_of(golden);
  for (std::size_t size = 0; size < file.size(); size += 499) {
    EXPECT_NE(Written(file.substr(0, size)).refused(), "") << size;
  }
}

}  // namespace
}  // namespace tril
