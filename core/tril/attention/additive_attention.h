// Additive attention (Bahdanau, Cho, Bengio 2015): a small network in place of the dot product,
//
//   score[t, s] = w_score . tanh(Wq q_t + Wk k_s)
//   out = softmax(score + mask) V
#pragma once

#include <tril/attention/mask.h>
#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/foundation/tensor.h>

namespace tril {

// What queries and keys are projected by, and what weighs their sum.
template <typename T>
struct BasicAdditiveWeights {
  MatrixView<T> query = {};  // Wq [A, Dq]
  MatrixView<T> key = {};    // Wk [A, Dk]
  VectorView<T> score = {};  // w_score [A]

  // For foundation/parameters.h. PyTorch has no such module, and no names.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("w_q", each.query...);
    visit("w_k", each.key...);
    visit("v", each.score...);
  }
};

// To be read.
using AdditiveWeights = BasicAdditiveWeights<const float>;

// Views to fill; none: not wanted.
struct AdditiveTrace {
  TensorView<float, 3> queries = {};  // [B, T, A]: Wq q_t
  TensorView<float, 3> keys = {};     // [B, S, A]: Wk k_s
  TensorView<float, 3> scores = {};   // [B, T, S]
  TensorView<float, 3> masked = {};   // [B, T, S]: -inf where a query may not look
  TensorView<float, 3> weights = {};  // [B, T, S]
};

// query [B, T, Dq], key [B, S, Dk], value [B, S, Dv], out [B, T, Dv]; the mask is that of scores
// [B, 1, T, S]. A query that sees nothing gets zeros. What is written may not share memory with
// what is read. Throws Error where shapes do not fit.
void additive_attention(TensorView<const float, 3> query, TensorView<const float, 3> key,
                        TensorView<const float, 3> value, const AdditiveWeights& weights,
                        const Mask& mask, TensorView<float, 3> out, Scratch& scratch,
                        Parallel& parallel, const AdditiveTrace& trace = {});

}  // namespace tril
