// Dot products of a vector with the rows of a matrix, which is read once and in place: floats, or
// numbers of 16 bits, which are widened in registers. The order of addition is that of widening
// first, so the result is equal bit for bit. For kernel files, like simd.h.
#pragma once

#include <tril/foundation/narrow.h>
#include <tril/matmul/tile_kernels.h>
#include <tril/matmul/transpose_square.h>

namespace tril::TRIL_ISA {

// Rows of a group. With narrow registers the dot products of a group are computed together: 4 * 2
// sums and 2 registers of x. With wide ones rows are read one after another, as one stream, and
// only their sums across lanes are computed together. Four rows at once would be four streams,
// which processors prefetch less well: measured in turns with AVX-512, one stream reaches 37 GB/s
// and four 19 where the matrix is in the level-3 cache, and one is 1.15 times as fast from the
// level-2 cache.
inline constexpr int kDottedRows = kLanes == 4 ? 4 : kLanes;

inline void store_one(float sum, const TileOutput& out, Index j) noexcept {
  float& to = out.data[j * out.stride];
  to = out.accumulate ? madd(out.alpha, sum, to) : out.alpha * sum;
}

// The sum across the lanes of each register, in the order of reduce_add.
template <int Half = kLanes / 2>
inline Register sums_across(Register (&rows)[kLanes]) noexcept {
  for (int i = 0; i < Half; ++i) {
    detail::swap_blocks<Half>(rows[i], rows[i + Half], std::make_index_sequence<kLanes>());
    rows[i] += rows[i + Half];
  }
  if constexpr (Half > 1) return sums_across<Half / 2>(rows);
  return rows[0];
}

// sum[r] = x . b[r], lane by lane, for Rows rows at once, so that x is loaded once for all of them.
// Each row has two partial sums, so that no addition waits for the last one. Returns the number of
// elements done.
template <int Rows, typename Number>
Index dot(const float* x, const Number* b, Index stride, Index depth, Register* sum) noexcept {
  Register even[Rows] = {}, odd[Rows] = {};
  Index k = 0;
  for (; k + 2 * kLanes <= depth; k += 2 * kLanes) {
    const Register x0 = load(x + k), x1 = load(x + k + kLanes);
    for (int r = 0; r < Rows; ++r) {
      even[r] = madd(x0, load(b + r * stride + k), even[r]);
      odd[r] = madd(x1, load(b + r * stride + k + kLanes), odd[r]);
    }
  }
  for (int r = 0; r < Rows; ++r) sum[r] = even[r] + odd[r];
  return k;
}

// The dot products of kDottedRows rows with x.
template <typename Number>
void dot_together(const float* x, const Number* b, Index stride, Index depth,
                  float (&sums)[kDottedRows]) noexcept {
  Register sum[kDottedRows];
  Index k = 0;
  if constexpr (kLanes == 4) {
    k = dot<kDottedRows>(x, b, stride, depth, sum);
    for (int r = 0; r < kDottedRows; ++r) sums[r] = reduce_add(sum[r]);
  } else {
    for (int r = 0; r < kDottedRows; ++r) k = dot<1>(x, b + r * stride, stride, depth, sum + r);
    store(sums, sums_across(sum));
  }
  for (; k < depth; ++k) {
    for (int r = 0; r < kDottedRows; ++r) sums[r] = madd(x[k], widen(b[r * stride + k]), sums[r]);
  }
}

// for each kDottedRows rows of b:  their dot products with x
template <typename Number>
void dot_rows(const float* x, const Number* b, Index stride, Index depth, Index cols,
              const TileOutput& out) noexcept {
  Index j = 0;
  for (; j + kDottedRows <= cols; j += kDottedRows) {
    float sums[kDottedRows];
    dot_together(x, b + j * stride, stride, depth, sums);
    for (int r = 0; r < kDottedRows; ++r) store_one(sums[r], out, j + r);
  }
  for (; j < cols; ++j) {
    Register last;
    Index k = dot<1>(x, b + j * stride, stride, depth, &last);
    float sum = reduce_add(last);
    for (; k < depth; ++k) sum = madd(x[k], widen(b[j * stride + k]), sum);
    store_one(sum, out, j);
  }
}

}  // namespace tril::TRIL_ISA
