#include <tril/attention/attention.h>
#include <tril/attention/problem.h>
#include <tril/attention/row_blocks.h>

namespace tril {
namespace {

// Queries of a block: enough that the panels of keys and values are read from cache, few enough
// that 64 rows of scores stay in the level-2 cache up to S = 4096 (64 * 4096 * 4 B = 1 MiB).
constexpr Index kQueryBlock = 64;

}  // namespace

namespace detail {

void attend(const AttentionProblem& problem, Scratch& scratch, Parallel& parallel) {
  const bool full = problem.method == AttentionMethod::full;
  attend_row_blocks(problem, full ? problem.queries() : kQueryBlock, scratch, parallel);
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
