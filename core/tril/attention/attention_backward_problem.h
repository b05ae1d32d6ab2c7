// The backward pass of attention, whose arguments have been checked and whose options have been
// resolved.
#pragma once

#include <tril/attention/attention_backward.h>
#include <tril/attention/attention_problem.h>

namespace tril::detail {

struct AttentionBackwardProblem : AttentionFormula {
  TensorView<const float, 4> d_out, out;
  TensorView<const float, 3> log_sum_exp;
  // Of d_query, d_key and d_value each may lie between the rows of the others, as parts of one
  // projection do.
  AttentionGradients gradients;

  // Heads of queries for each of keys.
  Index group() const noexcept { return heads() / kv_heads(); }
};

// Solves it.
void run_attention_backward(const AttentionBackwardProblem& problem, const Context& context);

}  // namespace tril::detail
