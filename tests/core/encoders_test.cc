// Sentence encoders as their authors' libraries write them, against PyTorch in float64
// (tests/golden/make_encoders.py): vectors of tokens and of sentences, attention, and wrong input.
#include <gtest/gtest.h>
#include <tril/model/generation.h>
#include <tril/model/language_model.h>
#include <tril/model/model_attention.h>
#include <tril/model/parameter_writer.h>
#include <tril/model/sentence_encoder.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden_logits.h"
#include "core/golden_models.h"

namespace tril {
namespace {

using testing::error_of;
using testing::folder_of;
using testing::golden;
using testing::golden_tokens;

const std::vector<std::string> kSentences = {
    "The cat sat on the mat.",
    "A dog ran!",
    "unaffable",
    "",
    "Café, naïve résumé",
    "the cat sat on the mat and the dog ran and the cat ran and the dog sat"};

// A new folder with a copy of a golden encoder.
class CopiedEncoder : public testing::Copied {
 public:
  explicit CopiedEncoder(const std::string& name) : Copied(name) {
    std::filesystem::copy(folder_of(name) / "1_Pooling", path() / "1_Pooling");
  }
  std::string refused_encoder() const {
    return error_of([&] { read_sentence_encoder(path()); });
  }
};

// Expects numbers within a share of the largest. Both sides have numbers that floats hold exactly;
// float32 here differs by a few roundings per layer.
template <typename View>
void expect_near(const View& actual, const View& expected, double share, const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what;
  double largest = 0, worst = 0;
  for (Index i = 0; i < expected.count(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(expected.data()[i])));
    worst = std::max(worst, std::fabs(static_cast<double>(actual.data()[i]) - expected.data()[i]));
  }
  EXPECT_LE(worst, share * largest) << what;
}

constexpr double kShare = 2e-6;

class Encoders : public ::testing::TestWithParam<const char*> {};

TEST_P(Encoders, GiveTheVectorsOfTokensAndTheAttentionThatPyTorchGives) {
  const std::string name = GetParam();
  const PretrainedModel model = read_pretrained(folder_of(name));
  const ModelConfig& config = model.parameters.config();
  EXPECT_EQ(config.family, ModelFamily::bert);
  EXPECT_EQ(config.eps, 1e-12);
  EXPECT_EQ(config.token_types, 2);
  const std::vector<std::int32_t> ids = golden_tokens();
  Buffer<float, 2> hidden({static_cast<Index>(ids.size()), config.width});
  encode_tokens(model.parameters, ids, hidden);
  expect_near(hidden.view(), golden<2>("models/" + name + "/hidden").view(), kShare, name);
  Buffer<float, 4> weights(model_attention_shape(model.parameters, hidden.shape()[0]));
  model_attention(model.parameters, ids, weights);
  expect_near(weights.view(), golden<4>("models/" + name + "/attention").view(), kShare, name);
}

TEST_P(Encoders, GiveTheVectorsOfSentencesThatPyTorchGives) {
  const std::string name = GetParam();
  const SentenceEncoder encoder = read_sentence_encoder(folder_of(name));
  const auto count = static_cast<Index>(kSentences.size());
  Buffer<float, 2> vectors({count, encoder.width()}), cosines({count, count});
  encode_sentences(encoder, kSentences, vectors);
  expect_near(vectors.view(), golden<2>("models/" + name + "/sentences").view(), kShare, name);
  cosine_similarity(vectors, vectors, cosines);
  for (Index n = 0; n < count; ++n) EXPECT_NEAR(cosines.view()[n][n], 1, 1e-6);
  EXPECT_EQ(cosines.view()[0][5], cosines.view()[5][0]);
}

// Encoders are the same after writing and reading, and run with every kind of weights in memory.
TEST_P(Encoders, AreWrittenAsTheyWereRead) {
  const std::string name = GetParam();
  const CopiedEncoder copy(name);
  const PretrainedModel model = read_pretrained(folder_of(name));
  const std::string settings = model_config_json(model.parameters.config());
  copy.write("config.json", settings);
  EXPECT_EQ(settings.find("tril_"), settings.npos) << settings;
  copy.write("model.safetensors", testing::written(model.parameters));
  const SentenceEncoder again = read_sentence_encoder(copy.path());
  EXPECT_TRUE(again.model.parameters.config() == model.parameters.config()) << settings;
  Buffer<float, 2> vectors({6, again.width()});
  encode_sentences(again, kSentences, vectors);
  expect_near(vectors.view(), golden<2>("models/" + name + "/sentences").view(), kShare, name);
  const SentenceEncoder narrow =
      read_sentence_encoder(copy.path(), {.weights = ParameterMemory::q8_0});
  encode_sentences(narrow, kSentences, vectors);
  expect_near(vectors.view(), golden<2>("models/" + name + "/sentences").view(), 0.1, name);
}

INSTANTIATE_TEST_SUITE_P(Each, Encoders, ::testing::Values("minilm", "bge"),
                         [](const auto& param) { return std::string(param.param); });

TEST(SentenceEncoder, IsWhatItsFilesSay) {
  const SentenceEncoder minilm = read_sentence_encoder(folder_of("minilm"));
  EXPECT_EQ(minilm.settings, (SentenceSettings{Pooling::mean, true, 12, false}));
  const SentenceEncoder bge = read_sentence_encoder(folder_of("bge"));
  EXPECT_EQ(bge.settings, (SentenceSettings{Pooling::cls, false, 0, false}));
  EXPECT_FALSE(bge.model.tokenizer->parts().word_pieces->lower_case);

  const CopiedEncoder copy("minilm");
  copy.write("1_Pooling/config.json",
             "{\"pooling_mode_mean_tokens\": false, \"pooling_mode_max_tokens\": true}");
  SentenceEncoder largest = read_sentence_encoder(copy.path());
  largest.settings.normalised = false;
  Buffer<float, 2> vectors({6, largest.width()});
  encode_sentences(largest, kSentences, vectors);
  expect_near(vectors.view(), golden<2>("models/minilm/max").view(), kShare, "max");
  copy.write("1_Pooling/config.json", "{\"pooling_mode\": \"cls\"}");
  EXPECT_EQ(read_sentence_encoder(copy.path()).settings.pooling, Pooling::cls);
}

TEST(SentenceEncoder, HasTheDefaultsOfSentenceTransformersWhereFilesAreMissing) {
  const CopiedEncoder copy("minilm");
  for (const char* const name :
       {"modules.json", "1_Pooling/config.json", "sentence_bert_config.json"}) {
    std::filesystem::remove(copy.path() / name);
  }
  EXPECT_EQ(read_sentence_encoder(copy.path()).settings, SentenceSettings{});
}

TEST(SentenceEncoder, CutsLongTextsBeforeWhatStandsBehindEveryOne) {
  const SentenceEncoder encoder = read_sentence_encoder(folder_of("minilm"));
  const ModelConfig& config = encoder.model.parameters.config();
  const auto tokens = [&](Index most, const std::string& text) {
    return sentence_tokens(*encoder.model.tokenizer, {.max_tokens = most}, config, text);
  };
  const std::vector<std::int32_t> whole = tokens(0, "the cat sat"), cut = tokens(4, "the cat sat");
  ASSERT_EQ(whole.size(), 5u);
  EXPECT_EQ(cut, (std::vector<std::int32_t>{whole[0], whole[1], whole[2], whole[4]}));
  std::string many;
  for (Index i = 0; i <= config.context; ++i) many += "the ";
  EXPECT_EQ(tokens(config.context + 1, many).size(), static_cast<std::size_t>(config.context));
  EXPECT_EQ(
      error_of([&] { tokens(1, "a"); }),
      "encode_sentences: tokenizer: puts 2 tokens around each text, and there may be 1 in all");
}

TEST(SentenceEncoder, LowersCaseWhereItsFileSaysSo) {
  const SentenceEncoder encoder = read_sentence_encoder(folder_of("bge"));
  const ModelConfig& config = encoder.model.parameters.config();
  const auto tokens = [&](bool lower, const std::string& text) {
    return sentence_tokens(*encoder.model.tokenizer, {.lower_case = lower}, config, text);
  };
  EXPECT_EQ(tokens(true, "CAT ÄÄ"), tokens(false, "cat ää"));
  EXPECT_NE(tokens(false, "CAT"), tokens(false, "cat"));
}

TEST(SentenceEncoder, RefusesFilesThatSayWhatItCannotBe) {
  const auto refused = [](const char* file, const std::string& text, const std::string& why) {
    const CopiedEncoder copy("minilm");
    copy.write(file, text);
    EXPECT_EQ(copy.refused_encoder(), "read_sentence_encoder: " + copy.at(why)) << text;
  };
  const auto module = [](const std::string& type, const std::string& path) {
    return "{\"path\": \"" + path + "\", \"type\": \"x." + type + "\"}";
  };
  refused("modules.json", "{}",
          "modules.json: must be a list of a Transformer, Pooling and perhaps Normalize");
  refused("modules.json",
          "[" + module("Transformer", "") + "," + module("WeightedLayerPooling", "1_P") + "]",
          "modules.json: byte 39: expected Pooling, found \"x.WeightedLayerPooling\"");
  refused("modules.json",
          "[" + module("Transformer", "0_BERT") + "," + module("Pooling", "1_Pooling") + "]",
          "modules.json: byte 1: the Transformer must be in the folder itself, is in \"0_BERT\"");
  refused("modules.json", "[" + module("Transformer", "") + "," + module("Pooling", "../x") + "]",
          "modules.json: byte 39: the path of Pooling must be a folder's name, is \"../x\"");
  refused("modules.json", "[" + module("Transformer", "") + "," + module("Pooling", "2_P") + "]",
          "2_P/config.json: is missing, and modules.json names it");
  refused("1_Pooling/config.json", "{\"pooling_mode_cls_token\": true}",
          "1_Pooling/config.json: must have one pooling_mode that is true, has 2");
  refused("1_Pooling/config.json", "{\"pooling_mode_lasttoken\": true}",
          "1_Pooling/config.json: pooling_mode_lasttoken is not read; mean, cls and max are");
  refused("1_Pooling/config.json", "{\"word_embedding_dimension\": 384}",
          "1_Pooling/config.json: word_embedding_dimension: must be 16, is 384");
  refused("sentence_bert_config.json", "{\"max_seq_length\": -1}",
          "max_seq_length: must be a whole number, is \"-1\"");
}

TEST(SentenceEncoder, IsNoLanguageModelAndTheOtherWayRound) {
  EXPECT_EQ(error_of([] { read_sentence_encoder(folder_of("llama")); }),
            "read_sentence_encoder: config: is of a language model of the family llama; encoders "
            "are of bert");
  const PretrainedModel model = read_pretrained(folder_of("minilm"));
  EXPECT_EQ(error_of([&] { LanguageModel trained(model.parameters); }),
            "LanguageModel: config: is of an encoder, which cannot be trained");
  const std::vector<std::int32_t> ids = golden_tokens();
  EXPECT_EQ(error_of([&] { Generation(model, ids, {}); }),
            "Generation: config: is not causal, so it cannot continue a text token by token");
  DecodingSession session(model.parameters);
  Buffer<float, 2> logits({24, model.parameters.config().vocabulary});
  EXPECT_EQ(error_of([&] { session.append(ids, logits); }),
            "DecodingSession: logits: there are none of a model without a head");
  EXPECT_EQ(session.length(), 0);
  EXPECT_FALSE(session.append(ids));
  EXPECT_EQ(session.length(), 24);
}

// The whole trace is consistent: each part's input is the output of the part before.
TEST(SentenceEncoder, IsTracedAsLanguageModelsAre) {
  const PretrainedModel model = read_pretrained(folder_of("minilm"));
  const ModelConfig& config = model.parameters.config();
  const std::vector<std::int32_t> ids = golden_tokens();
  Buffer<float, 1> memory;
  const ModelTrace trace =
      saved_in(memory, [&](SavedMemory& places) { return model_trace(config, 24, 0, places); });
  DecodingSession(model.parameters).append(ids, {}, trace);
  expect_near(trace.ln_final, golden<2>("models/minilm/hidden").view(), kShare, "traced");
  using testing::equal;
  EXPECT_TRUE(equal(trace.layers[0].ln1, trace.embedded));
  EXPECT_TRUE(equal(trace.layers[1].ln1, trace.layers[0].resid_post));
  EXPECT_TRUE(equal(trace.layers[1].ln2, trace.layers[1].resid_mid));
  EXPECT_TRUE(equal(trace.ln_final, trace.layers[1].resid_post));
}

TEST(BertConfig, IsReadWithItsAuthorsDefaultsAndRefusedWhereItIsOther) {
  const auto with = [](const std::string& from, const std::string& to) {
    return parse_model_config(testing::changed(from, to, "minilm")).config;
  };
  EXPECT_EQ(with("\"type_vocab_size\": 2", "\"type_vocab_size\": 1").token_types, 1);
  EXPECT_EQ(with("\"type_vocab_size\": 2", "\"x\": 2").token_types, 2);
  EXPECT_EQ(with("\"hidden_act\": \"gelu\"", "\"hidden_act\": \"gelu_new\"").feed_forward,
            ModelFeedForward::gelu_tanh);
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& why) {
    EXPECT_EQ(error_of([&] { with(from, to); }), "parse_model_config: " + why);
  };
  refused("\"position_embedding_type\": \"absolute\"",
          "\"position_embedding_type\": \"relative_key\"",
          "position_embedding_type: must be \"absolute\": others are not read");
  refused("\"use_cache\": true", "\"is_decoder\": true", "is_decoder: must be false");
  refused("\"use_cache\": true", "\"tril_causal\": true",
          "model_type: tril_causal and tril_norm_place cannot be said of a bert");
  refused("\"model_type\": \"bert\"", "\"model_type\": \"roberta\"",
          "model_type: unknown family \"roberta\"; there are gpt2, llama, qwen2, qwen3, mistral, "
          "olmo2, gpt_neox, phi3, gemma2, gemma3_text, starcoder2, stablelm, smollm3, bert");
  refused("\"type_vocab_size\": 2", "\"type_vocab_size\": 100000000",
          "token_types: must be from 0 to 16777216, is 100000000");
  refused("\"hidden_size\": 16", "\"hidden_size\": 100000000",
          "width: must be from 1 to 16777216, is 100000000");
  refused("\"num_attention_heads\": 4", "\"num_attention_heads\": 5",
          "heads: 5 does not divide width 16");
}

