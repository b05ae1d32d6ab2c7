#include <tril/attention/attention.h>
#include <tril/attention/attention_problem.h>
#include <tril/attention/blocked_attention.h>
#include <tril/attention/flash_attention.h>

namespace tril {

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

void run_attention(const AttentionProblem& problem, Scratch& scratch, Parallel& parallel) {
  switch (chosen_method(problem.method, problem.keys(), problem.traced())) {
    case AttentionMethod::full:
      return blocked_attention(problem, problem.queries(), scratch, parallel);
    case AttentionMethod::automatic:
    case AttentionMethod::blocked:
      return blocked_attention(problem, kQueryBlock, scratch, parallel);
    case AttentionMethod::online:
      return flash_attention(problem, {}, scratch, parallel);
  }
}

}  // namespace detail

void attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
               TensorView<const float, 4> value, const AttentionOptions& options,
               TensorView<float, 4> out, Scratch& scratch, Parallel& parallel,
               const AttentionTrace& trace) {
  detail::run_attention(
      detail::checked_attention_problem("attention", query, key, value, options, out, trace),
      scratch, parallel);
}

}  // namespace tril
