// Training texts: split into training and validation, and tokenized.
#pragma once

#include <tril/model/model_config.h>
#include <tril/model/trainer_options.h>
#include <tril/text/tokenizer.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The two parts of a text.
struct TrainingText {
  std::string train;       // the first nine tenths
  std::string validation;  // the rest, from the beginning of a character
};
// Splits a text.
TrainingText split_text(std::string_view text);

// The two parts of a list of tokens.
struct TrainingTokens {
  std::vector<TokenId> train;       // the first nine tenths
  std::vector<TokenId> validation;  // the rest
};
// Splits tokens.
TrainingTokens split_tokens(std::span<const TokenId> tokens);

// A fingerprint to tell different data apart: FNV-1a (Fowler, Noll, Vo 1991), in hexadecimal.
std::string fingerprint(std::span<const std::byte> data);

// The mask token, which is the last of a vocabulary for masked training.
inline constexpr const char* kMaskText = "[MASK]";

// Trains a tokenizer of the kind "bytes", "chars", "words" or "bpe", with at most `vocabulary`
// tokens where that is not 0. Throws Error as train_tokenizer does, and for another kind.
Tokenizer training_tokenizer(std::string_view kind, TokenId vocabulary, TrainingObjective objective,
                             std::string_view text);

// Sets what an objective implies: whether the model is causal; for masked training, that the last
// token is the mask and that no layer has a window.
void set_objective(TrainingObjective objective, ModelConfig& config, TrainerOptions& options);

// The highest learning rate for fine-tuning: a tenth of the recipe's, with which a model would
// forget what it knows.
inline constexpr double kFurtherLearningRate = 1e-4;
// The same for training only an adapter (lora.h), which begins at 0: ten times that rate.
inline constexpr double kLoraLearningRate = 1e-3;

// The default schedule for a length and a highest rate: a twentieth of the steps is warm-up, and
// the last rate is a tenth.
Schedule default_schedule(double learning_rate, std::int64_t steps);

}  // namespace tril
