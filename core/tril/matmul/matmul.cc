#include <tril/foundation/check.h>
#include <tril/matmul/eigen_kernels.h>
#include <tril/matmul/matmul.h>
#include <tril/matmul/method.h>
#include <tril/matmul/strassen.h>

#include <cmath>

namespace tril {
namespace {

template <typename T>
void check(const MatrixView<const float>& a, const MatrixView<const float>& b,
           const MatmulOptions& options, const MatrixView<T>& out, const char* call) {
  check_view(a, call, "a", Empty::allowed);
  check_view(b, call, "b", Empty::allowed);
  const Index a_depth = a.size(options.transpose_a ? 0 : 1);
  const Index b_depth = b.size(options.transpose_b ? 1 : 0);
  const auto transposed = [](bool is) { return is ? " transposed" : ""; };
  const Message why{"a is ",   a, transposed(options.transpose_a),
                    ", b is ", b, transposed(options.transpose_b)};
  if (a_depth != b_depth) {
    fail(call, "b", {"depth ", b_depth, " does not match a's depth ", a_depth, "; ", why});
  }
  const Index rows = a.size(options.transpose_a ? 1 : 0);
  const Index cols = b.size(options.transpose_b ? 0 : 1);
  check_shape(out, {rows, cols}, call, "out", why);
  check_no_overlap(out, a, call, "out");
  check_no_overlap(out, b, call, "out");
  if (!std::isfinite(options.alpha)) {
    fail(call, "alpha", {"must be finite, is ", options.alpha});
  }
  detail::check_levels(options.method, options.levels, call);
}

}  // namespace

detail::Product detail::checked_product(const MatrixView<const float>& a,
                                        const MatrixView<const float>& b,
                                        const MatmulOptions& options, const MatrixView<float>& out,
                                        const char* call) {
  check(a, b, options, out, call);
  if (name_of(kMatmulMethods, options.method).empty()) {
    fail(call, "method", {"there is no method number ", static_cast<int>(options.method)});
  }
  if (options.method == MatmulMethod::eigen && !eigen_kernels().multiply) {
    fail(call, "method", "Tril was built without Eigen, so there is no \"eigen\"");
  }
  return product_of(a, b, options, out);
}

detail::Product detail::product_of(const MatrixView<const float>& a,
                                   const MatrixView<const float>& b, const MatmulOptions& options,
                                   const MatrixView<float>& out) noexcept {
  return {.rows = out.size(0),
          .cols = out.size(1),
          .depth = a.size(options.transpose_a ? 0 : 1),
          .a = operand(a, options.transpose_a),
          .b = operand(b, options.transpose_b),
          .out = out.data(),
          .out_stride = out.stride(0),
          .alpha = options.alpha,
          .accumulate = options.accumulate,
          .levels = options.levels};
}

void matmul(MatrixView<const float> a, MatrixView<const float> b, const MatmulOptions& options,
            MatrixView<float> out, const Context& context) {
  const detail::ProductBatch only = detail::checked_product(a, b, options, out, "matmul");
  detail::run_method(options.method, only, context);
}

// for each i, j:  out[i, j] = alpha * sum over k of a[i, k] * b[k, j]  (+ out[i, j])
//
// The product of two floats is exact in double (24 + 24 <= 53 bits); only sums round.
void matmul_reference(MatrixView<const float> a, MatrixView<const float> b,
                      const MatmulOptions& options, MatrixView<double> out) {
  check(a, b, options, out, "matmul_reference");
  const detail::Operand left = detail::operand(a, options.transpose_a);
  const detail::Operand right = detail::operand(b, options.transpose_b);
  const Index depth = a.size(options.transpose_a ? 0 : 1);
  for (Index i = 0; i < out.size(0); ++i) {
    for (Index j = 0; j < out.size(1); ++j) {
      double sum = 0;
      for (Index k = 0; k < depth; ++k) sum += static_cast<double>(left(i, k)) * right(k, j);
      double& element = out[i][j];
      element = options.alpha * sum + (options.accumulate ? element : 0.0);
    }
  }
}

}  // namespace tril
