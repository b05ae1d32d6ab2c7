// The register tile: some rows of A times a panel of B, all sums in registers. For kernel files,
// like simd.h; which size is best for a target, the benchmark tile_sweep says.
#pragma once

#include <tril/foundation/simd.h>
#include <tril/matmul/tile_kernels.h>

namespace tril::TRIL_ISA {
namespace detail {

inline void fetch_line(const float* line) noexcept { __builtin_prefetch(line); }

// A tile [rows, stride] of which only `cols` columns are wanted. `bias`: that of the first of them.
inline void finish_part(const float* tile, Index tile_stride, Index rows, Index cols,
                        const TileTarget& target, const float* bias, float* out) noexcept {
  for (Index i = 0; i < rows; ++i) {
    float* const to = out + i * target.stride;
    const float* const added = target.accumulate ? to : bias;
    for (Index j = 0; j < cols; ++j) {
      const float sum = target.factor * tile[i * tile_stride + j];
      to[j] = added ? added[j] + sum : sum;
    }
  }
}

}  // namespace detail

// The targets of a tile, and where in them it belongs.
struct TilePlace {
  const TileTarget* targets;
  int count;
  Index row, col;
};

// Where a tile finds its part of B.
enum class Panel {
  packed,   // in the panel
  taken,    // where B lies, and leaves it in the panel for the tiles after it
  unpacked  // where B lies
};

// B's columns of one panel: `from` where B lies, `panel` where it is packed.
struct PanelView {
  const float* from;
  Index stride;
  float* panel;
};

// The lines of rows that lie far apart are not fetched ahead by the hardware: ask for each this
// many rows before it is due. 16 rows of a tile of 64 columns take 200 cycles, a level-3 access.
inline constexpr Index kFetchAhead = 16;

// a [Rows, depth] * b [depth, cols] into every target, where the panel's rows are PanelCols apart
// and cols fit Vectors registers.
//
// sum [Rows, Vectors registers] = 0
// for each k:  b = row k of B
//   for each row r:  sum[r] += a[r, k] * b
// for each target:  out = factor * sum (+ out, or + bias)
//
// The loop over k must not be unrolled: V8 then keeps too much alive, and spills.
template <int Rows, int Vectors, int PanelCols, Panel Source>
void register_tile(const float* a, Index a_stride, const PanelView& b, Index depth, Index cols,
                   const TilePlace& place) noexcept {
  constexpr bool kInPlace = Source != Panel::packed;
  const float* const rows = kInPlace ? b.from : b.panel;
  const Index stride = kInPlace ? b.stride : PanelCols;
  float* const panel = b.panel;

  Register sum[Rows][Vectors] = {};
#pragma GCC unroll 1
  for (Index k = 0; k < depth; ++k) {
    Register row[Vectors];
    for (int v = 0; v < Vectors; ++v) {
      row[v] = load(rows + k * stride + v * kLanes);
      if constexpr (kInPlace) detail::fetch_line(rows + (k + kFetchAhead) * stride + v * kLanes);
      if constexpr (Source == Panel::taken) store(panel + k * PanelCols + v * kLanes, row[v]);
    }
    for (int r = 0; r < Rows; ++r) {
      const Register x = broadcast(a[r * a_stride + k]);
      for (int v = 0; v < Vectors; ++v) sum[r][v] = madd(x, row[v], sum[r][v]);
    }
  }

  for (int t = 0; t < place.count; ++t) {
    const TileTarget target = place.targets[t];
    float* const out = target.out + place.row * target.stride + place.col;
    const float* const bias = target.bias ? target.bias + place.col : nullptr;
    if (cols < Vectors * kLanes) {
      float tile[Rows * Vectors * kLanes];
      for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < Vectors; ++v) store(tile + (r * Vectors + v) * kLanes, sum[r][v]);
      }
      detail::finish_part(tile, Vectors * kLanes, Rows, cols, target, bias, out);
      continue;
    }
    const Register factor = broadcast(target.factor);
    for (int r = 0; r < Rows; ++r) {
      float* const to = out + r * target.stride;
      const float* const added = target.accumulate ? to : bias;
      for (int v = 0; v < Vectors; ++v) {
        const Register scaled = factor * sum[r][v];
        store(to + v * kLanes, added ? load(added + v * kLanes) + scaled : scaled);
      }
    }
  }
}

}  // namespace tril::TRIL_ISA
