// The product with packed panels and the register tile of tile_kernels.h.
#pragma once

#include <tril/foundation/context.h>
#include <tril/matmul/batch.h>
#include <tril/matmul/tile_kernels.h>

namespace tril::detail {

// Packs b [depth, cols], transposed or not.
inline void pack_operand(const Operand& b, Index depth, Index cols, const TileKernels& kernels,
                         float* panels) noexcept {
  if (b.rows_contiguous()) {
    kernels.pack(b.data, b.row_stride, depth, cols, panels);
  } else {
    kernels.pack_transposed(b.data, b.col_stride, depth, cols, panels);
  }
}

// The stride of the rows of a transposed matrix of that width: one cache line more, since rows at
// distances of powers of two would map to the same sets of the caches.
inline constexpr Index transposed_stride(Index depth) noexcept { return depth + 16; }

// a [rows, depth] with contiguous rows, for the tile: in place if its rows are contiguous, else
// transposed into `memory`, which has rows * transposed_stride(depth) floats.
inline Operand by_rows(const Operand& a, Index rows, Index depth, const TileKernels& kernels,
                       float* memory) noexcept {
  if (a.rows_contiguous()) return a;
  const Index stride = transposed_stride(depth);
  kernels.transpose(a.data, a.col_stride, depth, rows, memory, stride);
  return {memory, stride, 1};
}

// The depth of the blocks of a product of this depth; the last one may be smaller.
Index depth_step(Index depth) noexcept;

// Takes all working memory before it writes anything: for each thread a block of B of at most 512
// KiB, or, where A is transposed, 2 MiB and a block of A of 248 KiB.
void multiply_tiled(const ProductBatch& batch, const Context& context,
                    const TileKernels& kernels = tile_kernels());

}  // namespace tril::detail
