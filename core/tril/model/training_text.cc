#include <tril/foundation/named.h>
#include <tril/model/training_text.h>
#include <tril/text/train_tokenizer.h>

namespace tril {
namespace {

std::size_t nine_tenths(std::size_t count) noexcept { return count - count / 10; }

}  // namespace

TrainingText split_text(std::string_view text) {
  std::size_t cut = nine_tenths(text.size());
  while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) ++cut;
  return {std::string(text.substr(0, cut)), std::string(text.substr(cut))};
}

TrainingTokens split_tokens(std::span<const TokenId> tokens) {
  const auto cut = tokens.begin() + static_cast<std::ptrdiff_t>(nine_tenths(tokens.size()));
  return {{tokens.begin(), cut}, {cut, tokens.end()}};
}

std::string fingerprint(std::span<const std::byte> data) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte each : data) {
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3u;
  }
  std::string digits;
  for (; hash > 0; hash >>= 4) digits.insert(digits.begin(), "0123456789abcdef"[hash & 15]);
  return digits;
}

Tokenizer training_tokenizer(std::string_view kind, TokenId vocabulary, TrainingObjective objective,
                             std::string_view text) {
  TokenizerOptions options;
  options.kind = value_named(kTokenizerKinds, kind, "training_tokenizer", "tokenizer");
  options.vocabulary = vocabulary;
  if (objective == TrainingObjective::masked) options.special = {kMaskText};
  return train_tokenizer({&text, 1}, options);
}

void set_objective(TrainingObjective objective, ModelConfig& config, TrainerOptions& options) {
  options.batches.objective = objective;
  config.causal = objective == TrainingObjective::next;
  if (config.causal) return;
  config.window = 0;  // a family may have a window, which limits the keys before a query
  options.batches.mask_token = static_cast<std::int32_t>(config.vocabulary) - 1;
  options.batches.vocabulary = options.batches.mask_token;
}

Schedule default_schedule(double learning_rate, std::int64_t steps) {
  return {learning_rate, learning_rate / 10, steps / 20, steps};
}

}  // namespace tril
