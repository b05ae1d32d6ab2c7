// The backward pass of attention for one block of keys and all queries that see any of them, one
// block of queries after another.
#pragma once

#include <tril/attention/attention_backward_kernels.h>
#include <tril/attention/attention_problem.h>
#include <tril/matmul/tile_kernels.h>

#include <iterator>

namespace tril::detail {

// Keys of a block. A block of scores and its gradients, 64 x 64 each, stay in the level-2 cache
// together with the panels that they are multiplied with.
inline constexpr Index kKeyBlock = 64;

inline Index blocks_of(Index size, Index block) noexcept { return (size + block - 1) / block; }

// The working memory of one thread, and its size.
class KeyBlockMemory {
 public:
  KeyBlockMemory(const AttentionBackwardProblem& p, const TileKernels& tiles) noexcept
      : query_block_(tiles.packed_count(kQueryBlock, p.depth())),
        d_out_block_(tiles.packed_count(kQueryBlock, p.value_width())),
        sizes_{p.group() * blocks_of(p.queries(), kQueryBlock) * query_block_,
               p.group() * blocks_of(p.queries(), kQueryBlock) * d_out_block_,
               tiles.packed_count(p.depth(), kKeyBlock),
               tiles.packed_count(p.value_width(), kKeyBlock),
               tiles.packed_count(kKeyBlock, p.depth()),
               kQueryBlock * kKeyBlock,
               kQueryBlock * kKeyBlock,
               p.softcap > 0 ? kQueryBlock * kKeyBlock : 0,
               kQueryBlock * kKeyBlock,
               16 * p.group() * blocks_of(p.queries(), kQueryBlock)} {}

  Index floats() const noexcept {
    Index sum = 0;
    for (const Index size : sizes_) sum += size;
    return sum;
  }
  // Points the parts into `memory`, which has floats() floats.
  void lay_out(float* memory) noexcept {
    float** const parts[] = {&queries, &d_outs,   &keys_transposed, &values_transposed, &keys,
                             &weights, &d_scores, &slopes,          &transposed,        &finite};
    for (std::size_t i = 0; i < std::size(parts); ++i) {
      *parts[i] = memory;
      memory += sizes_[i];
    }
  }
  // Two numbers, 1 or 0, on a cache line of their own: whether all queries of a block are finite,
  // and whether all of d_out is.
  float* finite_block(Index block) const noexcept { return finite + 16 * block; }
  // The packed block of queries, or of d_out, number `block` among the heads of a group.
  float* query_block(Index block) const noexcept { return queries + block * query_block_; }
  float* d_out_block(Index block) const noexcept { return d_outs + block * d_out_block_; }

  float *queries, *d_outs;                            // packed, block by block of each head
  float *keys_transposed, *values_transposed, *keys;  // packed, of one block of keys
  float *weights, *d_scores, *slopes, *transposed;    // of one block of scores
  float* finite;                                      // of each block

 private:
  Index query_block_, d_out_block_;
  Index sizes_[10];
};

class KeyBlockPass {
 public:
  // `delta` [B, H, T] is the sum over the width of d_out * out.
  KeyBlockPass(const AttentionBackwardProblem& p, const float* delta) noexcept
      : p_(p), delta_(delta) {}

  // Packs all blocks of queries and of d_out of the heads that share a head of keys.
  void pack_heads(Index batch, Index key_head, const KeyBlockMemory& work) const noexcept;

  // The backward pass of the block of keys that begins at `first_key`. d_query has one matrix for
  // each head of the group, to whose rows gradients are added.
  void key_block(Index batch, Index key_head, Index first_key, const MatrixView<float>* d_query,
                 const KeyBlockMemory& work) const noexcept;

 private:
  void clear_mask(const MaskBlock& block) const noexcept;
  void score_block(const MaskBlock& block, Index key_head, Index packed,
                   const MatrixView<float>* d_query, bool finite_keys,
                   const KeyBlockMemory& work) const noexcept;
  void multiply(const float* a, Index a_stride, const float* panels, const TileShape& shape,
                float alpha, bool accumulate, float* out, Index out_stride) const noexcept;
  bool pack(const MatrixView<const float>& from, Index first, Index rows,
            float* panels) const noexcept;

  const AttentionBackwardProblem& p_;
  const float* delta_;
  const TileKernels& tiles_ = tile_kernels();
  const AttentionBackwardKernels& kernels_ = attention_backward_kernels();
};

}  // namespace tril::detail
