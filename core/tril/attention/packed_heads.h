// The keys and values of all heads, packed once into the panels of matmul/tile_kernels.h, so that
// every block of queries finds them ready. Any range of keys can be multiplied with.
#pragma once

#include <tril/attention/problem.h>
#include <tril/matmul/tile_kernels.h>

namespace tril::detail {

class PackedHeads {
 public:
  // Takes its memory, B * Hk * S * (D + Dv) floats and change, from `frame`.
  PackedHeads(const AttentionProblem& problem, Scratch::Frame& frame);

  // Packs all. What is taken from a Scratch must be taken before.
  void pack(const AttentionProblem& problem, Parallel& parallel) noexcept;

  // The keys that are multiplied with where `keys` are asked for: whole panels at the front.
  KeyRange widened(KeyRange keys) const noexcept {
    return {keys.first / kernels_.panel_cols * kernels_.panel_cols, keys.last};
  }

  // The most keys that `count` of them can be widened to.
  Index most_widened(Index count) const noexcept { return count + kernels_.panel_cols - 1; }

  // scores [rows, keys] = scale * q K^T; q [rows, D], column 0 is key keys.first. keys is widened.
  void score(Index batch, Index key_head, const float* q, Index q_stride, Index rows, KeyRange keys,
             float scale, float* scores, Index scores_stride) const noexcept;

  // out [rows, Dv] = weights V (+ out); weights [rows, keys], column 0 is key keys.first.
  void combine(Index batch, Index key_head, const float* weights, Index weights_stride, Index rows,
               KeyRange keys, bool accumulate, float* out, Index out_stride) const noexcept;

 private:
  const TileKernels& kernels_ = tile_kernels();
  Index heads_, keys_, depth_, width_;
  Index key_count_, value_count_;  // floats that one head takes
  float* key_panels_;
  float* value_panels_;
};

}  // namespace tril::detail
