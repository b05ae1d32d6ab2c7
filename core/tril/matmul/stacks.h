// Checks of all calls on stacks of matrices.
#pragma once

#include <tril/foundation/check.h>
#include <tril/matmul/batched.h>

#include <string_view>

namespace tril::detail {

// The axes of a stack before those of its matrices.
BatchAxes axes_of(const MatrixStack<const float>& stack) noexcept;

// All axes of a stack.
AnyShape stack_shape(const MatrixStack<const float>& stack) noexcept;

// The same for a stack of matrices [rows, cols] along `axes`.
AnyShape stack_shape(const BatchAxes& axes, Index rows, Index cols) noexcept;

// Throws Error unless the stack is given and no axis is below 0.
void check_stack(const MatrixStack<const float>& stack, const char* call, const char* argument);

// Whether the stack has exactly `axes` before matrices [rows, cols].
bool has_shape(const MatrixStack<const float>& stack, const BatchAxes& axes, Index rows,
               Index cols) noexcept;

// Throws Error unless it has; `why` explains the expected shape.
void check_stack_shape(const MatrixStack<const float>& stack, const BatchAxes& axes, Index rows,
                       Index cols, const char* call, const char* argument, const Message& why);

// batched_matmul for a caller that has already checked the arguments.
void run_batched_matmul(const MatrixStack<const float>& a, const MatrixStack<const float>& b,
                        const MatmulOptions& options, const MatrixStack<float>& out,
                        const Context& context);

// The stack as one view, to find the memory that it covers.
template <typename T>
AnyView<T> as_view(const MatrixStack<T>& stack) noexcept {
  AnyView<T> view = stack.first;
  view.shape.rank = view.strides.rank = stack.rank + 2;
  for (int axis = 0; axis < stack.rank; ++axis) {
    view.shape[axis] = stack.shape[static_cast<std::size_t>(axis)];
    view.strides[axis] = stack.strides[static_cast<std::size_t>(axis)];
  }
  for (int axis = 0; axis < 2; ++axis) {
    view.shape[stack.rank + axis] = stack.first.size(axis);
    view.strides[stack.rank + axis] = stack.first.stride(axis);
  }
  return view;
}

}  // namespace tril::detail
