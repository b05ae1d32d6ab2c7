// Scaled dot-product attention (Vaswani et al. 2017, section 3.2.1):
//
//   out [T, Dv] = dropout(softmax(scale * Q K^T + mask)) V      Q [T, D], K [S, D], V [S, Dv]
//
// for every head of every batch. Grouped-query attention (Ainslie et al. 2023): with Hk < H heads
// of keys and values, H / Hk heads of queries in a row share one.
#pragma once

#include <tril/attention/mask.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>
#include <tril/layers/dropout.h>

#include <optional>
#include <vector>

namespace tril {

// The methods. They differ in the number of scores that are in memory at once.
enum class AttentionMethod {
  automatic,  // the fastest known method for the shape that can fill the trace
  full,       // all scores of a head at once, as in the formula: O(T S) memory per thread
  blocked,    // 64 queries against all keys: O(64 S) memory per thread
  online,     // 64 queries against 128 keys at a time (flash_attention.h): O(1) memory per thread
};

// The names of the methods.
inline constexpr Named<AttentionMethod> kAttentionMethods[] = {
    {"auto", AttentionMethod::automatic},
    {"full", AttentionMethod::full},
    {"blocked", AttentionMethod::blocked},
    {"online", AttentionMethod::online}};

// Options of the formula and of its computation.
struct AttentionOptions {
  // Whether query t sees only the keys up to its own position. The position is t + past, or, with
  // key_lengths, t + key_lengths[b] - T, so that the last query is at the last real key. Masks use
  // the same positions.
  bool causal = false;
  Mask mask = {};                   // hides keys or changes scores, besides causal
  std::optional<float> scale = {};  // default 1 / sqrt(D)
  float softcap = 0;                // c > 0 turns scores into c * tanh(score / c), before the mask
  Index past = 0;                   // number of keys before query 0
  std::vector<Index> key_lengths = {};  // number of real keys of each batch; empty: all
  AttentionMethod method = AttentionMethod::automatic;  // results differ only in rounding
  // Dropout of the weights after softmax, in training: dropout() of a matrix [B H T, S]. The
  // backward pass with the same options drops the same weights.
  std::optional<DropoutOptions> dropout = {};
};

// Views to fill with intermediate results; a null view is not filled. Tracing a view [B, H, T, S]
// computes the scores of all keys, visible or not. The method `online` never has them all in memory
// and cannot trace them.
struct AttentionTrace {
  TensorView<float, 4> scores = {};   // scale * Q K^T
  TensorView<float, 4> capped = {};   // after softcap; equal to the scores without softcap
  TensorView<float, 4> masked = {};   // after the mask: -inf for hidden keys
  TensorView<float, 4> weights = {};  // after softmax, before dropout
  // [B, H, T], by every method: log(sum of e^masked over the keys), from which a backward pass
  // recomputes weights = e^(masked - log_sum_exp). +infinity for a query that sees no keys.
  TensorView<float, 3> log_sum_exp = {};

  // Calls visit(the member's name in errors, the member of each struct) for every member.
  template <typename Visit, typename... Traces>
  static void for_each_member(const Visit& visit, Traces&... each) {
    visit("trace.scores", each.scores...);
    visit("trace.capped", each.capped...);
    visit("trace.masked", each.masked...);
    visit("trace.weights", each.weights...);
    visit("trace.log_sum_exp", each.log_sum_exp...);
  }
};

// Writes out [B, H, T, Dv] for query [B, H, T, D], key [B, Hk, S, D] and value [B, Hk, S, Dv]; Hk
// divides H. A query that sees no keys gets zeros. B, H, T and S may be 0. A NaN or infinity
// reaches no other head or batch. Outputs may not share memory with inputs. Throws Error where
// shapes or options do not fit.
void attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
               TensorView<const float, 4> value, const AttentionOptions& options,
               TensorView<float, 4> out, const Context& context = {},
               const AttentionTrace& trace = {});

// The same into a new buffer.
inline Buffer<float, 4> attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
                                  TensorView<const float, 4> value,
                                  const AttentionOptions& options = {},
                                  const Context& context = {}) {
  return detail::new_buffer(Shape<4>{query.size(0), query.size(1), query.size(2), value.size(3)},
                            [&](auto out) { attention(query, key, value, options, out, context); });
}

// The signature from before Context existed.
[[deprecated("hand over {scratch, parallel}")]] inline void attention(
    TensorView<const float, 4> query, TensorView<const float, 4> key,
    TensorView<const float, 4> value, const AttentionOptions& options, TensorView<float, 4> out,
    Scratch& scratch, Parallel& parallel, const AttentionTrace& trace = {}) {
  attention(query, key, value, options, out, {scratch, parallel}, trace);
}

namespace detail {

// Returns `method` itself, or the method that `automatic` chooses. A trace needs whole rows of
// scores.
AttentionMethod chosen_method(AttentionMethod method, Index keys, bool traced) noexcept;

// attention() for a caller that has already checked the arguments (attention_problem.h).
struct AttentionProblem;
void run_attention(const AttentionProblem& problem, const Context& context);

}  // namespace detail

}  // namespace tril
