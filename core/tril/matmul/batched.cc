#include <tril/foundation/check.h>
#include <tril/matmul/batched.h>
#include <tril/matmul/method.h>
#include <tril/matmul/stacks.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace tril {
namespace {

constexpr const char* kCall = "batched_matmul";

// The stride along an axis of the broadcast shape, which has `rank` axes.
template <typename T>
Index stride_along(const MatrixStack<T>& stack, int axis, int rank) noexcept {
  const int own = axis - (rank - stack.rank);
  if (own < 0) return 0;
  const auto i = static_cast<std::size_t>(own);
  return stack.shape[i] == 1 ? 0 : stack.strides[i];
}

// The batch of all products; out has the batch axes to which those of the two stacks broadcast.
detail::ProductBatch batch_of(const detail::Product& first, const MatrixStack<const float>& a,
                              const MatrixStack<const float>& b,
                              const MatrixStack<float>& out) noexcept {
  detail::ProductBatch batch(first);
  const int rank = batch.rank = out.rank;
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    batch.axes[i] = {out.shape[i], stride_along(a, axis, rank), stride_along(b, axis, rank),
                     stride_along(out, axis, rank)};
  }
  return batch;
}

// Merges the last axis into the rows where it repeats b and the rows of a and out are evenly spaced
// across it: one larger product packs b only once.
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

BatchAxes detail::axes_of(const MatrixStack<const float>& stack) noexcept {
  BatchAxes axes;
  axes.rank = stack.rank;
  std::copy_n(stack.shape.begin(), stack.rank, axes.sizes.begin());
  return axes;
}

AnyShape detail::stack_shape(const MatrixStack<const float>& stack) noexcept {
  return stack_shape(axes_of(stack), stack.first.size(0), stack.first.size(1));
}

AnyShape detail::stack_shape(const BatchAxes& axes, Index rows, Index cols) noexcept {
  AnyShape shape;
  shape.rank = axes.rank + 2;
  const auto end = std::copy_n(axes.sizes.begin(), axes.rank, shape.sizes.begin());
  end[0] = rows, end[1] = cols;
  return shape;
}

void detail::check_stack(const MatrixStack<const float>& stack, const char* call,
                         const char* argument) {
  if (stack.rank < 0 || stack.rank > kMostBatchAxes) {
    fail(call, argument, {"must have 2 to ", kMostBatchAxes + 2, " axes, has ", stack.rank + 2});
  }
  check_view(stack.first, call, argument, Empty::allowed);
  for (int axis = 0; axis < stack.rank; ++axis) {
    if (stack.shape[static_cast<std::size_t>(axis)] >= 0) continue;
    fail(call, argument, {"every axis must be at least 0; shape is ", stack_shape(stack)});
  }
}

bool detail::has_shape(const MatrixStack<const float>& stack, const BatchAxes& axes, Index rows,
                       Index cols) noexcept {
  return stack.rank == axes.rank && stack.first.size(0) == rows && stack.first.size(1) == cols &&
         std::equal(axes.sizes.begin(), axes.sizes.begin() + axes.rank, stack.shape.begin());
}

void detail::check_stack_shape(const MatrixStack<const float>& stack, const BatchAxes& axes,
                               Index rows, Index cols, const char* call, const char* argument,
                               const Message& why) {
  if (has_shape(stack, axes, rows, cols)) return;
  fail(call, argument,
       {"shape must be ", stack_shape(axes, rows, cols), ", is ", stack_shape(stack), "; ", why});
}

BatchAxes broadcast_axes(const MatrixStack<const float>& a, const MatrixStack<const float>& b,
                         const char* call) {
  const auto axes = broadcast_shape(detail::axes_of(a), detail::axes_of(b));
  if (!axes) {
    fail(call, "b",
         {"batch axes do not broadcast; a is ", detail::stack_shape(a), ", b is ",
          detail::stack_shape(b)});
  }
  return *axes;
}

void batched_matmul(const MatrixStack<const float>& a, const MatrixStack<const float>& b,
                    const MatmulOptions& options, const MatrixStack<float>& out,
                    const Context& context) {
  detail::check_stack(a, kCall, "a");
  detail::check_stack(b, kCall, "b");
  detail::check_stack(out, kCall, "out");
  detail::checked_product(a.first, b.first, options, out.first, kCall);
  const AnyShape a_shape = detail::stack_shape(a), b_shape = detail::stack_shape(b);
  detail::check_stack_shape(out, broadcast_axes(a, b), out.first.size(0), out.first.size(1), kCall,
                            "out", {"a is ", a_shape, ", b is ", b_shape});
  check_view(detail::as_view(out), kCall, "out");
  check_no_overlap(detail::as_view(out), detail::as_view(a), kCall, "out");
  check_no_overlap(detail::as_view(out), detail::as_view(b), kCall, "out");
  detail::run_batched_matmul(a, b, options, out, context);
}

void detail::run_batched_matmul(const MatrixStack<const float>& a,
                                const MatrixStack<const float>& b, const MatmulOptions& options,
                                const MatrixStack<float>& out, const Context& context) {
  ProductBatch batch = batch_of(product_of(a.first, b.first, options, out.first), a, b, out);
  merge_rows(batch);
  run_method(options.method, batch, context);
}

}  // namespace tril
