// The register tile: some rows of A times a panel of B, with all sums in registers. The benchmark
// tile_sweep finds the best size for a target. For kernel files, like simd.h.
#pragma once

#include <tril/foundation/simd.h>
#include <tril/matmul/tile_kernels.h>

namespace tril::TRIL_ISA {
namespace detail {

inline void fetch_line(const float* line) noexcept { __builtin_prefetch(line); }

// Stores `cols` columns of sums [rows, stride]; `out` and its bias begin at these columns.
inline void store_part(const float* sums, Index stride, Index rows, Index cols,
                       const TileOutput& out) noexcept {
  for (Index i = 0; i < rows; ++i) {
    float* const to = out.data + i * out.stride;
    const float* const added = out.accumulate ? to : out.bias;
    for (Index j = 0; j < cols; ++j) {
      const float sum = sums[i * stride + j];
      to[j] = added ? madd(out.alpha, sum, added[j]) : out.alpha * sum;
    }
  }
}

}  // namespace detail

// The source of a tile's part of B.
enum class BFrom {
  panel,          // from the packed panel
  b,              // B in place
  b_and_packs_it  // in place, and packs it into the panel for later tiles
};

// The common part of the tiles in a column: the columns of B, and the outputs. All tiles read one
// object; a copy would wait for the stores that have just written it.
struct TileColumn {
  Index a_stride;
  const float* panel;        // [depth, panel columns]; read as BFrom says
  float* packed = nullptr;   // the same panel, for a tile that packs it
  const float* b = nullptr;  // the panel's columns of B in place
  Index b_stride = 0;
  Index depth, cols;
  const TileOutput* outputs;  // one or more
  int output_count;
  Index col;  // the first column in the outputs
};

// Prefetch distance in rows: the hardware does not prefetch the lines of rows that are far apart.
// 16 rows of a tile of 64 columns take 200 cycles, the time of a level-3 access.
inline constexpr Index kFetchAhead = 16;

// A [Rows, depth] * B [depth, cols] into every output from `row` on, where the panel's rows are
// PanelCols apart and cols fit Vectors registers.
//
// sum [Rows, Vectors registers] = 0
// for each k:  b = row k of B
//   for each row r:  sum[r] += a[r, k] * b
// for each output:  out = alpha * sum (+ out, or + bias)
//
// The loop over k must not be unrolled: V8 would keep too many values alive and spill them.
template <int Rows, int Vectors, int PanelCols, BFrom From>
void register_tile(const float* a, Index row, const TileColumn& column) noexcept {
  constexpr bool kInPlace = From != BFrom::panel;
  const Index a_stride = column.a_stride, depth = column.depth;
  const float* const rows = kInPlace ? column.b : column.panel;
  float* const packed = column.packed;  // a local copy, since a store could change `column`
  const Index stride = kInPlace ? column.b_stride : PanelCols;

  Register sum[Rows][Vectors] = {};
#pragma GCC unroll 1
  for (Index k = 0; k < depth; ++k) {
    Register b[Vectors];
    for (int v = 0; v < Vectors; ++v) {
      b[v] = load(rows + k * stride + v * kLanes);
      if constexpr (kInPlace) detail::fetch_line(rows + (k + kFetchAhead) * stride + v * kLanes);
      if constexpr (From == BFrom::b_and_packs_it) {
        store(packed + k * PanelCols + v * kLanes, b[v]);
      }
    }
    for (int r = 0; r < Rows; ++r) {
      const Register x = broadcast(a[r * a_stride + k]);
      for (int v = 0; v < Vectors; ++v) sum[r][v] = madd(x, b[v], sum[r][v]);
    }
  }

  for (int n = 0; n < column.output_count; ++n) {
    TileOutput out = column.outputs[n];
    out.data += row * out.stride + column.col;
    if (out.bias) out.bias += column.col;
    if (column.cols < Vectors * kLanes) {
      float sums[Rows * Vectors * kLanes];
      for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < Vectors; ++v) store(sums + (r * Vectors + v) * kLanes, sum[r][v]);
      }
      detail::store_part(sums, Vectors * kLanes, Rows, column.cols, out);
      continue;
    }
    const Register alpha = broadcast(out.alpha);
    for (int r = 0; r < Rows; ++r) {
      float* const to = out.data + r * out.stride;
      const float* const added = out.accumulate ? to : out.bias;
      for (int v = 0; v < Vectors; ++v) {
        store(to + v * kLanes,
              added ? madd(alpha, sum[r][v], load(added + v * kLanes)) : alpha * sum[r][v]);
      }
    }
  }
}

}  // namespace tril::TRIL_ISA
