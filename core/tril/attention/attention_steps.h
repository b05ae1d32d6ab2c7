// The steps that attention goes through for a block of queries, whichever keys it takes at a time.
#pragma once

#include <tril/attention/query_blocks.h>
#include <tril/attention/score_kernels.h>

namespace tril::detail {

// Scores, or weights, of a block: those of a row in memory one after the other, column 0 for key
// `first_key`, rows `stride` floats apart.
struct ScoreBlock {
  float* data;
  Index stride, first_key;

  float* at(Index row, Index key) const noexcept { return data + row * stride + key - first_key; }
};

// What one thread works with, for a block of `rows` queries.
struct BlockMemory {
  float* scores;         // rows of them
  Index stride;          // how far apart
  KeyRange* visible;     // a row
  SoftmaxState* states;  // a row
  float* factors;        // a row

  // For each of all threads in turn; `keys`: the most that are taken at a time.
  static BlockMemory take(Scratch::Frame& frame, Index rows, Index keys, int threads);
  BlockMemory of(int worker) const noexcept;

  Index rows;  // of one thread
};

// Which keys each row sees; `memory` holds a range for each.
VisibleKeys visible_keys(const AttentionProblem& p, const QueryBlock& block,
                         KeyRange* memory) noexcept;

// As if each row saw all keys.
VisibleKeys all_keys(const AttentionProblem& p, const QueryBlock& block, KeyRange* memory) noexcept;

// Whether the mask lets any row see any of `keys`.
bool any_visible(const AttentionProblem& p, const QueryBlock& block, KeyRange keys) noexcept;

// Nothing seen yet: states at their start, out = 0.
void start_rows(const AttentionProblem& p, const QueryBlock& block, SoftmaxState* states) noexcept;

// Scores become softcap * tanh(score / softcap), where there is a cap; those of `keys`.
void cap_scores(const AttentionProblem& p, const VisibleKeys& visible, Index rows, KeyRange keys,
                const ScoreBlock& from, const ScoreBlock& to) noexcept;

// Scores of `keys` become -inf where the mask hides, or what it adds is added.
void mask_scores(const AttentionProblem& p, const QueryBlock& block, KeyRange keys,
                 const ScoreBlock& scores) noexcept;

// Goes on to the scores of `keys`: weights = e^(score - maximum so far), 0 for keys beside those
// that a row sees, as far as others of its kRowGroup see any. factors: what each row's output was
// left behind by.
void online_softmax(const VisibleKeys& visible, Index rows, KeyRange keys, const ScoreBlock& scores,
                    const ScoreBlock& weights, SoftmaxState* states, float* factors) noexcept;

// Weights of `keys` become what dropout leaves of them, where there is dropout.
void drop_weights(const AttentionProblem& p, const QueryBlock& block, const VisibleKeys& visible,
                  KeyRange keys, const ScoreBlock& weights) noexcept;

// out *= factor, row by row.
void rescale_rows(const AttentionProblem& p, const QueryBlock& block,
                  const float* factors) noexcept;

// out /= sum, which is 0 where nothing was seen; log_sum_exp, where it is wanted.
void finish_rows(const AttentionProblem& p, const QueryBlock& block,
                 const SoftmaxState* states) noexcept;

}  // namespace tril::detail
