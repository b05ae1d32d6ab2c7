#include <tril/foundation/check.h>
#include <tril/matmul/matmul_backward.h>
#include <tril/matmul/method.h>
#include <tril/matmul/stacks.h>

#include <algorithm>
#include <cmath>

namespace tril {
namespace {

constexpr const char* kCall = "matmul_backward";

// Calls body(at) for every position along the axes, the last one counting fastest.
template <typename Body>
void for_positions(const AnyShape& axes, const Body& body) {
  Index count = 1;
  for (int axis = 0; axis < axes.rank; ++axis) count *= axes[axis];
  AnyShape at = {.rank = axes.rank};
  for (Index n = 0; n < count; ++n) {
    body(at);
    for (int axis = axes.rank; axis-- > 0;) {
      if (++at[axis] < axes[axis]) break;
      at[axis] = 0;
    }
  }
}

// The matrix of a stack at a position of the broadcast batch. Axes that the stack lacks, or that
// have size 1, are ignored.
template <typename T>
MatrixView<T> matrix_at(const AnyView<T>& stack, const AnyShape& at) noexcept {
  T* data = stack.data;
  const int rank = stack.shape.rank - 2;
  for (int own = 0; own < rank; ++own) {
    if (stack.shape[own] > 1) data += at[own + at.rank - rank] * stack.strides[own];
  }
  return detail::matrix_of(stack, data);
}

// A factor of a product, transposed if `transposed`.
struct Factor {
  const AnyView<const float>& stack;
  bool transposed;
};

// d = alpha left right, summed over the positions that share a matrix of d.
void multiply(const Factor& left, const Factor& right, float alpha, const AnyView<float>& d,
              const AnyShape& axes, const Context& context) {
  MatmulOptions options{
      .transpose_a = left.transposed, .transpose_b = right.transposed, .alpha = alpha};
  if (detail::batch_axes(d.shape) == axes) {
    return detail::run_batched_matmul(left.stack, right.stack, options, d, context);
  }
  for_positions(detail::batch_axes(d.shape), [&](const AnyShape& at) {
    const MatrixView<float> matrix = matrix_at(d, at);
    for (Index row = 0; row < matrix.size(0); ++row) {
      std::fill_n(matrix[row].data(), matrix.size(1), 0.0f);
    }
  });
  options.accumulate = true;
  for_positions(axes, [&](const AnyShape& at) {
    detail::run_matmul(matrix_at(left.stack, at), matrix_at(right.stack, at), options,
                       matrix_at(d, at), context);
  });
}

}  // namespace

void matmul_backward(const AnyView<const float>& d_out, const AnyView<const float>& a,
                     const AnyView<const float>& b, const MatmulOptions& options,
                     const MatmulGradients& gradients, const Context& context) {
  const auto& [d_a, d_b] = gradients;
  const bool ta = options.transpose_a, tb = options.transpose_b;
  detail::check_stack(a, kCall, "a");
  detail::check_stack(b, kCall, "b");
  detail::check_stack(d_out, kCall, "d_out");
  const Message why{"a is ", a.shape, ", b is ", b.shape};
  const auto size = [](const AnyView<const float>& of, bool is_last) {
    return of.shape[of.shape.rank - (is_last ? 1 : 2)];
  };
  const Index rows = size(a, ta), depth = size(a, !ta);
  const Index cols = size(b, !tb), b_depth = size(b, tb);
  if (depth != b_depth) {
    fail(kCall, "b", {"depth ", b_depth, " does not match a's depth ", depth, "; ", why});
  }
  const AnyShape axes = broadcast_axes(a.shape, b.shape, kCall);
  check_shape(d_out, detail::stack_shape(axes, rows, cols), kCall, "d_out", why);
  if (!std::isfinite(options.alpha)) {
    fail(kCall, "alpha", {"must be finite, is ", options.alpha});
  }
  const auto check_written = [&](const AnyView<float>& d, const AnyView<const float>& of,
                                 const char* name) {
    if (!d.data) return;
    check_shape(d, of.shape, kCall, name, why);
    for (const AnyView<const float>* read : {&d_out, &a, &b})
      check_no_overlap(d, *read, kCall, name);
  };
  check_written(d_a, a, "d_a");
  check_written(d_b, b, "d_b");
  check_no_overlap(d_b, d_a, kCall, "d_b");

  if (d_a.data && !ta) {
    multiply({d_out, false}, {b, !tb}, options.alpha, d_a, axes, context);
  } else if (d_a.data) {
    multiply({b, tb}, {d_out, true}, options.alpha, d_a, axes, context);
  }
  if (d_b.data && !tb) {
    multiply({a, !ta}, {d_out, false}, options.alpha, d_b, axes, context);
  } else if (d_b.data) {
    multiply({d_out, true}, {a, ta}, options.alpha, d_b, axes, context);
  }
}

}  // namespace tril
