// Sentence encoders in GGUF files: the same as those of their folders, bit for bit
// (tests/golden/make_encoders.py writes both), and wrong files.
#include <gtest/gtest.h>
#include <tril/files/gguf.h>
#include <tril/foundation/random.h>
#include <tril/model/sentence_encoder.h>

#include <cmath>
#include <filesystem>
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
using testing::folder_of;
using testing::GgufWriter;
using testing::golden_tokens;

const std::vector<std::string> kSentences = {"The cat sat on the mat.", "unaffable", "",
                                             "Café, naïve 中文 ∑ [MASK]!", "A dog ran!"};

std::filesystem::path file_of(const std::string& name) { return folder_of(name + ".gguf"); }

std::vector<double> hidden_of(const ModelParameters& parameters) {
  Buffer<float, 2> hidden({testing::kGoldenTokens, parameters.config().width});
  encode_tokens(parameters, golden_tokens(), hidden);
  return testing::elements(hidden);
}
std::vector<double> vectors_of(const SentenceEncoder& encoder) {
  Buffer<float, 2> vectors({std::ssize(kSentences), encoder.width()});
  encode_sentences(encoder, kSentences, vectors);
  return testing::elements(vectors);
}

// A file with this content.
class Written {
 public:
  explicit Written(const std::string& file) : path_(folder_.path() / "model.gguf") {
    const auto bytes = std::as_bytes(std::span(file));
    write_file(path_, {&bytes, 1});
  }
  const std::filesystem::path& path() const { return path_; }
  // The error message without the call and the path.
  std::string refused() const {
    const std::string message = error_of([&] { read_sentence_encoder(path_); });
    const std::string begin = ": " + path_.string() + ": ";
    const std::size_t at = message.find(begin);
    EXPECT_NE(at, message.npos) << message;
    return message.substr(std::min(at + begin.size(), message.size()));
  }

 private:
  testing::TemporaryFolder folder_;
  std::filesystem::path path_;
};

class GgufEncoders : public ::testing::TestWithParam<const char*> {};

TEST_P(GgufEncoders, AreThoseOfTheirFolders) {
  const std::string name = GetParam();
  const SentenceEncoder expected = read_sentence_encoder(folder_of(name));
  SentenceEncoder encoder = read_sentence_encoder(file_of(name));
  ModelConfig config = encoder.model.parameters.config();
  config.dropout = expected.model.parameters.config().dropout;  // a training setting, in no file
  EXPECT_TRUE(config == expected.model.parameters.config()) << model_config_json(config);
  const TokenizerParts& found = encoder.model.tokenizer->parts();
  const TokenizerParts& parts = expected.model.tokenizer->parts();
  EXPECT_EQ(found.tokens, parts.tokens);
  EXPECT_EQ(found.word_pieces, parts.word_pieces);
  EXPECT_EQ(found.prefix, parts.prefix);
  EXPECT_EQ(found.suffix, parts.suffix);
  EXPECT_EQ(found.unknown.id, parts.unknown.id);
  EXPECT_EQ(hidden_of(encoder.model.parameters), hidden_of(expected.model.parameters));
  EXPECT_EQ(encoder.settings, (SentenceSettings{expected.settings.pooling, true, 0, false}));
  encoder.settings = expected.settings;
  EXPECT_EQ(vectors_of(encoder), vectors_of(expected));
}

INSTANTIATE_TEST_SUITE_P(Each, GgufEncoders, ::testing::Values("minilm", "bge"),
                         [](const auto& param) { return std::string(param.param); });

// A random encoder whose rows are blocks of q8_0.
struct Random64 {
  ModelParameters parameters;

