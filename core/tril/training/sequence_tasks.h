// Sequence-to-sequence tasks with known answers, for checking what a model has learned: a perfect
// model's loss is 0.
//
//   reverse   the source from its end to its beginning: y_t = x_{T-1-t}
//   sort      the source in rising order
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

#include <cstdint>
#include <vector>

namespace tril {

// The tasks.
enum class SequenceTask : std::uint8_t { reverse, sort };
// Their names.
inline constexpr Named<SequenceTask> kSequenceTasks[] = {{"reverse", SequenceTask::reverse},
                                                         {"sort", SequenceTask::sort}};

// The first token of every target, which no source contains.
inline constexpr std::int32_t kBeginToken = 0;

// Sources, decoder inputs and labels, each [B, T].
struct SequenceBatch {
  std::vector<std::int32_t> source;  // tokens from 1 on
  std::vector<std::int32_t> target;  // kBeginToken, and the answer without its last token
  std::vector<std::int32_t> labels;  // the answer
  Index batches = 0, tokens = 0;     // B, T

  // One of the three as [B, T].
  MatrixView<const std::int32_t> view(const std::vector<std::int32_t>& part) const noexcept {
    return {part.data(), {batches, tokens}};
  }
};

// Draws `batches` sources of `tokens` tokens, uniform in {1, ..., vocabulary - 1}, and their
// labels, determined by task, seed and step alone. Throws Error for sizes below 1, and for a
// vocabulary below 2 or above 2^31 - 1. Reuses the batch's memory.
void draw_sequences(SequenceTask task, Index batches, Index tokens, Index vocabulary,
                    std::uint64_t seed, std::uint64_t step, SequenceBatch& batch);

}  // namespace tril
