// A tile of dot products of some rows of A with some rows of B^T. Both are read in place along
// their rows, so nothing is packed. For kernel files, like simd.h.
#pragma once

#include <tril/foundation/simd.h>
#include <tril/matmul/register_tile.h>

namespace tril::TRIL_ISA {

// out [Rows, Cols] = A [Rows, depth] * B, B given as [Cols, depth].
//
// sum [Rows, Cols] registers = 0
// for each register of k:  y = B's rows there;  for each row x of A:  sum += x * y
// out = alpha * (each sum, across its lanes) (+ out, or + bias)
//
// An element has the same order of addition in every tile.
template <int Rows, int Cols>
void dot_tile(const float* a, Index a_stride, const float* b, Index b_stride, Index depth,
              const TileOutput& out) noexcept {
  Register sum[Rows][Cols] = {};
  Index k = 0;
#pragma GCC unroll 1
  for (; k + kLanes <= depth; k += kLanes) {
    Register y[Cols];
    for (int c = 0; c < Cols; ++c) y[c] = load(b + c * b_stride + k);
    for (int r = 0; r < Rows; ++r) {
      const Register x = load(a + r * a_stride + k);
      for (int c = 0; c < Cols; ++c) sum[r][c] = madd(x, y[c], sum[r][c]);
    }
  }
  if (k < depth) {
    for (int r = 0; r < Rows; ++r) {
      const Register x = load_part(a + r * a_stride + k, depth - k, 0.0f);
      for (int c = 0; c < Cols; ++c) {
        sum[r][c] = madd(x, load_part(b + c * b_stride + k, depth - k, 0.0f), sum[r][c]);
      }
    }
  }
  float sums[Rows * Cols];
  for (int r = 0; r < Rows; ++r) {
    for (int c = 0; c < Cols; ++c) sums[r * Cols + c] = reduce_add(sum[r][c]);
  }
  detail::store_part(sums, Cols, Rows, Cols, out);
}

}  // namespace tril::TRIL_ISA
