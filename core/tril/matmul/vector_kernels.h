// A vector times a matrix. Every element of the matrix is used once, so memory limits the speed and
// packing would cost more. The matrix is read once, in long runs.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/tile_kernels.h>

namespace tril {

// The kernels; none takes a bias.
struct VectorKernels {
  // out [cols, 1] = (x [1, depth] * b [depth, cols])^T: a sum of b's rows.
  void (*combine_rows)(const float* x, const float* b, Index b_stride, Index depth, Index cols,
                       const TileOutput& out) noexcept;
  // out [cols, 1] = b [cols, depth] * x [depth, 1]: one dot product per row.
  void (*dot_rows)(const float* x, const float* b, Index b_stride, Index depth, Index cols,
                   const TileOutput& out) noexcept;
};

const VectorKernels& vector_kernels(Isa isa = best_isa());

}  // namespace tril
