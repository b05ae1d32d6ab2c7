// Attention whose arguments have been checked and whose options have been resolved: what every
// method is given, forward and backward.
#pragma once

#include <tril/attention/attention.h>
#include <tril/attention/attention_backward.h>
#include <tril/foundation/check.h>

#include <string_view>

namespace tril::detail {

// Where query 0 of a batch stands on the axis of keys.
inline Index query_offset(Index past, const std::vector<Index>& key_lengths, Index batch,
                          Index queries) noexcept {
  return key_lengths.empty() ? past : key_lengths[static_cast<std::size_t>(batch)] - queries;
}

// Whether whole rows of scores are to be traced.
inline bool wants_scores(const AttentionTrace& trace) noexcept {
  return trace.scores || trace.capped || trace.masked || trace.weights;
}

// What attention computes, forward and backward.
struct AttentionFormula {
  TensorView<const float, 4> query, key, value;
  Mask mask;  // causal and padding included
  float scale, softcap;
  Index past;
  std::vector<Index> key_lengths;
  std::optional<RowDropout> dropout;

  Index batches() const noexcept { return query.size(0); }
  Index heads() const noexcept { return query.size(1); }
  Index queries() const noexcept { return query.size(2); }
  Index depth() const noexcept { return query.size(3); }
  Index kv_heads() const noexcept { return key.size(1); }
  Index keys() const noexcept { return key.size(2); }
  Index value_width() const noexcept { return value.size(3); }

  // The head of keys and values that a head of queries looks at.
  Index key_head(Index head) const noexcept { return head / (heads() / kv_heads()); }
  // Whether there are no scores: then outputs and gradients are 0.
  bool empty() const noexcept { return keys() == 0 || batches() * heads() * queries() == 0; }
  Index offset(Index batch) const noexcept {
    return query_offset(past, key_lengths, batch, queries());
  }
  // The number of a query among all [B, H, T].
  Index row_of(Index batch, Index head, Index query_number) const noexcept {
    return (batch * heads() + head) * queries() + query_number;
  }
};

// And by which method, and where to.
struct AttentionProblem : AttentionFormula {
  AttentionMethod method;
  TensorView<float, 4> out;
  AttentionTrace trace;

  // Whether whole rows of scores are wanted.
  bool traced() const noexcept { return wants_scores(trace); }
};

// And the backward pass.
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

// Throws Error in the name of `call` unless queries, keys and values fit each other. There may be
// no batches, heads, queries or keys; a vector has a width of at least 1.
void check_inputs(const char* call, TensorView<const float, 4> query,
                  TensorView<const float, 4> key, TensorView<const float, 4> value);

// Throws Error in the name of `call` where the method never holds the rows of scores that `trace`
// wants.
void check_traceable(const char* call, AttentionMethod method, const AttentionTrace& trace);

// Throws Error in the name of `call` unless `out` and what is to be traced fit scores of shape
// [B, H, T, S] and values `value_width` wide, and lie apart from the inputs; a trace apart from
// out.
template <typename... Inputs>
void check_written(const char* call, const Shape<4>& scores, Index value_width,
                   const TensorView<float, 4>& out, const AttentionTrace& trace, const Message& why,
                   const Inputs&... inputs) {
  const auto check = [&](const auto& view, const auto& shape, const char* name) {
    check_shape(view, shape, call, name, why);
    (check_no_overlap(view, inputs, call, name), ...);
  };
  const auto check_traced = [&](const auto& view, const auto& shape, const char* name) {
    if (!view) return;
    check(view, shape, name);
    check_no_overlap(view, out, call, name);
  };
  const Shape<3> rows = {scores[0], scores[1], scores[2]};
  check(out, Shape<4>{rows[0], rows[1], rows[2], value_width}, "out");
  check_traced(trace.log_sum_exp, rows, "trace.log_sum_exp");
  check_traced(trace.scores, scores, "trace.scores");
  check_traced(trace.capped, scores, "trace.capped");
  check_traced(trace.masked, scores, "trace.masked");
  check_traced(trace.weights, scores, "trace.weights");
}

// Throws Error in the name of `call` unless the options fit scores of shape [B, H, T, S].
void check_options(const char* call, const AttentionOptions& options, const Shape<4>& scores);

// The formula of inputs and options that fit.
AttentionFormula attention_formula(const TensorView<const float, 4>& query,
                                   const TensorView<const float, 4>& key,
                                   const TensorView<const float, 4>& value,
                                   const AttentionOptions& options);

// What an attention whose arguments fit is to compute.
AttentionProblem attention_problem(const TensorView<const float, 4>& query,
                                   const TensorView<const float, 4>& key,
                                   const TensorView<const float, 4>& value,
                                   const AttentionOptions& options, const TensorView<float, 4>& out,
                                   const AttentionTrace& trace);

// The same, once all arguments have been checked: throws Error in the name of `call` where one is
// wrong.
AttentionProblem checked_attention_problem(const char* call, TensorView<const float, 4> query,
                                           TensorView<const float, 4> key,
                                           TensorView<const float, 4> value,
                                           const AttentionOptions& options,
                                           TensorView<float, 4> out, const AttentionTrace& trace);

// Whether a second thread would not pay: where there is as little to compute as in a product that
// one thread computes, for so many scores with so many multiplications each, and their softmax.
bool below_parallel_threshold(double scores, Index multiplications) noexcept;

// The mask of the options, causal and key lengths included.
Mask whole_mask(const AttentionOptions& options);

// Queries of a block: enough that the panels of keys and values are read from cache, few enough
// that 64 rows of scores stay in the level-2 cache up to S = 4096 (64 * 4096 * 4 B = 1 MiB).
inline constexpr Index kQueryBlock = 64;

}  // namespace tril::detail
