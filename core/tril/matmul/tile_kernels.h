// The register tile and its packing: the inner part of the tiled product, for this floor and for
// attention, which multiplies one block at a time and keeps what it has packed.
//
//     const TileKernels& kernels = tile_kernels();
//     float* panels = frame.take<float>(kernels.packed_count(depth, cols));
//     kernels.pack(b, b_stride, depth, cols, panels);             // b [depth, cols]
//     const TileOutput to = {out, out_stride};
//     kernels.multiply(a, a_stride, panels, {rows, depth, cols}, &to, 1);
//
// A panel is `panel_cols` columns of B, row after row without gaps, so that the tile reads it
// straight through; the last panel is filled up with zeros. A is read where it lies. Best where
// panels and the rows of A in use fit the level-1 cache together, depth up to about 256.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct TileShape {
  Index rows, depth, cols;
};

// Where a product goes, and how: out = alpha * product (+ out, or + bias).
struct TileOutput {
  float* data;
  Index stride;  // floats from one row to the next
  float alpha = 1;
  bool accumulate = false;
  const float* bias = nullptr;  // a number for each column; not with accumulate
};

// factor * a matrix, its rows `stride` floats apart.
struct ScaledMatrix {
  const float* data;
  Index stride;
  float factor;
};

struct TileKernels {
  Index tile_rows;      // rows of A that one pass over a panel serves; fewer at the end
  Index panel_cols;     // columns of a panel
  Index strassen_from;  // the smallest size from which on Strassen's halving pays
  Index parallel_from;  // multiplications from which on a second thread pays
  Index few_rows;       // rows of A up to which multiply_transposed is the fastest for A * B^T

  // The floats that `cols` columns take when packed.
  Index packed_count(Index depth, Index cols) const noexcept {
    return (cols + panel_cols - 1) / panel_cols * panel_cols * depth;
  }

  // Packs B [depth, cols], its rows `stride` floats apart.
  void (*pack)(const float* b, Index stride, Index depth, Index cols, float* panels) noexcept;
  // Packs B from its transpose [cols, depth], the rows of that `stride` floats apart.
  void (*pack_transposed)(const float* b, Index stride, Index depth, Index cols,
                          float* panels) noexcept;
  // A [rows, depth] * B, B packed, into 1 or more places at once, each [rows, cols] and none
  // overlapping the rest.
  void (*multiply)(const float* a, Index a_stride, const float* panels, const TileShape& shape,
                   const TileOutput* outputs, int count) noexcept;
  // pack and multiply into one place, some columns after the others, and leaves B packed in
  // `panels` for the rows after these. With no more rows than a tile has, nothing need be packed.
  void (*multiply_packing)(const float* a, Index a_stride, const float* b, Index b_stride,
                           float* panels, const TileShape& shape, const TileOutput& out) noexcept;
  // out [rows, cols] = A [rows, depth] * B, B read where it lies from its transpose [cols, depth].
  void (*multiply_transposed)(const float* a, Index a_stride, const float* b, Index b_stride,
                              const TileShape& shape, const TileOutput& out) noexcept;
  // to [cols, rows] = the transpose of from [rows, cols].
  void (*transpose)(const float* from, Index from_stride, Index rows, Index cols, float* to,
                    Index to_stride) noexcept;
  // to [rows, cols] = the sum of 1 to 4 scaled matrices; `to` may be one of them.
  void (*add)(const ScaledMatrix* terms, int count, Index rows, Index cols, float* to,
              Index to_stride) noexcept;
  // Whether none of x[i] is NaN or infinite.
  bool (*all_finite)(const float* x, Index count) noexcept;
};

const TileKernels& tile_kernels(Isa isa = best_isa());

}  // namespace tril
