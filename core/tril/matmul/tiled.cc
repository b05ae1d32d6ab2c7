#include <tril/matmul/tiled.h>
#include <tril/matmul/vector.h>

#include <algorithm>

namespace tril {

TRIL_DEFINE_DISPATCH(TileKernels, kTileKernels, tile_kernels)

namespace detail {
namespace {

// A block of B is kDepthBlock * kColBlock * 4 B = 128 KiB, a block of A the same: together a
// quarter of a level-2 cache of 1 MiB. One panel of the block of B, at most 32 columns, is 32 KiB
// and stays in the level-1 cache while the rows of A go by.
constexpr Index kDepthBlock = 256;
constexpr Index kColBlock = 128;
constexpr Index kRowBlock = 120;  // a multiple of 2 and of 6 rows, the tiles' heights

// Below about this many multiplications a second thread costs more than it saves.
constexpr Index kSerial = 64 * 64 * 64;

// `total` in equal steps of at most `largest`, each a multiple of `unit`.
Index even_step(Index total, Index largest, Index unit) {
  const Index steps = (total + largest - 1) / largest;
  const Index step = (total + steps - 1) / steps;
  return (step + unit - 1) / unit * unit;
}

// How the output is cut into pieces of work: whole column blocks while there are enough of them,
// since each packs its part of B once; only then rows as well, each piece packing for itself.
struct Pieces {
  Index rows, cols;            // of one piece
  Index row_count, col_count;  // how many

  Pieces(const Product& p, const TileKernels& kernels, int threads) {
    const Index block = std::max(kernels.panel_cols, kColBlock);
    const bool serial = threads == 1 || p.rows * p.cols * p.depth <= kSerial;
    const Index wanted = serial ? 1 : 4 * threads;  // four a thread even out its hiccups
    cols = serial ? p.cols : even_step(p.cols, block, kernels.panel_cols);
    col_count = (p.cols + cols - 1) / cols;
    const Index cuts =
        std::clamp<Index>(wanted / col_count, 1, (p.rows + kRowBlock - 1) / kRowBlock);
    rows = even_step(p.rows, (p.rows + cuts - 1) / cuts, kernels.tile_rows);
    row_count = (p.rows + rows - 1) / rows;
  }
};

// One piece of the output: rows [row, row_end), columns [col, col_end).
struct Piece {
  Index row, row_end, col, col_end;
};

// for each block of depth
//   for each block of columns:  pack B's part
//     for each block of rows (transposed A: turn its part round)
//       out's block = alpha * A's * B's (+ out from the second block of depth on)
void multiply_piece(const Product& p, const TileKernels& kernels, const Piece& piece, float* panels,
                    float* turned) noexcept {
  const Index depth_step = even_step(p.depth, kDepthBlock, 1);
  for (Index k = 0; k < p.depth; k += depth_step) {
    const Index depth = std::min(depth_step, p.depth - k);
    const TileFinish finish{p.alpha, p.accumulate || k > 0};
    for (Index j = piece.col; j < piece.col_end; j += kColBlock) {
      const Index cols = std::min(kColBlock, piece.col_end - j);
      pack_operand(p.b.from(k, j), depth, cols, kernels, panels);
      for (Index i = piece.row; i < piece.row_end; i += kRowBlock) {
        const Index rows = std::min(kRowBlock, piece.row_end - i);
        const Operand a = by_rows(p.a.from(i, k), rows, depth, kernels, turned);
        kernels.multiply(a.data, a.row_stride, panels, {rows, depth, cols}, finish,
                         p.out + i * p.out_stride + j, p.out_stride);
      }
    }
  }
}

}  // namespace

void multiply_tiled(const Product& p, Scratch& scratch, Parallel& parallel,
                    const TileKernels& kernels) {
  if (p.rows == 1 || p.cols == 1) return multiply_vector(p, scratch, parallel);

  const Pieces pieces(p, kernels, parallel.threads());
  const Index depth = even_step(p.depth, kDepthBlock, 1);
  const Index packed = kernels.packed_count(depth, std::min(kColBlock, pieces.cols));
  const Index turned = p.a.rows_contiguous() ? 0 : depth * std::min(kRowBlock, pieces.rows);
  Scratch::Frame frame(scratch);
  float* const memory = frame.take<float>((packed + turned) * parallel.threads());

  parallel.for_each(pieces.row_count * pieces.col_count, [&](Index item, int worker) {
    const Index row = item / pieces.col_count * pieces.rows;
    const Index col = item % pieces.col_count * pieces.cols;
    float* const panels = memory + (packed + turned) * worker;
    multiply_piece(
        p, kernels,
        {row, std::min(row + pieces.rows, p.rows), col, std::min(col + pieces.cols, p.cols)},
        panels, panels + packed);
  });
}

}  // namespace detail
}  // namespace tril
