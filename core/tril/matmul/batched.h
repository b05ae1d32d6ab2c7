// Products of stacks of matrices, as numpy.matmul: the last two axes are matrices, and the axes
// before them broadcast.
//
//     out[..., :, :] = alpha * op(a[..., :, :]) * op(b[..., :, :]) (+ out[..., :, :])
//
// An axis that a stack lacks, or that has size 1, is repeated without a copy, so that one matrix
// can serve many products. Strides are arbitrary: the heads inside a [B, T, H*D] projection are the
// stack [B, H, T, D] with strides {T*H*D, D, H*D, 1}.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/batch.h>
#include <tril/matmul/matmul.h>

#include <array>
#include <type_traits>

namespace tril {

// A view of matrices along up to 6 axes, for callers that do not know their number at compile time.
// A TensorView converts to it.
template <typename T>
struct MatrixStack {
  // Sizes or strides; entries from `rank` on have no meaning.
  using Axes = std::array<Index, detail::kMostBatchAxes>;

  MatrixView<T> first;      // the first matrix
  int rank = 0;             // number of axes before the matrices'
  Axes shape{}, strides{};  // of these axes

  // No stack.
  MatrixStack() noexcept = default;
  // From a first matrix and the axes of the others.
  MatrixStack(const MatrixView<T>& matrix, int axes, const Axes& sizes, const Axes& steps) noexcept
      : first(matrix), rank(axes), shape(sizes), strides(steps) {}
  // A stack for writing converts to one for reading.
  template <typename U = T, typename = std::enable_if_t<!std::is_const_v<U>>>
  operator MatrixStack<const U>() const noexcept {
    return {first, rank, shape, strides};
  }
  // From a view: all axes but the last two.
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

// The axes that `a` and `b` broadcast to. Throws Error in the name of `call` where they do not.
BatchAxes broadcast_axes(const MatrixStack<const float>& a, const MatrixStack<const float>& b,
                         const char* call = "batched_matmul");

// Multiplies the stacks. Products that share b and whose rows are evenly spaced are computed as one
// product. Throws Error where the batch axes do not broadcast, out does not have the broadcast
// shape, and as matmul does.
void batched_matmul(const MatrixStack<const float>& a, const MatrixStack<const float>& b,
                    const MatmulOptions& options, const MatrixStack<float>& out,
                    const Context& context = {});

}  // namespace tril