TEST(BertParameters, AreNamedWhereTheyAreMissingOrOfAnotherShape) {
  const CopiedEncoder copy("minilm");
  copy.write("config.json",
             testing::changed("\"type_vocab_size\": 2", "\"type_vocab_size\": 3", "minilm"));
  EXPECT_EQ(copy.refused(), copy.at("model.safetensors") +
                                ": embeddings.token_type_embeddings.weight: shape must be [3, 16], "
                                "is [2, 16]");
  copy.write("config.json",
             testing::changed("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", "minilm"));
  EXPECT_EQ(copy.refused(), copy.at("model.safetensors") +
                                ": encoder.layer.2.attention.output.LayerNorm.weight: is missing; "
                                "its shape would be [16]");
  copy.write("config.json",
             testing::changed("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1", "minilm"));
  EXPECT_EQ(copy.refused(), copy.at("model.safetensors") +
                                ": encoder.layer.1.attention.self.query.weight: is no parameter of "
                                "a model of the family bert with 1 layers");
}

TEST(CosineSimilarity, IsThatOfAnglesAndChecksShapes) {
  Buffer<float, 2> a({2, 2}), b({3, 2}), out({2, 3});
  const float rows[] = {3, 4, 0, 0}, others[] = {6, 8, -4, 3, -3, -4};
  std::copy_n(rows, 4, a.data()), std::copy_n(others, 6, b.data());
  cosine_similarity(a, b, out);
  const float expected[] = {1, 0, -1, 0, 0, 0};
  for (Index i = 0; i < 6; ++i) EXPECT_NEAR(out.data()[i], expected[i], 1e-7);
  Buffer<float, 2> narrow({3, 1});
  EXPECT_NE(error_of([&] { cosine_similarity(a, narrow, out); }).find("cosine_similarity: b"),
            std::string::npos);
}

}  // namespace
}  // namespace tril
