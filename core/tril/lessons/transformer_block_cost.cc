#include <tril/foundation/check.h>
#include <tril/foundation/sizes.h>
#include <tril/lessons/layer_costs.h>
#include <tril/lessons/transformer_block_cost.h>

#include <algorithm>

namespace tril {

AttentionCost transformer_block_cost(const TransformerBlockSizes& s,
                                     const AttentionOptions& options) {
  AttentionCost cost = multi_head_attention_cost({.batches = s.batches,
                                                  .queries = s.tokens,
                                                  .keys = s.tokens,
                                                  .width = s.width,
                                                  .heads = s.heads,
                                                  .kv_heads = s.kv_heads},
                                                 options);
  const Index rows =
      checked_count({{"batches", s.batches}, {"tokens", s.tokens}}, 1, "transformer_block_cost");
  const Cost feed = feed_forward_cost(
      {.rows = rows, .width = s.width, .hidden = s.hidden, .activation = s.activation});
  const Cost norm = layer_norm_cost(rows, s.width, true);
  const double x = cost.output_bytes;
  cost.flops += feed.flops + 2 * (norm.flops + detail::times(rows, s.width));
  cost.input_bytes += feed.input_bytes - x + 2 * (norm.input_bytes - x);
  cost.held_bytes = 2 * x + std::max(cost.held_bytes, feed.held_bytes);
  return cost;
}

}  // namespace tril
