// The steps of attention for a block of queries. They are the same for every method, which chooses
// how many keys a step takes.
#pragma once

#include <tril/attention/query_blocks.h>
#include <tril/attention/score_kernels.h>

namespace tril::detail {

// The scores or weights of a block. Rows are contiguous and `stride` floats apart; column 0 belongs
// to key `first_key`.
struct ScoreBlock {
  float* data;
  Index stride, first_key;

  float* at(Index row, Index key) const noexcept { return data + row * stride + key - first_key; }
};

// The working memory of one thread for a block of `rows` queries.
struct BlockMemory {
  float* scores;         // `rows` rows
  Index stride;          // distance between rows
  KeyRange* visible;     // a row
  SoftmaxState* states;  // a row
  float* factors;        // a row

  // Takes the memory of all threads; `keys` is the maximum number of keys of a step.
  static BlockMemory take(Scratch::Frame& frame, Index rows, Index keys, int threads);
  BlockMemory of(int worker) const noexcept;

  Index rows;  // of one thread
};

// The keys that each row sees; `memory` holds one range a row.
VisibleKeys visible_keys(const AttentionProblem& p, const QueryBlock& block,
                         KeyRange* memory) noexcept;

// The same as if each row saw all keys.
VisibleKeys all_keys(const AttentionProblem& p, const QueryBlock& block, KeyRange* memory) noexcept;

// Whether any row sees any of `keys`.
bool any_visible(const AttentionProblem& p, const QueryBlock& block, KeyRange keys) noexcept;

// Initialises the rows: states at their start, out = 0.
void start_rows(const AttentionProblem& p, const QueryBlock& block, SoftmaxState* states) noexcept;

// Caps the scores of `keys`: score = softcap * tanh(score / softcap), where there is a cap.
void cap_scores(const AttentionProblem& p, const VisibleKeys& visible, Index rows, KeyRange keys,
                const ScoreBlock& from, const ScoreBlock& to) noexcept;

// Applies the mask to the scores of `keys`: adds the additive masks, and sets hidden scores to
// -inf.
void mask_scores(const AttentionProblem& p, const QueryBlock& block, KeyRange keys,
                 const ScoreBlock& scores) noexcept;

// Processes the next block of scores, those of `keys`: weights = e^(score - maximum so far). Keys
// that a row does not see, but other rows of its kRowGroup do, get the weight 0. factors: the
// number by which each row's output so far must be scaled.
void online_softmax(const VisibleKeys& visible, Index rows, KeyRange keys, const ScoreBlock& scores,
                    const ScoreBlock& weights, SoftmaxState* states, float* factors) noexcept;

// Applies dropout, where there is any, to the weights of `keys`.
void drop_weights(const AttentionProblem& p, const QueryBlock& block, const VisibleKeys& visible,
                  KeyRange keys, const ScoreBlock& weights) noexcept;

// out *= factor, row by row.
void rescale_rows(const AttentionProblem& p, const QueryBlock& block,
                  const float* factors) noexcept;

// out /= sum, which is 0 where no key was seen; writes log_sum_exp where it is traced.
void finish_rows(const AttentionProblem& p, const QueryBlock& block,
                 const SoftmaxState* states) noexcept;

}  // namespace tril::detail
