// The backward pass of scaled dot-product attention (Dao 2023, algorithm 2). With the weights
// P = exp(S - log_sum_exp) of the scores S = mask(softcap(scale Q K^T)):
//
//   d_value = P^T d_out
//   d_scores = P * (d_out V^T - delta),  delta = sum over the width of d_out * out
//   d_query = scale d_scores K,  d_key = scale d_scores^T Q
//
// A soft cap c multiplies d_scores by its slope, 1 - (capped / c)^2. Dropout drops the same
// elements as in the forward pass, of P in the first line and of d_out V^T in the second; delta
// does not change. The weights are recomputed block by block from log_sum_exp, one number a query.
// Blocks that the mask hides entirely are skipped, as in the forward pass. Working memory does not
// grow with T S. There are five products, where the forward pass has two.
#pragma once

#include <tril/attention/attention.h>

namespace tril {

// Gradients of attention, each overwritten. A gradient without a view is not computed.
struct AttentionGradients {
  TensorView<float, 4> d_query = {};  // [B, H, T, D]
  TensorView<float, 4> d_key = {};    // [B, Hk, S, D], the sum over the heads that share it
  TensorView<float, 4> d_value = {};  // [B, Hk, S, Dv], also the sum over the heads
  // [B, H, T, S]: the gradient of the number that an additive mask adds to each score; 0 where a
  // key is hidden. The gradient of a mask that is broadcast over batches, heads or queries is the
  // sum of this over them.
  TensorView<float, 4> d_mask = {};
};

// d_out [B, H, T, Dv] is the gradient of attention's output; query, key, value and options are
// those of the forward pass, except that options.method may be any; out [B, H, T, Dv] and
// log_sum_exp [B, H, T] are its results. A query that saw no keys gives and gets zeros. Where there
// are no queries or no keys, all gradients are 0. Outputs may not share memory with anything else.
// Results do not depend on the number of threads. Throws Error where shapes or options do not fit,
// before anything is written.
void attention_backward(TensorView<const float, 4> d_out, TensorView<const float, 4> query,
                        TensorView<const float, 4> key, TensorView<const float, 4> value,
                        TensorView<const float, 4> out, TensorView<const float, 3> log_sum_exp,
                        const AttentionOptions& options, const AttentionGradients& gradients,
                        const Context& context = {});

}  // namespace tril
