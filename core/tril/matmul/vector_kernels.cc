#include <tril/foundation/simd.h>
#include <tril/matmul/transpose_square.h>
#include <tril/matmul/vector_kernels.h>

namespace tril::TRIL_ISA {
namespace {

constexpr Index smaller(Index a, Index b) noexcept { return a < b ? a : b; }

void store_one(float sum, const TileOutput& out, Index j) noexcept {
  float& to = out.data[j * out.stride];
  to = out.accumulate ? to + out.alpha * sum : out.alpha * sum;
}

// 4096 sums = 16 KB stay in the level-1 cache while b streams by: the longer the runs of its rows,
// the better they are read ahead. In turns with 1024: 1.08 times as fast on AVX-512, 1.12 to 1.2 in
// WebAssembly.
constexpr Index kSums = 4096;
// Rows of b that are added in one pass over the sums, and registers of each in a step. Wide
// registers wait for memory alone: 1 load and store of a sum for 8 of b. In WebAssembly every load
// of another row has its address computed, and every second one of the same row has not.
constexpr int kAddedRows = kLanes == 4 ? 4 : 8;
constexpr int kAtOnce = kLanes == 4 ? 2 : 1;
// Narrow registers: rows whose dot products are formed together, 4 * 2 sums, + 2 of x = 10
// registers. Wide ones: rows one after the other, so that the matrix is read as one stream, and
// their sums across lanes together. Four rows at once are four streams, which processors read ahead
// less well: in turns on AVX-512, 37 GB/s beside 19 where the matrix is in the level-3 cache, as
// fast as reading alone; 1.15 times as fast from the level-2 cache.
constexpr int kDottedRows = kLanes == 4 ? 4 : kLanes;

// sums[j] += x[0] * b[0, j] + ... + x[Rows - 1] * b[Rows - 1, j]
template <int Rows>
void add_rows(const float* x, const float* b, Index stride, Index cols, float* sums) noexcept {
  Index j = 0;
  for (; j + kAtOnce * kLanes <= cols; j += kAtOnce * kLanes) {
    Register sum[kAtOnce];
    for (int n = 0; n < kAtOnce; ++n) sum[n] = load(sums + j + n * kLanes);
    for (int r = 0; r < Rows; ++r) {
      const Register factor = broadcast(x[r]);
      const float* const row = b + r * stride + j;
      for (int n = 0; n < kAtOnce; ++n) sum[n] = madd(factor, load(row + n * kLanes), sum[n]);
    }
    for (int n = 0; n < kAtOnce; ++n) store(sums + j + n * kLanes, sum[n]);
  }
  for (; j < cols; ++j) {
    for (int r = 0; r < Rows; ++r) sums[j] += x[r] * b[r * stride + j];
  }
}

// for each run of kSums columns
//   sums = 0
//   for each kAddedRows rows of b:  sums += x * those rows
//   out = alpha * sums (+ out)
void combine_rows(const float* x, const float* b, Index stride, Index depth, Index cols,
                  const TileOutput& out) noexcept {
  for (Index start = 0; start < cols; start += kSums) {
    const Index run = smaller(kSums, cols - start);
    float sums[kSums];
    for (Index j = 0; j < run; ++j) sums[j] = 0;
    Index k = 0;
    for (; k + kAddedRows <= depth; k += kAddedRows) {
      add_rows<kAddedRows>(x + k, b + k * stride + start, stride, run, sums);
    }
    for (; k < depth; ++k) add_rows<1>(x + k, b + k * stride + start, stride, run, sums);
    for (Index j = 0; j < run; ++j) store_one(sums[j], out, start + j);
  }
}

// Of each register its sum across the lanes, in the order of reduce_add.
template <int Half = kLanes / 2>
Register sums_across(Register (&rows)[kLanes]) noexcept {
  for (int i = 0; i < Half; ++i) {
    detail::swap_blocks<Half>(rows[i], rows[i + Half], std::make_index_sequence<kLanes>());
    rows[i] += rows[i + Half];
  }
  if constexpr (Half > 1) return sums_across<Half / 2>(rows);
  return rows[0];
}

// sum[r] = x . b[r], lane by lane, for Rows rows at once, so that x is loaded once for all of them,
// in two partial sums each, so that one addition need not wait for the last. Returns how far it
// came.
template <int Rows>
Index dot(const float* x, const float* b, Index stride, Index depth, Register* sum) noexcept {
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
void dot_together(const float* x, const float* b, Index stride, Index depth,
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
    for (int r = 0; r < kDottedRows; ++r) sums[r] += x[k] * b[r * stride + k];
  }
}

// for each kDottedRows rows of b:  their dot products with x
void dot_rows(const float* x, const float* b, Index stride, Index depth, Index cols,
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
    for (; k < depth; ++k) sum += x[k] * b[j * stride + k];
    store_one(sum, out, j);
  }
}

}  // namespace

extern const VectorKernels kVectorKernels;
const VectorKernels kVectorKernels{combine_rows, dot_rows};

}  // namespace tril::TRIL_ISA
