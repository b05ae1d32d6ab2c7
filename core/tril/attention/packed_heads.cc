#include <tril/attention/packed_heads.h>

#include <algorithm>

namespace tril::detail {
namespace {

// So many keys of a panel of values are multiplied at a time: 256 * 16 to 32 columns * 4 B = 16 to
// 32 KiB, which stays in the level-1 cache while the rows go by.
constexpr Index kDepthBlock = 256;

}  // namespace

PackedHeads::PackedHeads(const AttentionProblem& problem, Scratch::Frame& frame)
    : heads_(problem.kv_heads()),
      keys_(problem.keys()),
      depth_(problem.depth()),
      width_(problem.value_width()),
      key_count_(kernels_.packed_count(depth_, keys_)),
      value_count_(kernels_.packed_count(keys_, width_)),
      key_panels_(frame.take<float>(problem.batches(), heads_, key_count_)),
      value_panels_(frame.take<float>(problem.batches(), heads_, value_count_)) {}

void PackedHeads::pack(const AttentionProblem& problem, Parallel& parallel) noexcept {
  parallel.for_each(problem.batches() * heads_, [&](Index item, int) {
    const MatrixView<const float> key = problem.key[item / heads_][item % heads_];
    const MatrixView<const float> value = problem.value[item / heads_][item % heads_];
    kernels_.pack_transposed(key.data(), key.stride(0), depth_, keys_,
                             key_panels_ + item * key_count_);
    kernels_.pack(value.data(), value.stride(0), keys_, width_,
                  value_panels_ + item * value_count_);
  });
}

void PackedHeads::score(Index batch, Index key_head, const float* q, Index q_stride, Index rows,
                        KeyRange keys, float scale, float* scores,
                        Index scores_stride) const noexcept {
  const float* const panels =
      key_panels_ + (batch * heads_ + key_head) * key_count_ + keys.first * depth_;
  kernels_.multiply(q, q_stride, panels, {rows, depth_, keys.size()}, {scale}, scores,
                    scores_stride);
}

// for each block of keys
//   for each panel of values:  out's columns = weights' block * the panel's (+ out's)
void PackedHeads::combine(Index batch, Index key_head, const float* weights, Index weights_stride,
                          Index rows, KeyRange keys, bool accumulate, float* out,
                          Index out_stride) const noexcept {
  const float* const panels = value_panels_ + (batch * heads_ + key_head) * value_count_;
  const Index panel_cols = kernels_.panel_cols;
  for (Index key = keys.first; key < keys.last; key += kDepthBlock) {
    const Index count = std::min(kDepthBlock, keys.last - key);
    for (Index col = 0; col < width_; col += panel_cols) {
      kernels_.multiply(weights + (key - keys.first), weights_stride,
                        panels + col * keys_ + key * panel_cols,
                        {rows, count, std::min(panel_cols, width_ - col)},
                        {1, accumulate || key > keys.first}, out + col, out_stride);
    }
  }
}

}  // namespace tril::detail
