// What every call on stacks of matrices checks.
#pragma once

#include <tril/foundation/check.h>
#include <tril/matmul/batched.h>

#include <string_view>

namespace tril::detail {

// The axes before the matrices'.
BatchAxes axes_of(const MatrixStack<const float>& stack) noexcept;

// These and the matrices' own.
AnyShape stack_shape(const MatrixStack<const float>& stack) noexcept;

// The same of a stack of matrices [rows, cols] along these axes.
AnyShape stack_shape(const BatchAxes& axes, Index rows, Index cols) noexcept;

// Throws Error unless there is a stack, and no axis is below 0.
void check_stack(const MatrixStack<const float>& stack, const char* call, const char* argument);

// Whether the stack has exactly these axes before matrices [rows, cols].
bool has_shape(const MatrixStack<const float>& stack, const BatchAxes& axes, Index rows,
               Index cols) noexcept;

// Throws Error unless it has; `why` says where that comes from.
void check_stack_shape(const MatrixStack<const float>& stack, const BatchAxes& axes, Index rows,
                       Index cols, const char* call, const char* argument, const Message& why);

// batched_matmul for a call that has checked its arguments already.
void run_batched_matmul(const MatrixStack<const float>& a, const MatrixStack<const float>& b,
                        const MatmulOptions& options, const MatrixStack<float>& out,
                        const Context& context);

// The stack as one view, for the memory that it takes.
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
