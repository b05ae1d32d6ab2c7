// The cost of a Transformer block (lessons/cost.h says what is counted).
#pragma once

#include <tril/layers/activations.h>
#include <tril/lessons/attention_cost.h>

namespace tril {

// The sizes of a block.
struct TransformerBlockSizes {
  Index batches = 1;                         // B
  Index tokens = 1;                          // T
  Index width = 1;                           // C
  Index heads = 1, kv_heads = 1;             // H, Hk
  Index hidden = 1;                          // of the feed-forward
  Activation activation = Activation::relu;  // of the feed-forward
};

// The cost of multi-head attention, feed-forward, two layer norms and two additions, with biases
// and scales; post- and pre-norm cost the same. Held: two tensors of x's shape, and the larger of
// what attention and feed-forward hold. Throws Error as their costs do.
AttentionCost transformer_block_cost(const TransformerBlockSizes& sizes,
                                     const AttentionOptions& options);

}  // namespace tril
