// A vector times a matrix: every element of the matrix is used once, so memory sets the pace and
// packing would only add to it. The matrix is read once, in long runs.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/tile_kernels.h>

namespace tril {

struct VectorKernels {
  // out[j] = alpha * sum over k of x[k] * b[k, j] (+ out[j]),  b [depth, cols]: a sum of b's rows.
  void (*combine_rows)(const float* x, const float* b, Index b_stride, Index depth, Index cols,
                       const TileFinish& finish, float* out, Index out_step) noexcept;
  // out[j] = alpha * sum over k of x[k] * b[j, k] (+ out[j]),  b [cols, depth]: a dot product a
  // row.
  void (*dot_rows)(const float* x, const float* b, Index b_stride, Index depth, Index cols,
                   const TileFinish& finish, float* out, Index out_step) noexcept;
};

const VectorKernels& vector_kernels(Isa isa = best_isa());

}  // namespace tril
