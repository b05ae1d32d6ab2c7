#include <tril/attention/blocked_attention.h>
#include <tril/attention/key_value_panels.h>

#include <algorithm>

namespace tril::detail {
namespace {

// The memory of a stage of a block: its view of the trace, or, if it is not traced, `own`.
ScoreBlock place(const TensorView<float, 4>& trace, const QueryBlock& block,
                 const ScoreBlock& own) noexcept {
  if (!trace) return own;
  const MatrixView<float> all = trace[block.batch][block.head];
  return {all[block.first_query].data(), all.stride(0), 0};
}

void copy(const QueryBlock& block, KeyRange keys, const ScoreBlock& from,
          const ScoreBlock& to) noexcept {
  if (from.data == to.data) return;
  for (Index row = 0; row < block.rows(); ++row) {
    std::copy_n(from.at(row, keys.first), keys.size(), to.at(row, keys.first));
  }
}

// Traces the weights of the formula: each row divided by its sum, and 0 for hidden keys.
void trace_weights(const AttentionProblem& p, const QueryBlock& block, const VisibleKeys& visible,
                   const ScoreBlock& weights, const SoftmaxState* states) noexcept {
  if (!p.trace.weights) return;
  const ScoreBlock trace = place(p.trace.weights, block, weights);
  for (Index row = 0; row < block.rows(); ++row) {
    const KeyRange seen = visible.rows[row];
    std::fill_n(trace.at(row, 0), p.keys(), 0.0f);
    if (states[row].sum == 0.0f) continue;
    score_kernels().scale(weights.at(row, seen.first), trace.at(row, seen.first), seen.size(),
                          1 / states[row].sum);
  }
}

// For the queries Q of a block and all keys K that any of them sees, all there are if traced:
//
//   S = scale * Q K^T, capped, masked
//   m = max(rows of S),  P = e^(S - m),  l = row sums of P
//   O = dropout(P) V / l,  log_sum_exp = m + log l
struct AttendBlock {
  const AttentionProblem& p;
  const BlockMemory memory;  // of all threads

  template <typename KeyValues>
  void operator()(const KeyValues& key_values, const QueryBlock& block, int worker) const noexcept {
    const BlockMemory own_memory = memory.of(worker);
    start_rows(p, block, own_memory.states);
    VisibleKeys visible = p.traced() ? all_keys(p, block, own_memory.visible)
                                     : visible_keys(p, block, own_memory.visible);
    if (!visible.any.empty()) {
      const KeyRange keys = key_values.widened(visible.any);
      const ScoreBlock own = {own_memory.scores, own_memory.stride, keys.first};
      const ScoreBlock scores = place(p.trace.scores, block, own);
      key_values.score(block, visible, keys, scores);
      const bool capped = p.softcap > 0 || p.trace.capped;
      const ScoreBlock after_cap = capped ? place(p.trace.capped, block, own) : scores;
      if (p.softcap > 0) {
        cap_scores(p, visible, block.rows(), keys, scores, after_cap);
      } else {
        copy(block, keys, scores, after_cap);
      }
      const ScoreBlock masked = place(p.trace.masked, block, own);
      copy(block, keys, after_cap, masked);
      mask_scores(p, block, keys, masked);
      if (p.traced()) visible = visible_keys(p, block, own_memory.visible);
      online_softmax(visible, block.rows(), keys, masked, own, own_memory.states,
                     own_memory.factors);
      trace_weights(p, block, visible, own, own_memory.states);
      drop_weights(p, block, visible, visible.any, own);
      key_values.add_values(block, visible, visible.any, own);
    }
    finish_rows(p, block, own_memory.states);
  }
};

}  // namespace

void blocked_attention(const AttentionProblem& p, Index queries, const Context& context) {
  const bool each_head = p.traced();
  Scratch::Frame frame(context.scratch);
  const BlockMemory memory = BlockMemory::take(frame, most_rows(p, queries, each_head), p.keys(),
                                               context.parallel.threads());
  for_each_block(p, queries, each_head, frame, context, AttendBlock{p, memory});
}

}  // namespace tril::detail
