#include <tril/foundation/check.h>
#include <tril/matmul/batched.h>
#include <tril/matmul/method.h>
#include <tril/matmul/stacks.h>

namespace tril {
namespace {

constexpr const char* kCall = "batched_matmul";

// The stride along an axis of the broadcast shape with `rank` axes.
template <typename T>
Index stride_along(const AnyView<T>& stack, int axis, int rank) noexcept {
  const int own = axis - (rank - (stack.shape.rank - 2));
  return own < 0 || stack.shape[own] == 1 ? 0 : stack.strides[own];
}

// The batch of all products. The batch axes of out are the broadcast axes of both stacks.
detail::ProductBatch batch_of(const detail::Product& first, const AnyView<const float>& a,
                              const AnyView<const float>& b, const AnyView<float>& out) noexcept {
  detail::ProductBatch batch(first);
  const int rank = batch.rank = out.shape.rank - 2;
  for (int axis = 0; axis < rank; ++axis) {
    batch.axes[static_cast<std::size_t>(axis)] = {out.shape[axis], stride_along(a, axis, rank),
                                                  stride_along(b, axis, rank),
                                                  stride_along(out, axis, rank)};
  }
  return batch;
}

// Merges the last axis into the rows if it repeats b and the rows of a and out are evenly spaced
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

AnyShape broadcast_axes(const AnyShape& a, const AnyShape& b, const char* call) {
  if (a.rank < 2) fail(call, "a", {"must have at least 2 axes, has ", a.rank});
  if (b.rank < 2) fail(call, "b", {"must have at least 2 axes, has ", b.rank});
  const auto axes = broadcast_shape(detail::batch_axes(a), detail::batch_axes(b));
  if (!axes) fail(call, "b", {"batch axes do not broadcast; a is ", a, ", b is ", b});
  return *axes;
}

void batched_matmul(const AnyView<const float>& a, const AnyView<const float>& b,
                    const MatmulOptions& options, const AnyView<float>& out,
                    const Context& context) {
  detail::check_stack(a, kCall, "a");
  detail::check_stack(b, kCall, "b");
  detail::check_stack(out, kCall, "out");
  const MatrixView<float> first = detail::first_matrix(out);
  detail::checked_product(detail::first_matrix(a), detail::first_matrix(b), options, first, kCall);
  const AnyShape axes = broadcast_axes(a.shape, b.shape);
  check_shape(out, detail::stack_shape(axes, first.size(0), first.size(1)), kCall, "out",
              {"a is ", a.shape, ", b is ", b.shape});
  check_no_overlap(out, a, kCall, "out");
  check_no_overlap(out, b, kCall, "out");
  detail::run_batched_matmul(a, b, options, out, context);
}

void detail::run_batched_matmul(const AnyView<const float>& a, const AnyView<const float>& b,
                                const MatmulOptions& options, const AnyView<float>& out,
                                const Context& context) {
  const Product first = product_of(first_matrix(a), first_matrix(b), options, first_matrix(out));
  ProductBatch batch = batch_of(first, a, b, out);
  merge_rows(batch);
  run_method(options.method, batch, context);
}

}  // namespace tril
