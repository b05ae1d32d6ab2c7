// Products of stacks of matrices, as numpy.matmul: the last two axes are matrices, the axes before
// them broadcast.
//
//     out[..., :, :] = alpha * op(a[..., :, :]) * op(b[..., :, :]) (+ out[..., :, :])
//
// An axis that a stack has not, or has with size 1, is repeated, not copied; so one matrix serves
// many. Any strides are taken as they are: the heads inside a [B, T, H*D] projection are the stack
// [B, H, T, D] with strides {T*H*D, D, H*D, 1}.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/batch.h>
#include <tril/matmul/matmul.h>

#include <array>
#include <type_traits>

namespace tril {

// A view on matrices along any number of axes, up to 6: for callers that do not know it when they
// are compiled. Where they do, a TensorView is one.
template <typename T>
struct MatrixStack {
  // Sizes or strides; those from rank on mean nothing.
  using Axes = std::array<Index, detail::kMostBatchAxes>;

  MatrixView<T> first;      // the first of the matrices
  int rank = 0;             // axes before the matrices'
  Axes shape{}, strides{};  // of those

  // Nothing yet.
  MatrixStack() noexcept = default;
  // Of a first matrix and the axes along which the others lie.
  MatrixStack(const MatrixView<T>& matrix, int axes, const Axes& sizes, const Axes& steps) noexcept
      : first(matrix), rank(axes), shape(sizes), strides(steps) {}
  // What may be written may be read.
  template <typename U = T, typename = std::enable_if_t<!std::is_const_v<U>>>
  operator MatrixStack<const U>() const noexcept {
    return {first, rank, shape, strides};
  }
  // Of a view: all axes but the last two.
  template <typename U, int Rank>
  MatrixStack(const TensorView<U, Rank>& view) noexcept
      : first(view.data(), {view.size(Rank - 2), view.size(Rank - 1)},
              {view.stride(Rank - 2), view.stride(Rank - 1)}),
        rank(Rank - 2) {
    static_assert(Rank >= 2 && Rank - 2 <= detail::kMostBatchAxes);
    for (int axis = 0; axis < rank; ++axis) {
      shape[static_cast<std::size_t>(axis)] = view.size(axis);
      strides[static_cast<std::size_t>(axis)] = view.stride(axis);
    }
  }
};

// The batch axes that two stacks broadcast to.
using BatchAxes = AnyShape;

// Throws Error in the name of `call` where they do not broadcast.
BatchAxes broadcast_axes(const MatrixStack<const float>& a, const MatrixStack<const float>& b,
                         const char* call = "batched_matmul");

// Throws Error where the batch axes do not broadcast, out has not the broadcast shape, or as matmul
// does. A product that a single matrix b serves row after row is multiplied as one.
void batched_matmul(const MatrixStack<const float>& a, const MatrixStack<const float>& b,
                    const MatmulOptions& options, const MatrixStack<float>& out,
                    const Context& context = {});

}  // namespace tril
