#include <tril/attention/attention.h>
#include <tril/attention/online_blocks.h>
#include <tril/attention/problem.h>
#include <tril/attention/row_blocks.h>
#include <tril/attention/score_kernels.h>

namespace tril {

TRIL_DEFINE_DISPATCH(ScoreKernels, kScoreKernels, score_kernels)

namespace {

// Beyond it, 64 rows of scores would take more than 64 * 8192 * 4 B = 2 MiB a thread. The method
// online takes 40 KiB however many keys there are, but scales its output again and again.
constexpr Index kMostKeys = 8192;

}  // namespace

namespace detail {

AttentionMethod chosen_method(AttentionMethod method, Index keys, bool traced) noexcept {
  if (method != AttentionMethod::automatic) return method;
  return keys > kMostKeys && !traced ? AttentionMethod::online : AttentionMethod::blocked;
}

void attend(const AttentionProblem& problem, Scratch& scratch, Parallel& parallel) {
  switch (chosen_method(problem.method, problem.keys(), problem.traced())) {
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
               TensorView<float, 4> out, Scratch& scratch, Parallel& parallel,
               const AttentionTrace& trace) {
  detail::attend(detail::attention_problem("attention", query, key, value, options, out, trace),
                 scratch, parallel);
}

}  // namespace tril
