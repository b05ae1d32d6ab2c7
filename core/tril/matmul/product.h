// A product with checked arguments, the input of every method.
#pragma once

#include <tril/foundation/tensor.h>
#include <tril/matmul/matmul.h>
#include <tril/matmul/packed_matrix.h>
#include <tril/matmul/weight.h>

#include <string_view>

namespace tril::detail {

// A matrix as an operand; where it is transposed, its strides are swapped. One of the strides is 1.
struct Operand {
  const float* data;
  Index row_stride;
  Index col_stride;

  const float& operator()(Index row, Index col) const noexcept {
    return data[row * row_stride + col * col_stride];
  }
  const float* at(Index row, Index col) const noexcept { return &(*this)(row, col); }
  // The part that begins at (row, col).
  Operand from(Index row, Index col) const noexcept {
    return {at(row, col), row_stride, col_stride};
  }
  bool rows_contiguous() const noexcept { return col_stride == 1; }
};

// out [rows, cols] = alpha * a [rows, depth] * b [depth, cols] (+ out)
struct Product {
  Index rows, cols, depth;
  Operand a, b;
  float* out;
  Index out_stride;
  float alpha;
  bool accumulate;
  // For the tiled product only, with two columns or more: the matrix [cols, depth] whose transpose
  // is b, if its elements are not floats. b is not read then.
  Weight weight = {};
  // For the tiled product only, with two rows and columns or more:
  PackedColumns packed = {};    // b, if it was packed before
  const float* bias = nullptr;  // added, one number per column; not with accumulate
  int levels = -1;              // as in MatmulOptions
};

// Checks all arguments of matmul; throws Error in the name of `call`.
Product checked_product(const MatrixView<const float>& a, const MatrixView<const float>& b,
                        const MatmulOptions& options, const MatrixView<float>& out,
                        const char* call);

// The same for arguments that have been checked.
Product product_of(const MatrixView<const float>& a, const MatrixView<const float>& b,
                   const MatmulOptions& options, const MatrixView<float>& out) noexcept;

inline Operand operand(const MatrixView<const float>& view, bool transposed) noexcept {
  return transposed ? Operand{view.data(), 1, view.stride(0)}
                    : Operand{view.data(), view.stride(0), 1};
}

}  // namespace tril::detail
