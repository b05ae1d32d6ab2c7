#include <tril/matmul/dot_tile.h>
#include <tril/matmul/register_tile.h>
#include <tril/matmul/tile_kernels.h>
#include <tril/matmul/transpose_square.h>

#include <array>
#include <utility>

namespace tril::TRIL_ISA {
namespace {

// The register tile: kTileRows rows of A times a panel as wide as kTileVectors registers, the best
// size in the benchmark tile_sweep.
//
//   4 lanes, 16 registers:   2 rows * 4 vectors =  8 sums, + 4 of B + 1 of A = 13. V8 spills from
//                            10 sums on.
//   8 lanes, 16 registers:   6 rows * 2 vectors = 12 sums, + 2 of B + 1 of A = 15
//   16 lanes, 32 registers:  6 rows * 4 vectors = 24 sums, + 4 of B + 1 of A = 29
constexpr int kTileVectors = kLanes == 8 ? 2 : 4;
constexpr int kTileRows = kLanes == 4 ? 2 : 6;
// Measured by tril_bench and `npm run bench`, "strassen" against "tiled": in WebAssembly 9 % faster
// at 1024 and 8 % at 2048; with AVX-512, where sums of quarters cost the same and products a
// quarter, 10 % at 2048.
constexpr Index kStrassenFrom = kLanes == 4 ? 1024 : 2048;

// A tile of dot products: 2 rows * 4 columns = 8 sums, + 4 of B + 1 of A = 13 of 16 registers.
constexpr int kDotRows = 2, kDotCols = 4;
// A feed-forward layer of 512 and 2048 in WebAssembly, GFLOP/s on a quiet machine, read in place:
// 26 at 2 rows, 31 at 8, 30 at 16, 28 at 24; packed anew for every call, two panels at a time:
// 8, 20, 30, 28. Packed before: 36, 39, 39, 34.
constexpr Index kFewRows = kLanes == 4 ? 24 : 0;

// 4 microseconds at two multiplications of registers per cycle and 4 GHz.
constexpr Index kParallelFrom = kLanes * 32768;

constexpr Index kPanelCols = kTileVectors * kLanes;

constexpr Index smaller(Index a, Index b) noexcept { return a < b ? a : b; }

// The columns of `out` from `col` on.
TileOutput from_column(TileOutput out, Index col) noexcept {
  out.data += col;
  if (out.bias) out.bias += col;
  return out;
}

void pack_panel(const float* b, Index stride, Index depth, Index cols, float* panel) noexcept {
  for (Index k = 0; k < depth; ++k) {
    const float* const from = b + k * stride;
    float* const to = panel + k * kPanelCols;
    if (cols == kPanelCols) {
      for (int v = 0; v < kTileVectors; ++v) store(to + v * kLanes, load(from + v * kLanes));
    } else {
      for (Index c = 0; c < kPanelCols; ++c) to[c] = c < cols ? from[c] : 0.0f;
    }
  }
}

void pack(const float* b, Index stride, Index depth, Index cols, float* panels) noexcept {
  for (Index j = 0; j < cols; j += kPanelCols) {
    pack_panel(b + j, stride, depth, smaller(kPanelCols, cols - j), panels + j * depth);
  }
}

using Tile = void (*)(const float* a, Index row, const TileColumn&) noexcept;

template <BFrom From, int Vectors, std::size_t... Row>
constexpr std::array<Tile, kTileRows> tiles(std::index_sequence<Row...>) {
  return {register_tile<static_cast<int>(Row) + 1, Vectors, kPanelCols, From>...};
}

// Tiles of 1 to kTileRows rows, for a panel whose valid columns fill `Vectors` registers.
template <BFrom From, int Vectors>
constexpr std::array<Tile, kTileRows> kTiles =
    tiles<From, Vectors>(std::make_index_sequence<kTileRows>());

template <BFrom From, int Vectors = kTileVectors>
const Tile* tiles_for(Index cols) noexcept {
  if constexpr (Vectors > 1) {
    if (cols <= (Vectors - 1) * kLanes) return tiles_for<From, Vectors - 1>(cols);
  }
  return kTiles<From, Vectors>.data();
}

// The rows of A from `row` to `end`: a tile for each kTileRows of them, and a lower one for the
// rest.
void multiply_column(const Tile* tiles, const float* a, Index row, Index end,
                     const TileColumn& column) noexcept {
  while (row < end) {
    const Index rows = smaller(kTileRows, end - row);
    tiles[rows - 1](a + row * column.a_stride, row, column);
    row += rows;
  }
}

void multiply(const float* a, Index a_stride, const float* panels, const TileShape& shape,
              const TileOutput* outputs, int count) noexcept {
  for (Index j = 0; j < shape.cols; j += kPanelCols) {
    const TileColumn column{.a_stride = a_stride,
                            .panel = panels + j * shape.depth,
                            .depth = shape.depth,
                            .cols = smaller(kPanelCols, shape.cols - j),
                            .outputs = outputs,
                            .output_count = count,
                            .col = j};
    multiply_column(tiles_for<BFrom::panel>(column.cols), a, 0, shape.rows, column);
  }
}

// Packs B [depth, cols] into panels row by row, in runs of whole rows, which the caches prefetch.
// Only the kernels with narrow registers call it.
[[maybe_unused]] void pack_by_rows(const float* b, Index stride, Index depth, Index cols,
                                   float* panels) noexcept {
  const Index whole = cols / kPanelCols * kPanelCols;
  for (Index k = 0; k < depth; ++k) {
    const float* const from = b + k * stride;
    float* to = panels + k * kPanelCols;
    for (Index j = 0; j < whole; j += kPanelCols, to += depth * kPanelCols) {
      for (int v = 0; v < kTileVectors; ++v) store(to + v * kLanes, load(from + j + v * kLanes));
    }
  }
  if (whole < cols) pack_panel(b + whole, stride, depth, cols - whole, panels + whole * depth);
}

// With narrow registers, for each 128 columns, in runs of 512 bytes:  pack by rows; multiply
//
// With wide ones, for each panel
//   whole registers of columns:  the first tile takes B from where it lies, fetching ahead
//   else:                        packs it, padded with zeros, first
//   the tiles below it:          from the panel
void multiply_packing(const float* a, Index a_stride, const float* b, Index b_stride, float* panels,
                      const TileShape& shape, const TileOutput& out) noexcept {
  if constexpr (kLanes == 4) {
    constexpr Index kRun = 128;
    for (Index j = 0; j < shape.cols; j += kRun, panels += kRun * shape.depth) {
      const Index cols = smaller(kRun, shape.cols - j);
      pack_by_rows(b + j, b_stride, shape.depth, cols, panels);
      const TileOutput to = from_column(out, j);
      multiply(a, a_stride, panels, {shape.rows, shape.depth, cols}, &to, 1);
    }
    return;
  }
  for (Index j = 0; j < shape.cols; j += kPanelCols) {
    const TileColumn column{.a_stride = a_stride,
                            .panel = panels + j * shape.depth,
                            .packed = panels + j * shape.depth,
                            .b = b + j,
                            .b_stride = b_stride,
                            .depth = shape.depth,
                            .cols = smaller(kPanelCols, shape.cols - j),
                            .outputs = &out,
                            .output_count = 1,
                            .col = j};
    Index row = 0;
    if (column.cols % kLanes != 0) {
      pack_panel(column.b, b_stride, column.depth, column.cols, column.packed);
    } else if (shape.rows <= kTileRows) {
      multiply_column(tiles_for<BFrom::b>(column.cols), a, 0, shape.rows, column);
      continue;
    } else {
      row = kTileRows;
      multiply_column(tiles_for<BFrom::b_and_packs_it>(column.cols), a, 0, row, column);
    }
    multiply_column(tiles_for<BFrom::panel>(column.cols), a, row, shape.rows, column);
  }
}

// for each square of kLanes * kLanes:  load its rows, transpose in registers, store
// the rest at the right and below, element by element
void transpose(const float* from, Index from_stride, Index rows, Index cols, float* to,
               Index to_stride) noexcept {
  for (Index i = 0; i < rows; i += kLanes) {
    const Index high = smaller(kLanes, rows - i);
    Index j = 0;
    if (high == kLanes) {
      for (; j + kLanes <= cols; j += kLanes) {
        Register square[kLanes];
        for (int r = 0; r < kLanes; ++r) square[r] = load(from + (i + r) * from_stride + j);
        transpose_square(square);
        for (int r = 0; r < kLanes; ++r) store(to + (j + r) * to_stride + i, square[r]);
      }
    }
    for (; j < cols; ++j) {
      for (Index r = 0; r < high; ++r) to[j * to_stride + i + r] = from[(i + r) * from_stride + j];
    }
  }
}

void pack_transposed(const float* b, Index stride, Index depth, Index cols,
                     float* panels) noexcept {
  for (Index j = 0; j < cols; j += kPanelCols, panels += depth * kPanelCols) {
    const Index valid = smaller(kPanelCols, cols - j);
    transpose(b + j * stride, stride, valid, depth, panels, kPanelCols);
    if (valid == kPanelCols) continue;
    for (Index k = 0; k < depth; ++k) {
      for (Index c = valid; c < kPanelCols; ++c) panels[k * kPanelCols + c] = 0.0f;
    }
  }
}

template <int Rows>
void dot_columns(const float* a, Index a_stride, const float* b, Index b_stride, Index depth,
                 TileOutput out, bool all) noexcept {
  if (all) {
    dot_tile<Rows, kDotCols>(a, a_stride, b, b_stride, depth, out);
  } else {
    dot_tile<Rows, 1>(a, a_stride, b, b_stride, depth, out);
  }
}

// for each kDotCols columns, the last ones one by one
//   for each kDotRows rows of A, the last ones one by one:  their dot products
void multiply_transposed(const float* a, Index a_stride, const float* b, Index b_stride,
                         const TileShape& shape, const TileOutput& out) noexcept {
  for (Index j = 0; j < shape.cols;) {
    const bool all = j + kDotCols <= shape.cols;
    TileOutput to = from_column(out, j);
    const float* row = a;
    Index i = 0;
    for (; i + kDotRows <= shape.rows; i += kDotRows) {
      dot_columns<kDotRows>(row, a_stride, b + j * b_stride, b_stride, shape.depth, to, all);
      row += kDotRows * a_stride;
      to.data += kDotRows * out.stride;
    }
    for (; i < shape.rows; ++i, row += a_stride, to.data += out.stride) {
      dot_columns<1>(row, a_stride, b + j * b_stride, b_stride, shape.depth, to, all);
    }
    j += all ? kDotCols : 1;
  }
}

template <int Count>
void add_terms(const ScaledMatrix* terms, Index rows, Index cols, float* to,
               Index to_stride) noexcept {
  // Copies, since for the compiler a store to `to` could change the terms.
  const float* row[Count];
  Index stride[Count];
  float factor[Count];
  for (int t = 0; t < Count; ++t) {
    row[t] = terms[t].data;
    stride[t] = terms[t].stride;
    factor[t] = terms[t].factor;
  }
  for (Index i = 0; i < rows; ++i, to += to_stride) {
    Index j = 0;
    for (; j + kLanes <= cols; j += kLanes) {
      Register sum = broadcast(factor[0]) * load(row[0] + j);
      for (int t = 1; t < Count; ++t) sum = madd(broadcast(factor[t]), load(row[t] + j), sum);
      store(to + j, sum);
    }
    for (; j < cols; ++j) {
      float sum = factor[0] * row[0][j];
      for (int t = 1; t < Count; ++t) sum = madd(factor[t], row[t][j], sum);
      to[j] = sum;
    }
    for (int t = 0; t < Count; ++t) row[t] += stride[t];
  }
}

void add(const ScaledMatrix* terms, int count, Index rows, Index cols, float* to,
         Index to_stride) noexcept {
  constexpr decltype(&add_terms<1>) kByCount[] = {add_terms<1>, add_terms<2>, add_terms<3>,
                                                  add_terms<4>};
  kByCount[count - 1](terms, rows, cols, to, to_stride);
}

// x - x is +0, without any bit set, where x is finite, else NaN.
bool all_finite(const float* x, Index count) noexcept {
  IntRegister found{};
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Register value = load(x + i);
    found |= (IntRegister)(value - value);
  }
  float rest = 0;
  for (; i < count; ++i) rest += x[i] - x[i];
  return !any_lane(found) && rest == 0.0f;
}

}  // namespace

extern const TileKernels kTileKernels;
const TileKernels kTileKernels{.tile_rows = kTileRows,
                               .panel_cols = kPanelCols,
                               .strassen_from = kStrassenFrom,
                               .parallel_from = kParallelFrom,
                               .few_rows = kFewRows,
                               .pack = pack,
                               .pack_transposed = pack_transposed,
                               .multiply = multiply,
                               .multiply_packing = multiply_packing,
                               .multiply_transposed = multiply_transposed,
                               .transpose = transpose,
                               .add = add,
                               .all_finite = all_finite};

}  // namespace tril::TRIL_ISA
