// The preparation of texts for a trainer, and settings as texts.
#include <gtest/gtest.h>
#include <tril/model/model_file.h>
#include <tril/model/training_text.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

TEST(TrainingText, KeepsTheLastTenthForValidation) {
  const TrainingText text = split_text("0123456789abcdefghij");
  EXPECT_EQ(text.train, "0123456789abcdefgh");
  EXPECT_EQ(text.validation, "ij");
  EXPECT_EQ(split_text("short").validation, "");
  EXPECT_EQ(split_text("").train, "");
  const TrainingText whole = split_text("0123456\xc3\xa4");  // the cut would split the last letter
  EXPECT_EQ(whole.train, "0123456\xc3\xa4");
  EXPECT_EQ(split_text("0123456\xc3\xa4x").validation, "x");
  const TokenId ids[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  const TrainingTokens tokens = split_tokens(ids);
  EXPECT_EQ(tokens.train.size(), 9u);
  EXPECT_EQ(tokens.validation, std::vector<TokenId>{0});
}

// The values that the authors of FNV-1a publish for these strings.
TEST(TrainingText, HasAFingerprint) {
  const auto of = [](std::string_view text) {
    return fingerprint(std::as_bytes(std::span(text.data(), text.size())));
  };
  EXPECT_EQ(of(""), "cbf29ce484222325");
  EXPECT_EQ(of("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(of("foobar"), "85944171f73967e8");
}

TEST(TrainingText, HasATokenizerOfEachKind) {
  const auto size_of = [](std::string_view kind, TokenId vocabulary, TrainingObjective objective) {
    return training_tokenizer(kind, vocabulary, objective, "the cat, the c\xc3\xa4t").size();
  };
  constexpr auto kNext = TrainingObjective::next, kMasked = TrainingObjective::masked;
  EXPECT_EQ(size_of("bytes", 0, kNext), 256);
  EXPECT_EQ(size_of("chars", 0, kNext), 257);
  EXPECT_EQ(size_of("words", 0, kNext), 260);  // "the", " the", " cat" and " c\u00e4t"
  EXPECT_EQ(size_of("bpe", 258, kNext), 258);
  const Tokenizer masked = training_tokenizer("bytes", 0, kMasked, "x");
  EXPECT_EQ(masked.token(masked.size() - 1), kMaskText);
  EXPECT_EQ(error_of([&] { size_of("letters", 0, kNext); }),
            "training_tokenizer: tokenizer: unknown tokenizer \"letters\"; there are bytes, chars, "
            "words, bpe");
}

TEST(TrainingText, ObjectivesAndSchedulesFollowFromLittle) {
  ModelConfig config;
  config.vocabulary = 12;
  TrainerOptions options;
  set_objective(TrainingObjective::masked, config, options);
  EXPECT_FALSE(config.causal);
  EXPECT_EQ(options.batches.mask_token, 11);
  EXPECT_EQ(options.batches.vocabulary, 11);
  set_objective(TrainingObjective::next, config, options);
  EXPECT_TRUE(config.causal);
  const Schedule schedule = default_schedule(1e-2, 300);
  EXPECT_EQ(schedule.warmup, 15);
  EXPECT_DOUBLE_EQ(schedule.lowest, 1e-3);
  EXPECT_EQ(schedule.steps, 300);
}

TEST(Settings, AreSetByTheirNames) {
  ModelConfig config;
  TrainerOptions options;
  set_settings({{"model.kv_heads", "2"},
                {"model.norm", "rms_norm"},
                {"model.biases", "false"},
                {"trainer.learning_rate", "0.30000000000000004"},
                {"trainer.seed", "9007199254740991"}},
               config, options);
  EXPECT_EQ(config.kv_heads, 2);
  EXPECT_EQ(config.norm, ModelNorm::rms_norm);
  EXPECT_FALSE(config.biases);
  EXPECT_EQ(config.heads, ModelConfig().heads);
  EXPECT_EQ(options.schedule.learning_rate, 0.1 + 0.2);
  EXPECT_EQ(options.seed, 9007199254740991u);
  EXPECT_EQ(checkpoint_settings(config, options).at("trainer.learning_rate"),
            "0.30000000000000004");
  const TrainerOptions before = options;
  const auto refused = [&](const char* name, const char* text) {
    return error_of([&] { set_settings({{"trainer.batch", "7"}, {name, text}}, config, options); });
  };
  EXPECT_EQ(refused("model.depth", "4"), "set_settings: model.depth: there is no such setting");
  EXPECT_EQ(refused("model.heads", "4.5"), "set_settings: model.heads: \"4.5\" cannot be read");
  EXPECT_EQ(refused("model.biases", "no"), "set_settings: model.biases: \"no\" cannot be read");
  EXPECT_EQ(refused("trainer.objective", "all"),
            "set_settings: trainer.objective: unknown objective \"all\"; there are next, masked");
  EXPECT_EQ(options, before);
}

}  // namespace
}  // namespace tril
