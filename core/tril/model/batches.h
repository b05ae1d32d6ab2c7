// What a language model is trained on: windows of a stream of tokens, and what is to be said of
// them.
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>
#include <tril/model/language_model.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril {

// What the targets are.
enum class TrainingObjective : std::uint8_t {
  next,    // the token after each (Radford et al. 2019): a model that is causal
  masked,  // tokens that were hidden (Devlin et al. 2019): one that is not
};
// Their names.
inline constexpr Named<TrainingObjective> kTrainingObjectives[] = {
    {"next", TrainingObjective::next}, {"masked", TrainingObjective::masked}};

// Windows [B, T] and the targets of their tokens, kIgnoredTarget where there is none.
struct TokenBatch {
  std::vector<std::int32_t> tokens;   // [B, T]
  std::vector<std::int32_t> targets;  // [B, T]
  Index windows = 0, length = 0;      // B, T
  Index counted = 0;                  // targets that count

  // Windows [first, first + count).
  MatrixView<const std::int32_t> tokens_of(Index first, Index count) const noexcept {
    return {tokens.data() + first * length, {count, length}};
  }
  MatrixView<const std::int32_t> targets_of(Index first, Index count) const noexcept {
    return {targets.data() + first * length, {count, length}};
  }
};

// How windows become a batch.
struct BatchOptions {
  TrainingObjective objective = TrainingObjective::next;  // what the targets are
  std::int32_t mask_token = 0;                            // masked: what hides a token
  std::int32_t vocabulary = 0;                            // masked: what replaces one at random

  friend bool operator==(const BatchOptions&, const BatchOptions&) = default;
};

// `windows` windows of `length` tokens from anywhere in the stream, which seed and step say alone.
// masked: 15 % of the tokens are targets, of which 80 % are hidden by the mask's token, 10 %
// replaced by any, and 10 % left. Throws Error where the stream is shorter than a window and the
// token after it, or sizes are below 1. The batch's memory is used again.
void draw_batch(std::span<const std::int32_t> stream, Index windows, Index length,
                const BatchOptions& options, std::uint64_t seed, std::uint64_t step,
                TokenBatch& batch);

// The same of windows evenly spaced from the stream's beginning to its end: what is measured on.
void spaced_batch(std::span<const std::int32_t> stream, Index windows, Index length,
                  const BatchOptions& options, std::uint64_t seed, TokenBatch& batch);

}  // namespace tril
