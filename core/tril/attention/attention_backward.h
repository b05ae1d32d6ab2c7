// The backward pass of scaled dot-product attention (Dao 2023, algorithm 2). With the weights
// P = exp(S - log_sum_exp) of the scores S = mask(softcap(scale Q K^T)):
//
//   d_value = P^T d_out
//   d_scores = P * (d_out V^T - delta),  delta = sum over the width of d_out * out
//   d_query = scale d_scores K,  d_key = scale d_scores^T Q
//
// and where there is a soft cap c, d_scores is multiplied by its slope, 1 - (capped / c)^2, on its
// way on. Where there is dropout, the same of P in the first line and of d_out V^T in the second
// are left out as in the forward pass; delta stays what it is. The weights are formed anew block by
// block from what the forward pass left, one number a query; blocks that the mask hides whole are
// skipped, as in the forward pass. No working memory grows with T S. Five products in place of the
// forward pass's two.
#pragma once

#include <tril/attention/attention.h>

namespace tril {

// Gradients of attention, each overwritten; those that are not given are not computed.
struct AttentionGradients {
  TensorView<float, 4> d_query = {};  // [B, H, T, D]
  TensorView<float, 4> d_key = {};    // [B, Hk, S, D], the sum over the heads that share it
  TensorView<float, 4> d_value = {};  // [B, Hk, S, Dv], the same
  // [B, H, T, S]: of what an additive mask adds to each score, 0 where a query may not look. Of a
  // mask that serves several batches, heads or queries it is the sum over those.
  TensorView<float, 4> d_mask = {};
};

// d_out [B, H, T, Dv] is the gradient of attention's output; query, key, value and options are
// those that attention was given, options.method apart, which may be any; out [B, H, T, Dv] and
// log_sum_exp [B, H, T] are what it left. A query that saw nothing gives and gets zeros, and where
// there are no queries or no keys, all gradients are 0. What is
// written may not share memory with anything else. Results do not depend on the number of threads.
// Throws Error where shapes or options do not fit, before anything is written.
void attention_backward(TensorView<const float, 4> d_out, TensorView<const float, 4> query,
                        TensorView<const float, 4> key, TensorView<const float, 4> value,
                        TensorView<const float, 4> out, TensorView<const float, 3> log_sum_exp,
                        const AttentionOptions& options, const AttentionGradients& gradients,
                        const Context& context = {});

}  // namespace tril
