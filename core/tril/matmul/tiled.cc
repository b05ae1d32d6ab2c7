#include <tril/matmul/tiled.h>
#include <tril/matmul/vector.h>

#include <algorithm>

namespace tril {

TRIL_DEFINE_DISPATCH(TileKernels, kTileKernels, tile_kernels)

namespace detail {
namespace {

// A block of B is kDepthBlock * kColBlock * 4 B = 512 KiB, a block of A kRowBlock * kDepthBlock * 4
// B = 240 KiB, together within a level-2 cache of 1 MiB. Of what a tile reads again and again, one
// panel, 16 columns are 32 KiB and stay in the level-1 cache; 64 columns with AVX-512 do not, but
// the tile takes them from level 2 as fast. A deeper block means fewer passes over out.
constexpr Index kDepthBlock = 512;
constexpr Index kColBlock = 256;
constexpr Index kRowBlock = 120;  // a multiple of 2 and of 6 rows, the tiles' heights

// Below about this many multiplications a second thread costs more than it saves.
constexpr double kSerial = 64 * 64 * 64;

// `total` in equal steps of at most `largest`, each a multiple of `unit`.
Index even_step(Index total, Index largest, Index unit) noexcept {
  const Index steps = (total + largest - 1) / largest;
  const Index step = (total + steps - 1) / steps;
  return (step + unit - 1) / unit * unit;
}

// How a product is cut into pieces of work: by columns first, since every part of B is packed once
// then, whatever its width; only where columns do not suffice by rows as well, each piece packing
// for itself.
struct Pieces {
  Index rows, cols;                    // of one piece
  Index row_count = 1, col_count = 1;  // how many

  // `wanted` pieces of one product, more or fewer.
  Pieces(const Product& p, const TileKernels& kernels, Index wanted) : rows(p.rows), cols(p.cols) {
    if (wanted == 1) return;
    cols = even_step(p.cols, std::clamp(p.cols / wanted, kernels.panel_cols, kColBlock),
                     kernels.panel_cols);
    col_count = (p.cols + cols - 1) / cols;
    const Index blocks = (p.rows + kRowBlock - 1) / kRowBlock;
    const Index cuts = std::clamp<Index>(wanted / col_count, 1, blocks);
    rows = even_step(p.rows, (p.rows + cuts - 1) / cuts, kernels.tile_rows);
    row_count = (p.rows + rows - 1) / rows;
  }

  Index count() const noexcept { return row_count * col_count; }
};

// Four pieces a thread even out its hiccups; one where the whole batch is little work.
Index pieces_wanted(const Product& p, Index products, int threads) noexcept {
  const bool serial = threads == 1 || times(products, p.rows, p.cols, p.depth) <= kSerial;
  return serial ? 1 : (4 * threads + products - 1) / products;
}

// One piece of the output: rows [row, row_end), columns [col, col_end).
struct Piece {
  Index row, row_end, col, col_end;

  Piece(const Product& p, const Pieces& pieces, Index number) noexcept
      : row(number / pieces.col_count * pieces.rows),
        row_end(std::min(row + pieces.rows, p.rows)),
        col(number % pieces.col_count * pieces.cols),
        col_end(std::min(col + pieces.cols, p.cols)) {}
};

// for each block of depth
//   for each block of columns:  pack B's part, unless it was packed before, or is packed while the
//                               first rows are done
//     for each block of rows (transposed A: turn its part round)
//       out's block = alpha * A's * B's (+ bias, or + out from the second block of depth on)
void multiply_piece(const Product& p, const TileKernels& kernels, const Piece& piece, float* panels,
                    float* turned) noexcept {
  const Index step = depth_step(p.depth);
  for (Index k = 0; k < p.depth; k += step) {
    const Index depth = std::min(step, p.depth - k);
    const bool adds = p.accumulate || k > 0;
    for (Index j = piece.col; j < piece.col_end; j += kColBlock) {
      const Index cols = std::min(kColBlock, piece.col_end - j);
      const float* const bias = adds || !p.bias ? nullptr : p.bias + j;
      const Operand b = p.b.from(k, j);
      const bool packs = !p.packed && b.rows_contiguous();
      const float* ready = panels;
      if (p.packed) {
        ready = p.packed.matrix->panels(k, depth, p.packed.first + j);
      } else if (!packs) {
        kernels.pack_transposed(b.data, b.col_stride, depth, cols, panels);
      }
      for (Index i = piece.row; i < piece.row_end; i += kRowBlock) {
        const TileShape shape{std::min(kRowBlock, piece.row_end - i), depth, cols};
        const Operand a = by_rows(p.a.from(i, k), shape.rows, depth, kernels, turned);
        const TileOutput out{p.out + i * p.out_stride + j, p.out_stride, p.alpha, adds, bias};
        if (packs && i == piece.row) {
          kernels.multiply_packing(a.data, a.row_stride, b.data, b.row_stride, panels, shape, out);
        } else {
          kernels.multiply(a.data, a.row_stride, ready, shape, out);
        }
      }
    }
  }
}

}  // namespace

Index depth_step(Index depth) noexcept { return even_step(depth, kDepthBlock, 1); }

void multiply_tiled(const ProductBatch& batch, Scratch& scratch, Parallel& parallel,
                    const TileKernels& kernels) {
  const Product& first = batch.first;
  if (first.rows == 1 || first.cols == 1) return multiply_vector(batch, scratch, parallel);

  const Index products = batch.count();
  const Pieces pieces(first, kernels, pieces_wanted(first, products, parallel.threads()));
  const Index depth = depth_step(first.depth);
  const Index packed =
      first.packed ? 0 : kernels.packed_count(depth, std::min(kColBlock, pieces.cols));
  const Index turned = first.a.rows_contiguous() ? 0 : depth * std::min(kRowBlock, pieces.rows);
  Scratch::Frame frame(scratch);
  float* const memory = frame.take<float>(packed + turned, parallel.threads());

  parallel.for_each(products * pieces.count(), [&](Index item, int worker) {
    const Product product = batch[item / pieces.count()];
    float* const panels = memory + (packed + turned) * worker;
    multiply_piece(product, kernels, Piece(product, pieces, item % pieces.count()), panels,
                   panels + packed);
  });
}

}  // namespace detail
}  // namespace tril