  static ModelConfig config() {
    ModelConfig config = ModelConfig::of(ModelFamily::bert);
    config.layers = 2, config.heads = 4, config.width = 64, config.hidden = 96;
    config.context = 32, config.vocabulary = testing::kGoldenVocabulary, config.eps = 1e-12;
    return config;
  }
  Random64() : parameters(config(), ParameterMemory::floats) {
    Random random(9);
    for_each([&](const StoredParameter& each, float& value) {
      value = (random.uniform() - 0.5f) * 0.4f;
      if (each.shape.size() == 1 && each.name.ends_with("weight")) value += 1;
    });
  }
  template <typename Use>
  void for_each(const Use& use) {
    for (const StoredParameter& each : stored_parameters(config(), parameters.layout())) {
      for (Index i = 0; i < each.count(); ++i) use(each, each.data[i]);
    }
  }
  std::string file(std::uint32_t type) const {
    GgufWriter writer;
    testing::write_gguf_settings(writer, config());
    testing::write_gguf_tensors(writer, config(), testing::written(parameters), type);
    return writer.file();
  }
};

// Rounds matrices to the numbers that a file of this type stores.
void round_to(Random64& model, std::uint32_t type) {
  for (const StoredParameter& each :
       stored_parameters(Random64::config(), model.parameters.layout())) {
    if (each.shape.size() < 2) continue;
    const std::span<float> elements(each.data, static_cast<std::size_t>(each.count()));
    GgufWriter writer;
    writer.floats("x", each.shape, type, elements);
    const std::string file = writer.file();
    const Gguf gguf = parse_gguf_header(std::as_bytes(std::span(file)), file.size());
    StoredTensor tensor = gguf.tensors[0].tensor;
    tensor.bytes = std::as_bytes(std::span(file)).subspan(gguf.tensors[0].begin);
    tensor.bytes = tensor.bytes.first(*stored_bytes(tensor.shape, tensor.type));
    read_elements(tensor, elements);
  }
}

TEST(GgufEncoder, WidensQ8) {
  Random64 model;
  const Written file(model.file(testing::kTensorQ8));
  round_to(model, testing::kTensorQ8);
  EXPECT_EQ(hidden_of(read_pretrained(file.path()).parameters), hidden_of(model.parameters));
}

TEST(GgufEncoder, KeepsHalvesAndQ8WhereItIsAskedFor) {
  // The numbers are the same, but may be added up in another order, which changes a sum of K
  // products by K u of the sum of their magnitudes: at most 96 * 2^-24 * 96 * 0.2 * 3 = 3.3e-4 in a
  // row of the widest matrix, whose inputs come from a norm and hardly exceed 3. Two layers have 12
  // such sums, which norms bring back to size 1.
  constexpr double kBound = 12 * 3.3e-4;
  for (const auto& [type, kind] : {std::pair{testing::kTensorF16, WeightKind::float16},
                                   std::pair{testing::kTensorBf16, WeightKind::bfloat16},
                                   std::pair{testing::kTensorQ8, WeightKind::q8_0}}) {
    Random64 model;
    const Written file(model.file(type));
    const bool is_q8 = kind == WeightKind::q8_0;
    const PretrainedModel kept = read_pretrained(
        file.path(), {.weights = is_q8 ? ParameterMemory::q8_0 : ParameterMemory::as_in_files});
    EXPECT_LT(10 * kept.parameters.bytes(), (is_q8 ? 4 : 6) * model.parameters.bytes());
    round_to(model, type);
    const std::vector<double> found = hidden_of(kept.parameters);
    const std::vector<double> expected = hidden_of(model.parameters);
    double worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      worst = std::max(worst, std::fabs(found[i] - expected[i]));
    }
    EXPECT_LE(worst, kBound) << name_of(kWeightKinds, kind);
  }
}

// DistilBERT's files name one token type, and have no embedding of it.
TEST(GgufEncoder, MayBeWithoutTypesOfTokens) {
  ModelConfig config = Random64::config();
  config.token_types = 0;
  const ModelParameters parameters(config, ParameterMemory::floats);
  GgufWriter writer;
  testing::write_gguf_settings(writer, config);
  writer.u32("tokenizer.ggml.token_type_count", 1);
  testing::write_gguf_tensors(writer, config, testing::written(parameters));
  EXPECT_EQ(read_pretrained(Written(writer.file()).path()).parameters.config().token_types, 0);
}

