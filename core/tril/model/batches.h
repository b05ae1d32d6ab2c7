// Training batches of a language model: windows of a stream of tokens, and their targets.
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril {

// A target that does not count.
inline constexpr std::int32_t kIgnoredTarget = -100;

// The kinds of targets.
enum class TrainingObjective : std::uint8_t {
  next,    // the next token (Radford et al. 2019), for causal models
  masked,  // hidden tokens (Devlin et al. 2019), for models that are not causal
};
// Their names.
inline constexpr Named<TrainingObjective> kTrainingObjectives[] = {
    {"next", TrainingObjective::next}, {"masked", TrainingObjective::masked}};

// Windows [B, T] of tokens and their targets; kIgnoredTarget stands for no target.
struct TokenBatch {
  std::vector<std::int32_t> tokens;   // [B, T]
  std::vector<std::int32_t> targets;  // [B, T]
  Index windows = 0, length = 0;      // B, T
  Index counted = 0;                  // number of targets that count

  // The windows [first, first + count).
  MatrixView<const std::int32_t> tokens_of(Index first, Index count) const noexcept {
    return {tokens.data() + first * length, {count, length}};
  }
  MatrixView<const std::int32_t> targets_of(Index first, Index count) const noexcept {
    return {targets.data() + first * length, {count, length}};
  }
};

// Options of a batch.
struct BatchOptions {
  TrainingObjective objective = TrainingObjective::next;  // the kind of targets
  std::int32_t mask_token = 0;                            // masked: the token that hides others
  std::int32_t vocabulary = 0;  // masked: random replacements are below this

  friend bool operator==(const BatchOptions&, const BatchOptions&) = default;
};

// Draws `windows` windows of `length` tokens from the stream, determined by seed and step alone.
// masked: 15 % of the tokens are targets, of which 80 % are replaced by the mask token, 10 % by a
// random token, and 10 % kept. Throws Error where the stream is shorter than a window and the token
// after it, or sizes are below 1. Reuses the batch's memory.
void draw_batch(std::span<const std::int32_t> stream, Index windows, Index length,
                const BatchOptions& options, std::uint64_t seed, std::uint64_t step,
                TokenBatch& batch);

// The same with windows evenly spaced from the beginning of the stream to its end, for evaluation.
void spaced_batch(std::span<const std::int32_t> stream, Index windows, Index length,
                  const BatchOptions& options, std::uint64_t seed, TokenBatch& batch);

}  // namespace tril
