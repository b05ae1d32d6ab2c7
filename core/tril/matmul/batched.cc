#include <tril/foundation/check.h>
#include <tril/matmul/batched.h>
#include <tril/matmul/method.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tril {
namespace {

constexpr std::string_view kCall = "batched_matmul";

template <typename T>
std::string shape_text(const MatrixStack<T>& stack) {
  std::array<Index, detail::kMostBatchAxes + 2> shape{};
  const auto end = std::copy_n(stack.shape.begin(), stack.rank, shape.begin());
  end[0] = stack.first.size(0);
  end[1] = stack.first.size(1);
  return tril::shape_text(shape.data(), stack.rank + 2);
}

template <typename T>
void check_stack(const MatrixStack<T>& stack, std::string_view argument) {
  if (stack.rank < 0 || stack.rank > detail::kMostBatchAxes) {
    fail(kCall, argument,
         "must have 2 to " + std::to_string(detail::kMostBatchAxes + 2) + " axes, has " +
             std::to_string(stack.rank + 2));
  }
  check_view(stack.first, kCall, argument, Empty::allowed);
  for (int axis = 0; axis < stack.rank; ++axis) {
    if (stack.shape[static_cast<std::size_t>(axis)] >= 0) continue;
    fail(kCall, argument, "every axis must be at least 0; shape is " + shape_text(stack));
  }
}

// Size and stride along an axis of the broadcast shape, which has `rank` axes.
struct Along {
  Index size, stride;
};
template <typename T>
Along along(const MatrixStack<T>& stack, int axis, int rank) noexcept {
  const int own = axis - (rank - stack.rank);
  if (own < 0) return {1, 0};
  const auto i = static_cast<std::size_t>(own);
  return {stack.shape[i], stack.shape[i] == 1 ? 0 : stack.strides[i]};
}

// Throws unless out's batch axes are exactly those that the two stacks' broadcast to.
detail::ProductBatch broadcast(const MatrixStack<const float>& a, const MatrixStack<const float>& b,
                               const MatrixStack<float>& out) {
  const BatchAxes axes = broadcast_axes(a, b);
  detail::ProductBatch batch;
  batch.rank = axes.rank;
  bool fits = out.rank == axes.rank;
  for (int axis = 0; axis < axes.rank; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    const Along of_out = along(out, axis, axes.rank);
    fits = fits && of_out.size == axes.sizes[i];
    batch.axes[i] = {axes.sizes[i], along(a, axis, axes.rank).stride,
                     along(b, axis, axes.rank).stride, of_out.stride};
  }
  if (!fits) {
    std::array<Index, detail::kMostBatchAxes + 2> shape{};
    const auto end = std::copy_n(axes.sizes.begin(), axes.rank, shape.begin());
    end[0] = out.first.size(0);
    end[1] = out.first.size(1);
    fail(kCall, "out",
         "shape must be " + tril::shape_text(shape.data(), axes.rank + 2) + ", is " +
             shape_text(out) + "; a is " + shape_text(a) + ", b is " + shape_text(b));
  }
  return batch;
}

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

// Where the last axis repeats b, and a's and out's matrices follow on one another as their rows do,
// the axis is more rows of one product: one larger product packs b once.
void merge_rows(detail::ProductBatch& batch) noexcept {
  detail::Product& p = batch.first;
  while (batch.rank > 0) {
    const auto& last = batch.axes[static_cast<std::size_t>(batch.rank - 1)];
    if (p.rows == 1 && p.a.rows_contiguous()) {
      p.a.row_stride = last.a;
      p.out_stride = last.out;
    }
    const bool follows = last.a == p.rows * p.a.row_stride && last.out == p.rows * p.out_stride;
    if (last.size > 1 && (last.b != 0 || !follows)) return;
    p.rows *= last.size;
    --batch.rank;
  }
}

}  // namespace

BatchAxes broadcast_axes(const MatrixStack<const float>& a, const MatrixStack<const float>& b) {
  const auto axes_of = [](const MatrixStack<const float>& stack) {
    BatchAxes axes;
    axes.rank = stack.rank;
    std::copy_n(stack.shape.begin(), stack.rank, axes.sizes.begin());
    return axes;
  };
  const auto axes = broadcast_shape(axes_of(a), axes_of(b));
  if (!axes) {
    fail(kCall, "b",
         "batch axes do not broadcast; a is " + shape_text(a) + ", b is " + shape_text(b));
  }
  return *axes;
}

void batched_matmul(const MatrixStack<const float>& a, const MatrixStack<const float>& b,
                    const MatmulOptions& options, const MatrixStack<float>& out, Scratch& scratch,
                    Parallel& parallel) {
  check_stack(a, "a");
  check_stack(b, "b");
  check_stack(out, "out");
  const detail::Product first =
      detail::checked_product(a.first, b.first, options, out.first, kCall);
  detail::ProductBatch batch = broadcast(a, b, out);
  check_view(as_view(out), kCall, "out");
  check_no_overlap(as_view(out), as_view(a), kCall, "out");
  check_no_overlap(as_view(out), as_view(b), kCall, "out");
  batch.first = first;
  merge_rows(batch);
  detail::run_method(options.method, batch, kCall, scratch, parallel);
}

}  // namespace tril
