#include <tril/matmul/tile_kernels.h>
#include <tril/matmul/transpose_square.h>

#include <array>
#include <utility>

namespace tril::TRIL_ISA {
namespace {

// The register tile: kTileRows rows of A times a panel of kTileVectors registers' width.
//
//   4 lanes, 16 registers:   2 rows * 4 vectors =  8 sums, + 4 of B + 1 of A = 13. V8 spills from
//                            10 sums on, and no larger tile is faster elsewhere.
//   8 lanes, 16 registers:   6 rows * 2 vectors = 12 sums, + 2 of B + 1 of A = 15
//   16 lanes, 32 registers:  6 rows * 2 vectors = 12 sums, + 2 of B + 1 of A = 15
constexpr int kTileVectors = kLanes == 4 ? 4 : 2;
constexpr int kTileRows = kLanes == 4 ? 2 : 6;
constexpr Index kPanelCols = kTileVectors * kLanes;

constexpr Index smaller(Index a, Index b) noexcept { return a < b ? a : b; }

// The last panel's `cols` < kPanelCols columns are finished one by one, from a copy of the tile.
void finish_part(const float* tile, Index rows, Index cols, const TileFinish& finish, float* out,
                 Index out_stride) noexcept {
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const float sum = finish.alpha * tile[i * kPanelCols + j];
      float& element = out[i * out_stride + j];
      element = finish.accumulate ? element + sum : sum;
    }
  }
}

// sum [Rows, Vectors registers] = 0
// for each k:  b = row k of the panel
//   for each row r:  sum[r] += a[r, k] * b
// out = alpha * sum (+ out)
//
// The loop over k must not be unrolled: V8 then keeps too much alive, and spills.
template <int Rows, int Vectors>
void multiply_tile(const float* a, Index a_stride, const float* panel, Index depth, Index cols,
                   const TileFinish& finish, float* out, Index out_stride) noexcept {
  Register sum[Rows][Vectors] = {};
#pragma GCC unroll 1
  for (Index k = 0; k < depth; ++k) {
    Register b[Vectors];
    for (int v = 0; v < Vectors; ++v) b[v] = load(panel + k * kPanelCols + v * kLanes);
    for (int r = 0; r < Rows; ++r) {
      const Register x = broadcast(a[r * a_stride + k]);
      for (int v = 0; v < Vectors; ++v) sum[r][v] = madd(x, b[v], sum[r][v]);
    }
  }

  if (cols < Vectors * kLanes) {
    float tile[Rows * kPanelCols];
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < Vectors; ++v) store(tile + r * kPanelCols + v * kLanes, sum[r][v]);
    }
    return finish_part(tile, Rows, cols, finish, out, out_stride);
  }
  const Register alpha = broadcast(finish.alpha);
  for (int r = 0; r < Rows; ++r) {
    float* const to = out + r * out_stride;
    for (int v = 0; v < Vectors; ++v) {
      const Register scaled = alpha * sum[r][v];
      store(to + v * kLanes, finish.accumulate ? load(to + v * kLanes) + scaled : scaled);
    }
  }
}

using Tile = void (*)(const float*, Index, const float*, Index, Index, const TileFinish&, float*,
                      Index) noexcept;

template <int Vectors, std::size_t... Row>
constexpr std::array<Tile, kTileRows> tiles(std::index_sequence<Row...>) {
  return {multiply_tile<static_cast<int>(Row) + 1, Vectors>...};
}

// Tiles of 1 to kTileRows rows, for a panel whose valid columns fill `Vectors` registers.
template <int Vectors>
constexpr std::array<Tile, kTileRows> kTiles =
    tiles<Vectors>(std::make_index_sequence<kTileRows>());

template <int Vectors = kTileVectors>
const Tile* tiles_for(Index cols) noexcept {
  if constexpr (Vectors > 1) {
    if (cols <= (Vectors - 1) * kLanes) return tiles_for<Vectors - 1>(cols);
  }
  return kTiles<Vectors>.data();
}

// for each panel
//   for each kTileRows rows of A:  one tile; what is left over by a lower one
void multiply(const float* a, Index a_stride, const float* panels, const TileShape& shape,
              const TileFinish& finish, float* out, Index out_stride) noexcept {
  for (Index j = 0; j < shape.cols; j += kPanelCols) {
    const Index cols = smaller(kPanelCols, shape.cols - j);
    const float* const panel = panels + j * shape.depth;
    const Tile* const tile = tiles_for(cols);
    for (Index i = 0; i < shape.rows; i += kTileRows) {
      const Index rows = smaller(kTileRows, shape.rows - i);
      tile[rows - 1](a + i * a_stride, a_stride, panel, shape.depth, cols, finish,
                     out + i * out_stride + j, out_stride);
    }
  }
}

void pack(const float* b, Index stride, Index depth, Index cols, float* panels) noexcept {
  for (Index j = 0; j < cols; j += kPanelCols, panels += depth * kPanelCols) {
    const Index valid = smaller(kPanelCols, cols - j);
    for (Index k = 0; k < depth; ++k) {
      const float* const from = b + k * stride + j;
      float* const to = panels + k * kPanelCols;
      if (valid == kPanelCols) {
        for (int v = 0; v < kTileVectors; ++v) store(to + v * kLanes, load(from + v * kLanes));
      } else {
        for (Index c = 0; c < kPanelCols; ++c) to[c] = c < valid ? from[c] : 0.0f;
      }
    }
  }
}

// for each square of kLanes * kLanes:  load its rows, transpose in registers, store
// what is left over at the right and below, element by element
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

template <int Count>
void add_terms(const ScaledMatrix* terms, Index rows, Index cols, float* to,
               Index to_stride) noexcept {
  for (Index i = 0; i < rows; ++i, to += to_stride) {
    Index j = 0;
    for (; j + kLanes <= cols; j += kLanes) {
      Register sum = broadcast(terms[0].factor) * load(terms[0].data + i * terms[0].stride + j);
      for (int t = 1; t < Count; ++t) {
        sum = madd(broadcast(terms[t].factor), load(terms[t].data + i * terms[t].stride + j), sum);
      }
      store(to + j, sum);
    }
    for (; j < cols; ++j) {
      float sum = terms[0].factor * terms[0].data[i * terms[0].stride + j];
      for (int t = 1; t < Count; ++t) {
        sum += terms[t].factor * terms[t].data[i * terms[t].stride + j];
      }
      to[j] = sum;
    }
  }
}

void add(const ScaledMatrix* terms, int count, Index rows, Index cols, float* to,
         Index to_stride) noexcept {
  constexpr decltype(&add_terms<1>) kByCount[] = {add_terms<1>, add_terms<2>, add_terms<3>,
                                                  add_terms<4>};
  kByCount[count - 1](terms, rows, cols, to, to_stride);
}

}  // namespace

extern const TileKernels kTileKernels;
const TileKernels kTileKernels{kTileRows, kPanelCols, pack, pack_transposed,
                               multiply,  transpose,  add};

}  // namespace tril::TRIL_ISA
