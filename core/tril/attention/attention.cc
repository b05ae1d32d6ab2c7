#include <tril/attention/attention.h>
#include <tril/attention/attention_problem.h>
#include <tril/attention/blocked_attention.h>
#include <tril/attention/flash_attention.h>
#include <tril/attention/key_value_panels.h>
#include <tril/matmul/vector.h>

#include <algorithm>
#include <limits>

namespace tril {

namespace {

// With more keys, 64 rows of scores would take more than 64 * 8192 * 4 B = 2 MiB per thread. The
// method online takes 40 KiB for any number of keys, but scales its output again and again.
//
// Fewer queries take less memory, but do not need blocked: up to 8 queries read keys and values in
// place, 64 at a time, with either method (key_value_panels.h). The extra work of online, scaling
// the Dv elements of an output once per 128 keys, is one multiplication for 128 of its values.
constexpr Index kMostKeys = 8192;

// Whether a second thread would not pay: there are no more multiplications than in a product that
// one thread computes, and, if keys and values are read in place, no more elements to read.
bool is_small(const detail::AttentionProblem& p) noexcept {
  const Index widths = p.depth() + p.value_width();
  const double scores = detail::times(p.batches(), p.heads(), p.queries(), p.keys());
  const double read = detail::times(p.batches(), p.kv_heads(), p.keys(), widths);
  return detail::below_parallel_threshold(scores, widths) &&
         (!detail::is_in_place(p) || read <= detail::kSerialElements);
}

// Writes the result for no keys: that of queries whose keys are all hidden.
void see_nothing(const detail::AttentionProblem& p) noexcept {
  for (Index row = 0; row < p.batches() * p.heads() * p.queries(); ++row) {
    const Index b = row / p.queries() / p.heads(), h = row / p.queries() % p.heads(),
                t = row % p.queries();
    std::fill_n(p.out[b][h][t].data(), p.value_width(), 0.0f);
    if (p.trace.log_sum_exp) {
      p.trace.log_sum_exp[b][h][t] = std::numeric_limits<float>::infinity();
    }
  }
}

}  // namespace

namespace detail {

AttentionMethod chosen_method(AttentionMethod method, Index keys, bool traced) noexcept {
  if (method != AttentionMethod::automatic) return method;
  return keys > kMostKeys && !traced ? AttentionMethod::online : AttentionMethod::blocked;
}

void run_attention(const AttentionProblem& problem, const Context& context) {
  if (problem.empty()) return see_nothing(problem);
  Parallel one;
  const Context fitting(context.scratch, is_small(problem) ? one : context.parallel);
  switch (chosen_method(problem.method, problem.keys(), problem.traced())) {
    case AttentionMethod::full:
      return blocked_attention(problem, problem.queries(), fitting);
    case AttentionMethod::automatic:
    case AttentionMethod::blocked:
      return blocked_attention(problem, kQueryBlock, fitting);
    case AttentionMethod::online:
      return flash_attention(problem, {}, fitting);
  }
}

}  // namespace detail

void attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
               TensorView<const float, 4> value, const AttentionOptions& options,
               TensorView<float, 4> out, const Context& context, const AttentionTrace& trace) {
  detail::run_attention(
      detail::checked_attention_problem("attention", query, key, value, options, out, trace),
      context);
}

}  // namespace tril
