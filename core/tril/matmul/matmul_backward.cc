#include <tril/foundation/check.h>
#include <tril/matmul/matmul_backward.h>
#include <tril/matmul/method.h>
#include <tril/matmul/stacks.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace tril {
namespace {

constexpr const char* kCall = "matmul_backward";

// Calls body(at) for every position along the axes, the last one counting fastest.
using Position = MatrixStack<const float>::Axes;
template <typename Body>
void for_positions(const BatchAxes& axes, const Body& body) {
  Index count = 1;
  for (int axis = 0; axis < axes.rank; ++axis) count *= axes[axis];
  Position at{};
  for (Index n = 0; n < count; ++n) {
    body(at);
    for (int axis = axes.rank; axis-- > 0;) {
      Index& here = at[static_cast<std::size_t>(axis)];
      if (++here < axes[axis]) break;
      here = 0;
    }
  }
}

// A matrix of a stack at a position of the broadcast batch: axes that it has not, or has with size
// 1, are not looked at.
template <typename T>
MatrixView<T> matrix_at(const MatrixStack<T>& stack, const Position& at, int rank) noexcept {
  T* data = stack.first.data();
  for (int own = 0; own < stack.rank; ++own) {
    const auto i = static_cast<std::size_t>(own);
    const auto along = static_cast<std::size_t>(own + rank - stack.rank);
    if (stack.shape[i] > 1) data += at[along] * stack.strides[i];
  }
  return {data, stack.first.shape(), stack.first.strides()};
}

// A factor, transposed where it is said so.
struct Factor {
  const MatrixStack<const float>& stack;
  bool transposed;
};

// d = alpha left right, summed over the positions that share a matrix of d.
void multiply(const Factor& left, const Factor& right, float alpha, const MatrixStack<float>& d,
              const BatchAxes& axes, const Context& context) {
  MatmulOptions options{
      .transpose_a = left.transposed, .transpose_b = right.transposed, .alpha = alpha};
  if (detail::axes_of(d) == axes) {
    return detail::run_batched_matmul(left.stack, right.stack, options, d, context);
  }
  for_positions(detail::axes_of(d), [&](const Position& at) {
    const MatrixView<float> matrix = matrix_at(d, at, d.rank);
    for (Index row = 0; row < matrix.size(0); ++row) {
      std::fill_n(matrix[row].data(), matrix.size(1), 0.0f);
    }
  });
  options.accumulate = true;
  for_positions(axes, [&](const Position& at) {
    detail::run_matmul(matrix_at(left.stack, at, axes.rank), matrix_at(right.stack, at, axes.rank),
                       options, matrix_at(d, at, axes.rank), context);
  });
}

}  // namespace

void matmul_backward(const MatrixStack<const float>& d_out, const MatrixStack<const float>& a,
                     const MatrixStack<const float>& b, const MatmulOptions& options,
                     const MatmulGradients& gradients, const Context& context) {
  const auto& [d_a, d_b] = gradients;
  const bool ta = options.transpose_a, tb = options.transpose_b;
  detail::check_stack(a, kCall, "a");
  detail::check_stack(b, kCall, "b");
  detail::check_stack(d_out, kCall, "d_out");
  const AnyShape a_shape = detail::stack_shape(a), b_shape = detail::stack_shape(b);
  const Message why{"a is ", a_shape, ", b is ", b_shape};
  const Index rows = a.first.size(ta ? 1 : 0), depth = a.first.size(ta ? 0 : 1);
  const Index cols = b.first.size(tb ? 0 : 1), b_depth = b.first.size(tb ? 1 : 0);
  if (depth != b_depth) {
    fail(kCall, "b", {"depth ", b_depth, " does not match a's depth ", depth, "; ", why});
  }
  const BatchAxes axes = broadcast_axes(a, b, kCall);
  detail::check_stack_shape(d_out, axes, rows, cols, kCall, "d_out", why);
  if (!std::isfinite(options.alpha)) {
    fail(kCall, "alpha", {"must be finite, is ", options.alpha});
  }
  const auto check_written = [&](const MatrixStack<float>& d, const MatrixStack<const float>& of,
                                 const char* name) {
    if (!d.first) return;
    detail::check_stack(d, kCall, name);
    detail::check_stack_shape(d, detail::axes_of(of), of.first.size(0), of.first.size(1), kCall,
                              name, why);
    const AnyView<float> written = detail::as_view(d);
    check_view(written, kCall, name);
    for (const MatrixStack<const float>* read : {&d_out, &a, &b}) {
      check_no_overlap(written, detail::as_view(*read), kCall, name);
    }
  };
  check_written(d_a, a, "d_a");
  check_written(d_b, b, "d_b");
  if (d_a.first && d_b.first) {
    check_no_overlap(detail::as_view(d_b), detail::as_view(d_a), kCall, "d_b");
  }

  if (d_a.first && !ta) {
    multiply({d_out, false}, {b, !tb}, options.alpha, d_a, axes, context);
  } else if (d_a.first) {
    multiply({b, tb}, {d_out, true}, options.alpha, d_a, axes, context);
  }
  if (d_b.first && !tb) {
    multiply({a, !ta}, {d_out, false}, options.alpha, d_b, axes, context);
  } else if (d_b.first) {
    multiply({d_out, true}, {a, ta}, options.alpha, d_b, axes, context);
  }
}

}  // namespace tril
