// The cost of attention, by method and mask (lessons/cost.h says what is counted).
#pragma once

#include <tril/attention/attention.h>
#include <tril/attention/linear_attention.h>
#include <tril/lessons/cost.h>
#include <tril/lessons/online_attention.h>

namespace tril {

// Softmax of `rows` rows of `length`: 5 flops an element (maximum, difference, exp, sum, division);
// without `stable`, as the formula is written, 3 (exp, sum, division).
Cost softmax_cost(Index rows, Index length, bool stable = true);

// The sizes of attention's query [B, H, T, D], key [B, Hk, S, D] and value [B, Hk, S, Dv].
struct AttentionSizes {
  Index batches = 1, heads = 1, kv_heads = 1;  // B, H, Hk
  Index queries = 1, keys = 1;                 // T, S
  Index width = 1, value_width = 1;            // D, Dv
};

// A cost and its number of scores.
struct AttentionCost : Cost {
  // The number of the B H T S scores that are computed. A block of queries is multiplied with the
  // keys from the first to the last that any of its queries may see. A block is all queries of a
  // head for `full`, and 64 queries for `blocked` and `online`; `online` also has blocks of 128
  // keys.
  double scores = 0;
};

// The cost of attention. A computed score takes 2 D + 1 flops (product and scale), 3 more with a
// softcap (division, tanh, product), and 2 Dv to weigh the value. Softmax takes 5 for each score
// from the first to the last that the query may see. `online` divides later: 4 for each of these
// scores, 3 + Dv for each query and visible block of keys (new factor, sum and output when the
// maximum grows), and Dv for each query. (This is the formula as written. The implementation
// divides outputs late in every method, and splits blocks that a mask crosses into tiles of the
// processor.)
//
// Held: the scores of a block, and with `online` also three numbers a query. `blocks` are those of
// `online`. Throws Error for a size below 1, for kv_heads that do not divide heads, and as
// attention does for options.
AttentionCost attention_cost(const AttentionSizes& sizes, const AttentionOptions& options,
                             const OnlineBlocks& blocks = {});

// The cost of linear attention: features, two matrix products and normalisation, as in
// LinearAttentionOptions. elu_plus_one takes 2 flops an element (comparison, and exp or addition);
// features of keys are computed for every head of queries. values_first takes 2 D Dv a key and a
// query, D a key for the sum of features, and 2 D + Dv a query to divide. scores_first takes 2 D +
// 2 Dv a pair, and 2 more to divide, for all T S pairs even if causal. Held: the features of one
// head, and f(K)^T V with the sum, or the scores.
Cost linear_attention_cost(const AttentionSizes& sizes, const LinearAttentionOptions& options);

// The cost of low-rank attention: 2 R S (D + Dv) flops for each head of keys, then attention to
// `rank` keys by its own method. Held: the projected keys and values, and what attention holds.
AttentionCost low_rank_attention_cost(const AttentionSizes& sizes, Index rank);

// The sizes of additive_attention's query [B, T, Dq], key [B, S, Dk] and value [B, S, Dv].
struct AdditiveSizes {
  Index batches = 1;                                // B
  Index queries = 1, keys = 1;                      // T, S
  Index width = 1, key_width = 1, value_width = 1;  // Dq, Dk, Dv
  Index units = 1;                                  // A, of the network
};

// The cost of additive attention: 2 A Dq flops to project a query and 2 A Dk for a key. A score
// takes 4 A (each unit's addition, tanh, product and sum), 5 for its softmax, and 2 Dv to weigh the
// value, for all T S pairs, whatever the mask. Held: the projections and scores of one batch.
// Throws Error for a size below 1.
AttentionCost additive_attention_cost(const AdditiveSizes& sizes);

// The sizes of a multi-head attention.
struct MultiHeadSizes {
  Index batches = 1;              // B
  Index queries = 1, keys = 1;    // T, S
  Index width = 1;                // C, of inputs and output; a head has width C / heads
  Index heads = 1, kv_heads = 1;  // H, Hk
  bool bias = true;               // whether the four layers have biases
  bool cross = false;             // keys and values come from another tensor [B, S, C]
};

// The cost of four linear layers and the attention between them. Held: queries, keys, values,
// outputs of heads, and what attention holds. Throws Error also for heads that do not divide the
// width, and where keys and queries differ in number without `cross`.
AttentionCost multi_head_attention_cost(const MultiHeadSizes& sizes,
                                        const AttentionOptions& options);

}  // namespace tril
