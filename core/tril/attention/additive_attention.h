// Additive attention (Bahdanau, Cho, Bengio 2015): a small network instead of the dot product,
//
//   score[t, s] = w_score . tanh(Wq q_t + Wk k_s)
//   out = softmax(score + mask) V
#pragma once

#include <tril/attention/mask.h>
#include <tril/foundation/context.h>
#include <tril/foundation/parameters.h>
#include <tril/foundation/saved_memory.h>
#include <tril/foundation/tensor.h>

namespace tril {

// The projections of queries and keys, and the weights of the score.
template <typename T>
struct BasicAdditiveWeights {
  MatrixView<T> query = {};  // Wq [A, Dq]
  MatrixView<T> key = {};    // Wk [A, Dk]
  VectorView<T> score = {};  // w_score [A]

  // For foundation/parameters.h. PyTorch has no such module, and no names for its parameters.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("w_q", each.query...);
    visit("w_k", each.key...);
    visit("v", each.score...);
  }
};

// Weights that are only read.
using AdditiveWeights = BasicAdditiveWeights<const float>;

// Views to fill with intermediate results; a view of nothing is not filled.
struct AdditiveTrace {
  TensorView<float, 3> queries = {};  // [B, T, A]: Wq q_t
  TensorView<float, 3> keys = {};     // [B, S, A]: Wk k_s
  TensorView<float, 3> scores = {};   // [B, T, S]
  TensorView<float, 3> masked = {};   // [B, T, S]: -inf where a query may not look
  TensorView<float, 3> weights = {};  // [B, T, S]
};

// query [B, T, Dq], key [B, S, Dk], value [B, S, Dv], out [B, T, Dv]; the mask applies to scores of
// shape [B, 1, T, S]. A query that sees no keys gets zeros, and has no effect on gradients, even
// where it is NaN. B, T and S may be 0. Outputs may not share memory with anything else. Throws
// Error where shapes do not fit.
void additive_attention(TensorView<const float, 3> query, TensorView<const float, 3> key,
                        TensorView<const float, 3> value, const AdditiveWeights& weights,
                        const Mask& mask, TensorView<float, 3> out, const Context& context = {},
                        const AdditiveTrace& trace = {});

// The trace that the backward pass needs, laid out in `memory`: B (T A + S A + T S) floats for
// query [B, T, Dq] and key [B, S, Dk].
AdditiveTrace additive_attention_saved(const Shape<3>& query, const Shape<3>& key,
                                       const AdditiveWeights& weights, SavedMemory& memory);

// Gradients of additive_attention. A gradient without a view is not computed.
struct AdditiveGradients {
  TensorView<float, 3> d_query = {};         // [B, T, Dq], overwritten
  TensorView<float, 3> d_key = {};           // [B, S, Dk], overwritten
  TensorView<float, 3> d_value = {};         // [B, S, Dv], overwritten
  BasicAdditiveWeights<float> weights = {};  // shaped as the weights, added to
};

// The backward pass, from the gradient d_out [B, T, Dv] of the output and from the queries, keys
// and weights that the forward pass left in the trace. With z = tanh(q_t + k_s) and the weights P:
//
//   d_score = P * (d_out V^T - rowsum(P * d_out V^T)),  d_value = P^T d_out
//   d_q_t = sum over s of d_score w_score (1 - z^2),  d_k_s the same over t
//   d_w_score += sum over t and s of d_score z
//
// d_q and d_k then pass through Wq and Wk. Outputs may not share memory with anything else. Results
// do not depend on the number of threads. Throws Error where shapes do not fit, before anything is
// written.
void additive_attention_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> query,
                                 TensorView<const float, 3> key, TensorView<const float, 3> value,
                                 const AdditiveWeights& weights, const AdditiveTrace& trace,
                                 const AdditiveGradients& gradients, const Context& context = {});

namespace detail {

// Throws Error in the name of `call` unless inputs and weights fit each other.
void check_additive(const char* call, const TensorView<const float, 3>& query,
                    const TensorView<const float, 3>& key, const TensorView<const float, 3>& value,
                    const AdditiveWeights& weights);

}  // namespace detail

}  // namespace tril
