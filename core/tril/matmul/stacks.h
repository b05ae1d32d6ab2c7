// Checks and axes of stacks of matrices, for all calls on them.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/check.h>
#include <tril/matmul/matmul.h>

namespace tril::detail {

// The batch axes: all axes before the two of a matrix.
inline AnyShape batch_axes(AnyShape shape) noexcept {
  shape.rank -= 2;
  return shape;
}

// The shape of a stack of matrices [rows, cols] with the batch axes `axes`.
inline AnyShape stack_shape(AnyShape axes, Index rows, Index cols) noexcept {
  axes[axes.rank++] = rows;
  axes[axes.rank++] = cols;
  return axes;
}

// The matrix of a stack that begins at `data`.
template <typename T>
MatrixView<T> matrix_of(const AnyView<T>& stack, T* data) noexcept {
  const int rows = stack.shape.rank - 2, cols = rows + 1;
  return {data, {stack.shape[rows], stack.shape[cols]}, {stack.strides[rows], stack.strides[cols]}};
}
// The first matrix of a stack.
template <typename T>
MatrixView<T> first_matrix(const AnyView<T>& stack) noexcept {
  return matrix_of(stack, stack.data);
}

// Calls check_view, and throws Error unless the stack has 2 to 8 axes.
template <typename T>
void check_stack(const AnyView<T>& stack, const char* call, const char* argument) {
  const int rank = stack.shape.rank;
  if (stack.data && (rank < 2 || rank > kMostAxes)) {
    fail(call, argument, {"must have 2 to ", kMostAxes, " axes, has ", rank});
  }
  check_view(stack, call, argument);
}

// batched_matmul for a caller that has already checked the arguments.
void run_batched_matmul(const AnyView<const float>& a, const AnyView<const float>& b,
                        const MatmulOptions& options, const AnyView<float>& out,
                        const Context& context);

}  // namespace tril::detail
