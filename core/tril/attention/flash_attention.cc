#include <tril/attention/flash_attention.h>
#include <tril/attention/key_value_panels.h>

#include <algorithm>

namespace tril::detail {
namespace {

// For the queries Q of a block, with a maximum m, a sum l and an output O each:
//
//   m = -inf, l = 0, O = 0
//   for each block of keys K and values V of which the mask lets any through:
//     S = scale * Q K^T, capped, masked
//     m' = max(m, rows of S)
//     P = e^(S - m'),  f = e^(m - m')
//     l = f l + row sums of P,  m = m'
//     O = f O
//     O = O + dropout(P) V
//   O = O / l,  log_sum_exp = m + log l
struct AttendBlock {
  const AttentionProblem& p;
  const Index keys_a_step;
  const BlockMemory memory;  // of all threads
  FlashObserver* const observer;

  template <typename KeyValues>
  void operator()(const KeyValues& key_values, const QueryBlock& block, int worker) const noexcept {
    const BlockMemory own_memory = memory.of(worker);
    const VisibleKeys visible = visible_keys(p, block, own_memory.visible);
    start_rows(p, block, own_memory.states);
    for (Index first = 0; first < p.keys(); first += keys_a_step) {
      const KeyRange keys = {first, std::min(first + keys_a_step, p.keys())};
      const bool seen = !common(keys, visible.any).empty() && any_visible(p, block, keys);
      if (seen) {
        const KeyRange wide = key_values.widened(keys);
        const ScoreBlock scores = {own_memory.scores, own_memory.stride, wide.first};
        key_values.score(block, visible, wide, scores);
        if (p.softcap > 0) cap_scores(p, visible, block.rows(), keys, scores, scores);
        mask_scores(p, block, keys, scores);
        online_softmax(visible, block.rows(), keys, scores, scores, own_memory.states,
                       own_memory.factors);
        drop_weights(p, block, visible, keys, scores);
        rescale_rows(p, block, own_memory.factors);
        key_values.add_values(block, visible, keys, scores);
      }
      if (observer) {
        observer->after({block, first / keys_a_step, seen, own_memory.states, own_memory.factors});
      }
    }
    finish_rows(p, block, own_memory.states);
  }
};

}  // namespace

void flash_attention(const AttentionProblem& p, const FlashBlocks& blocks, const Context& context,
                     FlashObserver* observer) {
  const bool each_head = observer != nullptr;
  const Index keys = std::min(blocks.keys, p.keys());
  Scratch::Frame frame(context.scratch);
  const BlockMemory memory =
      BlockMemory::take(frame, most_rows(p, blocks.queries, each_head),
                        keys + tile_kernels().panel_cols - 1, context.parallel.threads());
  for_each_block(p, blocks.queries, each_head, frame, context,
                 AttendBlock{p, keys, memory, observer});
}

}  // namespace tril::detail