// The golden file with one text replaced by another of the same size.
std::string with(const std::string& from, const std::string& to) {
  const std::vector<std::byte> bytes = read_file(file_of("minilm"));
  std::string file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t at = file.find(from);
  EXPECT_NE(at, file.npos) << from;
  EXPECT_EQ(from.size(), to.size());
  return file.replace(at, to.size(), to);
}
// The golden file with another number for a key.
std::string with(const std::string& key, std::uint32_t from, std::uint32_t to) {
  const std::string begin = key + testing::little<std::uint32_t>(testing::kU32);
  return with(begin + testing::little(from), begin + testing::little(to));
}

TEST(GgufEncoder, HasThePoolingThatItsFileSays) {
  const auto pooling = [](const std::string& file) {
    return read_sentence_encoder(Written(file).path()).settings.pooling;
  };
  EXPECT_EQ(pooling(with("bert.pooling_type", 1, 2)), Pooling::cls);
  EXPECT_EQ(pooling(with("bert.pooling_type", 1, 0)), Pooling::mean);
  EXPECT_EQ(pooling(with("bert.pooling_type", "bert.pooling_tipe")), Pooling::mean);
  const auto refused = [](std::uint32_t type) {
    return Written(with("bert.pooling_type", 1, type)).refused();
  };
  EXPECT_EQ(refused(3), "bert.pooling_type: last is not read; mean and cls are");
  EXPECT_EQ(refused(4), "bert.pooling_type: rank is not read; mean and cls are");
  EXPECT_EQ(refused(9), "bert.pooling_type: must be from 0 to 4, is 9");
}

TEST(GgufEncoder, SaysWhatIsWrong) {
  for (const std::string key : {"bert.block_count", "bert.context_length", "bert.embedding_length",
                                "bert.feed_forward_length", "bert.attention.head_count",
                                "bert.attention.layer_norm_epsilon"}) {
    EXPECT_EQ(Written(with(key, std::string(key.size(), 'x'))).refused(), key + ": is missing");
  }
  EXPECT_EQ(Written(with(std::string("bert.attention.causal\7\0\0\0\0", 26),
                         std::string("bert.attention.causal\7\0\0\0\1", 26)))
                .refused(),
            "bert.attention.causal: must be false");
  EXPECT_EQ(Written(with("bert.context_length", 32, 16)).refused(),
            "position_embd.weight: shape must be [16, 16], is [32, 16]");
  EXPECT_EQ(Written(with("tokenizer.ggml.token_type_count", 2, 3)).refused(),
            "token_types.weight: shape must be [3, 16], is [2, 16]");
  EXPECT_EQ(Written(with("bert.feed_forward_length", 40, 32)).refused(),
            "blk.0.ffn_up.weight: shape must be [32, 16], is [40, 16]");
  EXPECT_EQ(Written(with("bert.block_count", 2, 3)).refused(),
            "blk.2.attn_output_norm.weight: is missing; its shape would be [16]");
  EXPECT_EQ(Written(with("bert.block_count", 2, 1)).refused(),
            "blk.1.attn_q.weight: is no parameter of a model of the family bert with 1 layers");
  EXPECT_EQ(Written(with("tokenizer.ggml.tokens", "tokenizer.ggml.tokenz")).refused(),
            "tokenizer.ggml.tokens: is missing, or empty");
  EXPECT_EQ(Written(with("tokenizer.ggml.cls_token_id", 2, 153)).refused(),
            "tokenizer.ggml.cls_token_id: must be below 153, is 153");
  EXPECT_EQ(Written(with("tokenizer.ggml.model", "tokenizer.ggml.modal")).refused(),
            "has no tokenizer");
  EXPECT_EQ(Written("no model").refused(),
            "is no GGUF file; a model's other files are read from their folder");
  const SentenceEncoder encoder = read_sentence_encoder(file_of("minilm"));
  EXPECT_EQ(vectors_of(encoder).size(), kSentences.size() * 16);
}

TEST(GgufEncoder, CutShortAnywhereIsRefused) {
  const std::string file = with("bert", "bert");
  for (std::size_t size = 0; size < file.size(); size += 499) {
    EXPECT_NE(Written(file.substr(0, size)).refused(), "") << size;
  }
}

}  // namespace
}  // namespace tril
