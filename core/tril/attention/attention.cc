#include <tril/attention/attention.h>
#include <tril/attention/online_blocks.h>
#include <tril/attention/problem.h>
#include <tril/attention/row_blocks.h>
#include <tril/attention/score_kernels.h>

namespace tril {

TRIL_DEFINE_DISPATCH(ScoreKernels, kScoreKernels, score_kernels)

namespace {

// Queries of a block: enough that the panels of keys and values are read from cache, few enough
// that 64 rows of scores stay in the level-2 cache up to S = 4096 (64 * 4096 * 4 B = 1 MiB).
constexpr Index kQueryBlock = 64;

}  // namespace

namespace detail {

void attend(const AttentionProblem& problem, Scratch& scratch, Parallel& parallel) {
  switch (problem.method) {
    case AttentionMethod::full:
      return attend_row_blocks(problem, problem.queries(), scratch, parallel);
    case AttentionMethod::automatic:
    case AttentionMethod::blocked:
      return attend_row_blocks(problem, kQueryBlock, scratch, parallel);
    case AttentionMethod::online:
      return attend_online(problem, {}, scratch, parallel);
  }
}

}  // namespace detail

void attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
               TensorView<const float, 4> value, const AttentionOptions& options,
               TensorView<float, 4> output, Scratch& scratch, Parallel& parallel,
               const AttentionTrace& trace) {
  detail::attend(detail::attention_problem("attention", query, key, value, options, output, trace),
                 scratch, parallel);
}

}  // namespace tril
