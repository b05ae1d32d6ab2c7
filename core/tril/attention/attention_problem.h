// Attention with checked arguments and resolved options: the input of every method, forward and
// backward.
#pragma once

#include <tril/attention/attention.h>
#include <tril/attention/attention_backward.h>
#include <tril/foundation/check.h>

#include <string_view>

namespace tril::detail {

// The position of query 0 of a batch on the key axis.
inline Index query_offset(Index past, const std::vector<Index>& key_lengths, Index batch,
                          Index queries) noexcept {
  return key_lengths.empty() ? past : key_lengths[static_cast<std::size_t>(batch)] - queries;
}

// Whether the trace asks for whole rows of scores.
inline bool wants_scores(const AttentionTrace& trace) noexcept {
  return trace.scores || trace.capped || trace.masked || trace.weights;
}

// The formula of attention, common to the forward and the backward pass.
struct AttentionFormula {
  TensorView<const float, 4> query, key, value;
  Mask mask;  // with causal and padding
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

  // The head of keys and values used by a head of queries.
  Index key_head(Index head) const noexcept { return head / (heads() / kv_heads()); }
  // Whether there are no scores; outputs and gradients are then 0.
  bool empty() const noexcept { return keys() == 0 || batches() * heads() * queries() == 0; }
  Index offset(Index batch) const noexcept {
    return query_offset(past, key_lengths, batch, queries());
  }
  // The index of a query among all queries [B, H, T].
  Index row_of(Index batch, Index head, Index query_number) const noexcept {
    return (batch * heads() + head) * queries() + query_number;
  }
};

// A forward pass: the formula, its method and its outputs.
struct AttentionProblem : AttentionFormula {
  AttentionMethod method;
  TensorView<float, 4> out;
  AttentionTrace trace;

  // Whether the trace asks for whole rows of scores.
  bool traced() const noexcept { return wants_scores(trace); }
};

// A backward pass: the formula, the results of the forward pass, and the gradients.
struct AttentionBackwardProblem : AttentionFormula {
  TensorView<const float, 4> d_out, out;
  TensorView<const float, 3> log_sum_exp;
  // The rows of d_query, d_key and d_value may interleave, as in the parts of one projection.
  AttentionGradients gradients;

  // The number of query heads that share a head of keys.
  Index group() const noexcept { return heads() / kv_heads(); }
};

// Computes the gradients.
void run_attention_backward(const AttentionBackwardProblem& problem, const Context& context);

// Throws Error in the name of `call` unless queries, keys and values fit each other. Batches,
// heads, queries and keys may be 0; widths are at least 1.
void check_inputs(const char* call, TensorView<const float, 4> query,
                  TensorView<const float, 4> key, TensorView<const float, 4> value);

// Throws Error in the name of `call` if `trace` asks for rows of scores and the method never has
// whole rows.
void check_traceable(const char* call, AttentionMethod method, const AttentionTrace& trace);

// Null views with the shapes of a trace, for scores [B, H, T, S].
inline AttentionTrace trace_shapes(const Shape<4>& scores) noexcept {
  const TensorView<float, 4> like(nullptr, scores);
  return {like, like, like, like, {nullptr, {scores[0], scores[1], scores[2]}}};
}

// Throws Error in the name of `call` unless `out` and the views of `trace` fit scores of shape [B,
// H, T, S] and values of width `value_width`, share no memory with the inputs, and the trace shares
// none with `out`.
template <typename... Inputs>
void check_written(const char* call, const Shape<4>& scores, Index value_width,
                   const TensorView<float, 4>& out, const AttentionTrace& trace, const Message& why,
                   const Inputs&... inputs) {
  const auto check = [&](const auto& view, const auto& shape, const char* name) {
    check_shape(view, shape, call, name, why);
    (check_no_overlap(view, inputs, call, name), ...);
  };
  check(out, Shape<4>{scores[0], scores[1], scores[2], value_width}, "out");
  const AttentionTrace like = trace_shapes(scores);
  AttentionTrace::for_each_member(
      [&](const char* name, const auto& view, const auto& shape) {
        if (!view) return;
        check(view, shape.shape(), name);
        check_no_overlap(view, out, call, name);
      },
      trace, like);
}

// Throws Error in the name of `call` unless the options fit scores of shape [B, H, T, S].
void check_options(const char* call, const AttentionOptions& options, const Shape<4>& scores);

// The formula of checked inputs and options.
AttentionFormula attention_formula(const TensorView<const float, 4>& query,
                                   const TensorView<const float, 4>& key,
                                   const TensorView<const float, 4>& value,
                                   const AttentionOptions& options);

// The forward pass of checked arguments.
AttentionProblem attention_problem(const TensorView<const float, 4>& query,
                                   const TensorView<const float, 4>& key,
                                   const TensorView<const float, 4>& value,
                                   const AttentionOptions& options, const TensorView<float, 4>& out,
                                   const AttentionTrace& trace);

// The forward pass, with a check of all arguments first: throws Error in the name of `call` for a
// wrong argument.
AttentionProblem checked_attention_problem(const char* call, TensorView<const float, 4> query,
                                           TensorView<const float, 4> key,
                                           TensorView<const float, 4> value,
                                           const AttentionOptions& options,
                                           TensorView<float, 4> out, const AttentionTrace& trace);

// Whether `scores` scores of `multiplications` multiplications each, with their softmax, are too
// little work for a second thread. The threshold is the one of matrix products.
bool below_parallel_threshold(double scores, Index multiplications) noexcept;

// The mask of the options, combined with `causal` and the key lengths.
Mask whole_mask(const AttentionOptions& options);

// The number of queries in a block: enough to read the panels of keys and values from cache, few
// enough that 64 rows of scores stay in the level-2 cache up to S = 4096 (64 * 4096 * 4 B = 1 MiB).
inline constexpr Index kQueryBlock = 64;

}  // namespace tril::detail
