// Texts to learn from: cut into what is trained on and what is measured on, and made into tokens.
#pragma once

#include <tril/model/trainer.h>
#include <tril/text/tokenizer.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// A text in two.
struct TrainingText {
  std::string train;       // its first nine tenths
  std::string validation;  // and the rest, from the beginning of a character
};
// Cuts it.
TrainingText split_text(std::string_view text);

// The same of tokens.
struct TrainingTokens {
  std::vector<TokenId> train;       // the first nine tenths
  std::vector<TokenId> validation;  // and the rest
};
// Cuts them.
TrainingTokens split_tokens(std::span<const TokenId> tokens);

// Other data have another one: FNV-1a (Fowler, Noll, Vo 1991), in hexadecimal.
std::string fingerprint(std::span<const std::byte> data);

// What hides a token: the last of a vocabulary that is trained for masked tokens.
inline constexpr const char* kMaskText = "[MASK]";

// A tokenizer "bytes", "chars", "words" or "bpe", of at most `vocabulary` tokens where that is not
// 0. Throws Error as train_tokenizer, and for another kind.
Tokenizer training_tokenizer(std::string_view kind, TokenId vocabulary, TrainingObjective objective,
                             std::string_view text);

// Sets what follows from an objective: whether the model is causal, and, of a masked one, that the
// last of its vocabulary hides tokens and that no layer has a window.
void set_objective(TrainingObjective objective, ModelConfig& config, TrainerOptions& options);

// The highest rate for a model that is trained further: a tenth of the recipe's, at which it would
// forget what it knows.
inline constexpr double kFurtherLearningRate = 1e-4;
// And where an adapter (lora.h) is all that moves, which begins with nothing: ten times that.
inline constexpr double kLoraLearningRate = 1e-3;

// The schedule where nothing but its length and its highest rate is given: a twentieth of the steps
// to warm up, and a tenth of the rate in the end.
Schedule default_schedule(double learning_rate, std::int64_t steps);

}  // namespace tril
