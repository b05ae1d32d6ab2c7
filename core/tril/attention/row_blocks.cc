#include <tril/attention/direct_heads.h>
#include <tril/attention/packed_heads.h>
#include <tril/attention/query_blocks.h>
#include <tril/attention/row_blocks.h>
#include <tril/attention/score_kernels.h>
#include <tril/layers/softmax_kernels.h>

#include <algorithm>

namespace tril::detail {
namespace {

void fill_rows(Index rows, Index cols, float value, float* out, Index stride) noexcept {
  for (Index row = 0; row < rows; ++row) std::fill_n(out + row * stride, cols, value);
}

// Copies a block of scores to where it belongs in a traced tensor, if that is wanted.
void record(const TensorView<float, 4>& trace, const MaskBlock& block, const float* scores,
            Index stride) noexcept {
  if (!trace) return;
  for (Index query = block.first_query; query < block.last_query; ++query) {
    const float* const row = scores + (query - block.first_query) * stride;
    std::copy_n(row, block.keys.size(),
                trace[block.batch][block.head][query].data() + block.keys.first);
  }
}

// Each row becomes its softmax over the keys that its query may see; the rest becomes 0.
void weigh(const Mask& mask, const MaskBlock& block, float* scores, Index stride) noexcept {
  const SoftmaxKernels& kernels = softmax_kernels();
  for (Index query = block.first_query; query < block.last_query; ++query) {
    const KeyRange seen = whole_registers(mask.visible(row_of(block, query)), block.keys);
    float* const start = scores + (query - block.first_query) * stride;
    const Index first = seen.first - block.keys.first, last = seen.last - block.keys.first;
    std::fill_n(start, first, 0.0f);
    if (!seen.empty()) kernels.row(start + first, start + first, seen.size(), 1.0f);
    std::fill(start + last, start + block.keys.size(), 0.0f);
  }
}

// keys = those that any query of the block may see;  none: out = 0, and that is all
// scores = scale * q K^T
// scores = softcap * tanh(scores / softcap), where there is a cap
// scores = -inf where the mask hides
// each row = softmax of the part that its query may see, 0 elsewhere
// out = scores V
template <typename Heads>
void attend_block(const AttentionProblem& p, const Heads& heads, MaskBlock block,
                  float* scores) noexcept {
  const Index rows = block.last_query - block.first_query;
  const MatrixView<const float> query = p.query[block.batch][block.head];
  const MatrixView<float> out = p.out[block.batch][block.head];
  float* const to = out[block.first_query].data();

  const KeyRange seen = p.mask.visible(block);
  if (!p.traced()) block.keys = heads.widened(seen);
  const Index stride = block.keys.size(), key_head = p.key_head(block.head);
  if (p.traced() || !seen.empty()) {
    heads.score(block.batch, key_head, query[block.first_query].data(), query.stride(0), rows,
                block.keys, p.scale, scores, stride);
    record(p.trace.scores, block, scores, stride);
    if (p.softcap > 0) score_kernels().cap(scores, rows * stride, p.softcap);
    record(p.trace.capped, block, scores, stride);
    p.mask.apply(block, scores, stride);
    record(p.trace.masked, block, scores, stride);
    weigh(p.mask, block, scores, stride);
    record(p.trace.weights, block, scores, stride);
  }
  if (seen.empty()) return fill_rows(rows, p.value_width(), 0.0f, to, out.stride(0));
  heads.combine(block.batch, key_head, scores + (seen.first - block.keys.first), stride, rows, seen,
                false, to, out.stride(0));
}

// One row only multiplies with each head of keys, so packing it would not pay.
bool is_direct(const AttentionProblem& p) noexcept {
  return p.queries() == 1 && p.heads() == p.kv_heads();
}

template <typename Heads>
void attend_blocks(const AttentionProblem& p, const Heads& heads, const QueryBlocks& blocks,
                   float* scores, Parallel& parallel) {
  const Index elements = blocks.rows() * p.keys();
  parallel.for_each(blocks.count(), [&](Index item, int worker) {
    attend_block(p, heads, blocks[item], scores + elements * worker);
  });
}

}  // namespace

void attend_row_blocks(const AttentionProblem& p, Index block, Scratch& scratch,
                       Parallel& parallel) {
  const QueryBlocks blocks(p, block);
  Scratch::Frame frame(scratch);
  float* const scores = frame.take<float>(blocks.rows(), p.keys(), parallel.threads());
  if (is_direct(p)) return attend_blocks(p, DirectHeads(p), blocks, scores, parallel);
  PackedHeads heads(p, frame);
  heads.pack(p, parallel);
  attend_blocks(p, heads, blocks, scores, parallel);
}

}  // namespace tril::detail
