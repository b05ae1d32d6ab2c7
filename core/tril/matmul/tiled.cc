#include <tril/matmul/tiled.h>
#include <tril/matmul/vector.h>

#include <algorithm>

namespace tril {

TRIL_DEFINE_DISPATCH(TileKernels, kTileKernels, tile_kernels)

namespace detail {
namespace {

// A block of B is kDepthBlock * kColBlock * 4 B = 512 KiB, a block of A kRowBlock * kDepthBlock * 4
// B = 240 KiB, together within a level-2 cache of 1 MiB. A tile reads one panel again and again: 16
// columns are 32 KiB and stay in the level-1 cache; 64 columns with AVX-512 do not, but come from
// level 2 as fast. A deeper block means fewer passes over out.
//
// A block of a transposed A is transposed again for every block of B; blocks of B that are four
// times as wide make that rare, and their panels come from level 3 only once for each block of A.
constexpr Index kDepthBlock = 512;
constexpr Index kColBlock = 256, kTransposedColBlock = 4 * kColBlock;
constexpr Index kRowBlock = 120;  // a multiple of 2 and of 6 rows, the tiles' heights

// Divides `total` into equal steps of at most `largest`, each a multiple of `unit`.
Index even_step(Index total, Index largest, Index unit) noexcept {
  const Index steps = (total + largest - 1) / largest;
  const Index step = (total + steps - 1) / steps;
  return (step + unit - 1) / unit * unit;
}

// `cuts`, or slightly fewer where these divide `wanted` evenly: 4 rather than 5 of 8, whose fifth
// would keep one of two threads waiting.
Index even_cuts(Index wanted, Index cuts) noexcept {
  for (Index fewer = cuts; 2 * fewer > cuts; --fewer) {
    if (wanted % fewer == 0) return fewer;
  }
  return cuts;
}

// Divides a product into work items. Division by columns comes first, as it packs every part of B
// once, whatever its width. Without enough columns it also divides by rows, and each item packs its
// part. A transposed A is more work than B, so then rows come first.
struct Pieces {
  Index rows, cols;                    // of one work item
  Index row_count = 1, col_count = 1;  // their numbers

  // Divides one product into about `wanted` work items.
  Pieces(const Product& p, const TileKernels& kernels, Index wanted) : rows(p.rows), cols(p.cols) {
    if (p.a.rows_contiguous()) {
      cut_cols(wanted, kernels.panel_cols);
      cut_rows(wanted / col_count, kernels.tile_rows);
    } else {
      cut_rows(wanted, kernels.tile_rows);
      cut_cols(wanted / row_count, kernels.panel_cols);
    }
  }

  Index count() const noexcept { return row_count * col_count; }

 private:
  void cut_cols(Index wanted, Index panel_cols) noexcept {
    if (wanted <= 1) return;
    const Index total = cols;
    cols = even_step(total, std::clamp(total / wanted, panel_cols, kColBlock), panel_cols);
    col_count = (total + cols - 1) / cols;
  }

  void cut_rows(Index wanted, Index tile_rows) noexcept {
    const Index total = rows;
    const Index cuts = even_cuts(wanted, std::min(wanted, (total + kRowBlock - 1) / kRowBlock));
    if (cuts <= 1) return;
    rows = even_step(total, (total + cuts - 1) / cuts, tile_rows);
    row_count = (total + rows - 1) / rows;
  }
};

Index col_block(const Product& p) noexcept {
  return p.a.rows_contiguous() ? kColBlock : kTransposedColBlock;
}

// Four items per thread balance irregular delays; one where the whole batch is little work.
Index pieces_wanted(const Product& p, Index products, int threads,
                    const TileKernels& kernels) noexcept {
  const bool serial = threads == 1 || times(products, p.rows, p.cols, p.depth) <
                                          static_cast<double>(kernels.parallel_from);
  return serial ? 1 : (4 * threads + products - 1) / products;
}

// One work item: rows [row, row_end), columns [col, col_end) of the output.
struct Piece {
  Index row, row_end, col, col_end;

