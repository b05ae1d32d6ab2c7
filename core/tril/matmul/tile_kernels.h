// The register tile and its packing: the inner part of the tiled product. Attention uses it, too:
// it multiplies one block at a time and keeps its packed panels.
//
//     const TileKernels& kernels = tile_kernels();
//     float* panels = frame.take<float>(kernels.packed_count(depth, cols));
//     kernels.pack(b, b_stride, depth, cols, panels);             // b [depth, cols]
//     const TileOutput to = {out, out_stride};
//     kernels.multiply(a, a_stride, panels, {rows, depth, cols}, &to, 1);
//
// A panel is `panel_cols` columns of B, row after row without gaps, so that the tile reads it
// sequentially; zeros fill the last panel. A is read in place. This is fastest where panels and the
// current rows of A fit into the level-1 cache together, up to a depth of about 256.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct TileShape {
  Index rows, depth, cols;
};

// An output of a product: out = alpha * product (+ out, or + bias).
struct TileOutput {
  float* data;
  Index stride;  // floats from one row to the next
  float alpha = 1;
  bool accumulate = false;
  const float* bias = nullptr;  // one number per column; not with accumulate
};

// factor * a matrix whose rows are `stride` floats apart.
struct ScaledMatrix {
  const float* data;
  Index stride;
  float factor;
};

struct TileKernels {
  Index tile_rows;      // rows of A in one pass over a panel; fewer at the end
  Index panel_cols;     // columns of a panel
  Index strassen_from;  // smallest size for which Strassen's halving is faster
  Index parallel_from;  // multiplications from which on a second thread is faster
  Index few_rows;  // up to this number of rows of A multiply_transposed is the fastest for A * B^T

  // The floats of `cols` packed columns.
  Index packed_count(Index depth, Index cols) const noexcept {
    return (cols + panel_cols - 1) / panel_cols * panel_cols * depth;
  }

  // Packs B [depth, cols], whose rows are `stride` floats apart.
  void (*pack)(const float* b, Index stride, Index depth, Index cols, float* panels) noexcept;
  // Packs B from its transpose [cols, depth], whose rows are `stride` floats apart.
  void (*pack_transposed)(const float* b, Index stride, Index depth, Index cols,
                          float* panels) noexcept;
  // Multiplies A [rows, depth] by packed B into one or more outputs [rows, cols], which do not
  // overlap.
  void (*multiply)(const float* a, Index a_stride, const float* panels, const TileShape& shape,
                   const TileOutput* outputs, int count) noexcept;
  // Packs and multiplies into one output, some columns after the others, and leaves B packed in
  // `panels` for further rows. Nothing is packed if the rows fit into one tile.
  void (*multiply_packing)(const float* a, Index a_stride, const float* b, Index b_stride,
                           float* panels, const TileShape& shape, const TileOutput& out) noexcept;
  // out [rows, cols] = A [rows, depth] * B, with B read in place from its transpose [cols, depth].
  void (*multiply_transposed)(const float* a, Index a_stride, const float* b, Index b_stride,
                              const TileShape& shape, const TileOutput& out) noexcept;
  // to [cols, rows] = the transpose of from [rows, cols].
  void (*transpose)(const float* from, Index from_stride, Index rows, Index cols, float* to,
                    Index to_stride) noexcept;
  // to [rows, cols] = the sum of 1 to 4 scaled matrices; `to` may be one of them.
  void (*add)(const ScaledMatrix* terms, int count, Index rows, Index cols, float* to,
              Index to_stride) noexcept;
  // Whether all x[i] are finite.
  bool (*all_finite)(const float* x, Index count) noexcept;
};

const TileKernels& tile_kernels(Isa isa = best_isa());

}  // namespace tril
