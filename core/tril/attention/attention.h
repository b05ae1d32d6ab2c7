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

// How many scores are held at once.
enum class AttentionMethod {
  automatic,  // the fastest that is known for the shape and gives what is asked for
  full,       // all scores of a head at once, as the formula stands: O(T S) memory a thread
  blocked,    // 64 queries against all keys: O(64 S) memory a thread
  online,     // 64 queries against 128 keys at a time (flash_attention.h): O(1) memory a thread
};

// Their names.
inline constexpr Named<AttentionMethod> kAttentionMethods[] = {
    {"auto", AttentionMethod::automatic},
    {"full", AttentionMethod::full},
    {"blocked", AttentionMethod::blocked},
    {"online", AttentionMethod::online}};

// What changes the formula, and how it is computed.
struct AttentionOptions {
  // Query t sees the keys up to its own position, which is t + past, or, with key_lengths,
  // t + key_lengths[b] - T: the last query then stands at the last real key. Masks count alike.
  bool causal = false;
  Mask mask = {};                       // which keys may be seen, besides causal
  std::optional<float> scale = {};      // 1 / sqrt(D) if not given
  float softcap = 0;                    // c > 0: scores become c * tanh(score / c), before the mask
  Index past = 0;                       // how many of the keys were there before query 0
  std::vector<Index> key_lengths = {};  // one a batch: how many of the keys are real; none: all
  AttentionMethod method = AttentionMethod::automatic;  // the same result but for rounding
  // In training, of the weights after softmax, as dropout() does of a matrix [B H T, S]. A
  // backward that is given the same leaves out the same.
  std::optional<DropoutOptions> dropout = {};
};

// Views to fill with what is computed on the way; none: not wanted. Those [B, H, T, S] cost the
// scores of all keys, seen or not. The method online never holds them, and cannot be traced so.
struct AttentionTrace {
  TensorView<float, 4> scores = {};   // scale * Q K^T
  TensorView<float, 4> capped = {};   // after softcap; the scores, if there is none
  TensorView<float, 4> masked = {};   // after the mask: -inf where a query may not look
  TensorView<float, 4> weights = {};  // after softmax, before dropout
  // [B, H, T], by every method: log(sum of e^masked over the keys), what a backward needs to form
  // weights = e^(masked - log_sum_exp) anew. +infinity for a query that sees nothing.
  TensorView<float, 3> log_sum_exp = {};
};

// query [B, H, T, D], key [B, Hk, S, D], value [B, Hk, S, Dv], out [B, H, T, Dv]; Hk divides H.
// A query that sees nothing gets zeros, as all do where there are no keys; B, H, T and S may be 0.
// A NaN or infinity reaches no other head or batch. What is written may not share memory with what
// is read. Throws Error where shapes or options do not fit.
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

// As it was called before there was a Context.
[[deprecated("hand over {scratch, parallel}")]] inline void attention(
    TensorView<const float, 4> query, TensorView<const float, 4> key,
    TensorView<const float, 4> value, const AttentionOptions& options, TensorView<float, 4> out,
    Scratch& scratch, Parallel& parallel, const AttentionTrace& trace = {}) {
  attention(query, key, value, options, out, {scratch, parallel}, trace);
}

namespace detail {

// The method itself, or what `automatic` stands for. A trace needs whole rows of scores.
AttentionMethod chosen_method(AttentionMethod method, Index keys, bool traced) noexcept;

// attention for a call that has checked its arguments already (attention_problem.h).
struct AttentionProblem;
void run_attention(const AttentionProblem& problem, const Context& context);

}  // namespace detail

}  // namespace tril