  Piece(const Product& p, const Pieces& pieces, Index number) noexcept
      : row(number / pieces.col_count * pieces.rows),
        row_end(std::min(row + pieces.rows, p.rows)),
        col(number % pieces.col_count * pieces.cols),
        col_end(std::min(col + pieces.cols, p.cols)) {}
};

// Whether A has few rows and B is transposed and unpacked: packing would take longer than it saves.
bool reads_b_in_place(const Product& p, const TileKernels& kernels) noexcept {
  return !p.packed && p.rows <= kernels.few_rows && !p.b.rows_contiguous();
}

// Number of columns of B that are widened at once where it is not of floats and is read in place.
constexpr Index kWidenedCols = 16;

// Converts `rows` rows of a matrix that is not of floats, from `row` and `col` on, to floats [rows,
// depth] with gaps.
Operand widen(const Weight& from, Index row, Index rows, Index col, Index depth,
              float* memory) noexcept {
  const Index stride = transposed_stride(depth);
  for (Index r = 0; r < rows; ++r) from.widen(row + r, col, depth, memory + r * stride);
  return {memory, 1, stride};
}

// Packs the part [depth, cols] of B from (k, j) on into panels; panel by panel where B is not of
// floats.
void pack_transposed(const Product& p, const TileKernels& kernels, Index k, Index j, Index depth,
                     Index cols, float* panels, float* widened) noexcept {
  if (!p.weight) {
    const Operand b = p.b.from(k, j);
    return kernels.pack_transposed(b.data, b.col_stride, depth, cols, panels);
  }
  for (Index col = 0; col < cols; col += kernels.panel_cols) {
    const Index part = std::min(kernels.panel_cols, cols - col);
    const Operand b = widen(p.weight, j + col, part, k, depth, widened);
    kernels.pack_transposed(b.data, b.col_stride, depth, part, panels + col * depth);
  }
}

// A times the part of B from (k, j) on, read in place; some columns at a time where B is not of
// floats.
void multiply_in_place(const Product& p, const TileKernels& kernels, const Operand& a, Index k,
                       Index j, const TileShape& shape, TileOutput out, float* widened) noexcept {
  if (!p.weight) {
    const Operand b = p.b.from(k, j);
    return kernels.multiply_transposed(a.data, a.row_stride, b.data, b.col_stride, shape, out);
  }
  for (Index col = 0; col < shape.cols; col += kWidenedCols) {
    const Index part = std::min(kWidenedCols, shape.cols - col);
    const Operand b = widen(p.weight, j + col, part, k, shape.depth, widened);
    kernels.multiply_transposed(a.data, a.row_stride, b.data, b.col_stride,
                                {shape.rows, shape.depth, part}, out);
    out.data += part;
    if (out.bias) out.bias += part;
  }
}

// The number of floats that either function needs.
Index widened_count(const Product& p, const TileKernels& kernels, Index depth) noexcept {
  return p.weight ? std::max(kernels.panel_cols, kWidenedCols) * transposed_stride(depth) : 0;
}

// for each block of depth
//   for each block of columns:  pack B's part, unless it was packed before, is packed with the
//                               first rows, or is read where it lies
//     for each block of rows (of a transposed A: transpose its part)
//       out's block = alpha * A's * B's (+ bias, or + out from the second block of depth on)
void multiply_piece(const Product& p, const TileKernels& kernels, const Piece& piece, float* panels,
                    float* transposed, float* widened) noexcept {
  const Index step = depth_step(p.depth), width = col_block(p);
  const bool in_place = reads_b_in_place(p, kernels);
  for (Index k = 0; k < p.depth; k += step) {
    const Index depth = std::min(step, p.depth - k);
    const bool adds = p.accumulate || k > 0;
    for (Index j = piece.col; j < piece.col_end; j += width) {
      const Index cols = std::min(width, piece.col_end - j);
      const float* const bias = adds || !p.bias ? nullptr : p.bias + j;
      const bool packs = !p.packed && p.b.rows_contiguous();
      const float* ready = panels;
      if (p.packed) {
        ready = p.packed.matrix->panels(k, depth, p.packed.first + j);
      } else if (!packs && !in_place) {
        pack_transposed(p, kernels, k, j, depth, cols, panels, widened);
      }
      for (Index i = piece.row; i < piece.row_end; i += kRowBlock) {
        const TileShape shape{std::min(kRowBlock, piece.row_end - i), depth, cols};
        const Operand a = by_rows(p.a.from(i, k), shape.rows, depth, kernels, transposed);
        const TileOutput out{p.out + i * p.out_stride + j, p.out_stride, p.alpha, adds, bias};
        if (in_place) {
          multiply_in_place(p, kernels, a, k, j, shape, out, widened);
        } else if (packs && i == piece.row) {
          const Operand b = p.b.from(k, j);
          kernels.multiply_packing(a.data, a.row_stride, b.data, b.row_stride, panels, shape, out);
        } else {
          kernels.multiply(a.data, a.row_stride, ready, shape, &out, 1);
        }
      }
    }
  }
}

}  // namespace

Index depth_step(Index depth) noexcept { return even_step(depth, kDepthBlock, 1); }

void multiply_tiled(const ProductBatch& batch, const Context& context, const TileKernels& kernels) {
  const Product& first = batch.first;
  if (first.rows == 1 || first.cols == 1) return multiply_vector(batch, context);

  const Index products = batch.count();
  const Pieces pieces(first, kernels,
                      pieces_wanted(first, products, context.parallel.threads(), kernels));
  const Index depth = depth_step(first.depth);
  const Index packed = first.packed || reads_b_in_place(first, kernels)
                           ? 0
                           : kernels.packed_count(depth, std::min(col_block(first), pieces.cols));
  const Index transposed =
      first.a.rows_contiguous() ? 0 : transposed_stride(depth) * std::min(kRowBlock, pieces.rows);
  const Index widened = widened_count(first, kernels, depth);
  const Index all = packed + transposed + widened;
  Scratch::Frame frame(context.scratch);
  float* const memory = frame.take<float>(all, context.parallel.threads());

  context.parallel.for_each(products * pieces.count(), [&](Index item, int worker) {
    const Product product = batch[item / pieces.count()];
    float* const panels = memory + all * worker;
    multiply_piece(product, kernels, Piece(product, pieces, item % pieces.count()), panels,
                   panels + packed, panels + packed + transposed);
  });
}

}  // namespace detail
}  // namespace tril
