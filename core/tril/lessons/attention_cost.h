// What attention costs, by method and mask (foundation/cost.h says what is counted).
#pragma once

#include <tril/attention/attention.h>
#include <tril/attention/linear_attention.h>
#include <tril/lessons/cost.h>
#include <tril/lessons/online_attention.h>

namespace tril {

// n rows of `length`: 5 flops an element (maximum, difference, exp, sum, division); as the formula
// is written, not `stable`, 3 (exp, sum, division).
Cost softmax_cost(Index rows, Index length, bool stable = true);

// As attention's views: query [B, H, T, D], key [B, Hk, S, D], value [B, Hk, S, Dv].
struct AttentionSizes {
  Index batches = 1, heads = 1, kv_heads = 1;  // B, H, Hk
  Index queries = 1, keys = 1;                 // T, S
  Index width = 1, value_width = 1;            // D, Dv
};

// A cost with the number of scores that it is of.
struct AttentionCost : Cost {
  // How many of the B H T S scores are computed. A block of queries is multiplied with the keys
  // from the first to the last that one of its queries may see: all queries of a head are one block
  // for `full`, 64 for `blocked` and `online`, which also goes by blocks of 128 keys.
  double scores = 0;
};

// 2 D + 1 flops for each score that is computed (its product, and the scale), 3 more with a softcap
// (division, tanh, product), and 2 Dv to weigh the value; 5 for softmax of each score from the
// first to the last that the query may see. `online` divides later: 4 for each of those, 3 + Dv for
// each query and block of keys that it sees anything of (what is done when the maximum grew: new
// factor, sum, output), and Dv for each query. (As the formula is written. What runs divides the
// outputs late in every method, and cuts blocks that a mask crosses into tiles of the processor.)
//
// Held: a block's scores; by `online` also three numbers a query. `blocks` are those of `online`.
// Throws Error for a size below 1, for kv_heads that do not divide heads, and as attention does
// for options.
AttentionCost attention_cost(const AttentionSizes& sizes, const AttentionOptions& options,
                             const OnlineBlocks& blocks = {});

// Features, two matrix products and their normalisation as LinearAttentionOptions has them:
// elu_plus_one 2 flops an element (comparison, and exp or addition), features of keys anew for
// every head of queries. values_first: 2 D Dv a key and a query; D a key for the sum of features;
// 2 D + Dv a query to divide. scores_first: 2 D + 2 Dv a pair; 2 more to divide; all T S pairs even
// if causal. Held: the features of one head, and f(K)^T V with the sum, or the scores.
Cost linear_attention_cost(const AttentionSizes& sizes, const LinearAttentionOptions& options);

// 2 R S (D + Dv) flops for each head of keys, then attention to `rank` keys, by the method that it
// takes itself. Held: what is projected, and what attention holds.
AttentionCost low_rank_attention_cost(const AttentionSizes& sizes, Index rank);

// As additive_attention's views: query [B, T, Dq], key [B, S, Dk], value [B, S, Dv].
struct AdditiveSizes {
  Index batches = 1;                                // B
  Index queries = 1, keys = 1;                      // T, S
  Index width = 1, key_width = 1, value_width = 1;  // Dq, Dk, Dv
  Index units = 1;                                  // A, of the network
};

// 2 A Dq flops to project a query and 2 A Dk a key; 4 A a score (each unit's addition, tanh,
// product and sum), 5 for its softmax, and 2 Dv to weigh the value: of all T S pairs, whatever the
// mask. Held: one batch's projections and scores. Throws Error for a size below 1.
AttentionCost additive_attention_cost(const AdditiveSizes& sizes);

// The sizes of a multi-head attention.
struct MultiHeadSizes {
  Index batches = 1;              // B
  Index queries = 1, keys = 1;    // T, S
  Index width = 1;                // C, of inputs and output; a head is C / heads wide
  Index heads = 1, kv_heads = 1;  // H, Hk
  bool bias = true;               // whether the four layers have one
  bool cross = false;             // keys and values are made of another tensor, [B, S, C]
};

// Four linear layers and the attention between them. Held: queries, keys, values, the heads'
// outputs, and what attention holds. Throws Error also for heads that do not divide the width, and
// for as many keys as there are not queries without `cross`.
AttentionCost multi_head_attention_cost(const MultiHeadSizes& sizes,
                                        const AttentionOptions& options);

}  // namespace tril
