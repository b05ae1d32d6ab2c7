// The product by packed panels and the register tile of tile_kernels.h.
#pragma once

#include <tril/foundation/context.h>
#include <tril/matmul/batch.h>
#include <tril/matmul/tile_kernels.h>

namespace tril::detail {

// b [depth, cols] as panels, whichever way it lies.
inline void pack_operand(const Operand& b, Index depth, Index cols, const TileKernels& kernels,
                         float* panels) noexcept {
  if (b.rows_contiguous()) {
    kernels.pack(b.data, b.row_stride, depth, cols, panels);
  } else {
    kernels.pack_transposed(b.data, b.col_stride, depth, cols, panels);
  }
}

// How far apart the rows of a transposed matrix of that width are laid: a cache line more, since
// rows a power of two apart would fall on the same sets of the caches.
inline constexpr Index transposed_stride(Index depth) noexcept { return depth + 16; }

// a [rows, depth] as the tile reads it: where it lies if its rows are contiguous, else transposed
// into `memory`, rows * transposed_stride(depth) floats.
inline Operand by_rows(const Operand& a, Index rows, Index depth, const TileKernels& kernels,
                       float* memory) noexcept {
  if (a.rows_contiguous()) return a;
  const Index stride = transposed_stride(depth);
  kernels.transpose(a.data, a.col_stride, depth, rows, memory, stride);
  return {memory, stride, 1};
}

// How deep the blocks are that a product of this depth is cut into; the last one may be lower.
Index depth_step(Index depth) noexcept;

// Takes its working memory from `scratch` before it writes anything: for each thread a block of B,
// 512 KiB at most, or, where A is transposed, 2 MiB and a block of A of 248 KiB.
void multiply_tiled(const ProductBatch& batch, const Context& context,
                    const TileKernels& kernels = tile_kernels());

}  // namespace tril::detail
