#include <tril/foundation/check.h>
#include <tril/lessons/strassen_level.h>
#include <tril/matmul/product.h>
#include <tril/matmul/strassen.h>

namespace tril {

namespace {

constexpr const char* kCall = "strassen_level";

template <typename T>
MatrixView<T> quarter(const MatrixView<T>& matrix, Index q) {
  const Index rows = matrix.size(0) / 2, cols = matrix.size(1) / 2;
  return {matrix.data() + q / 2 * rows * matrix.stride(0) + q % 2 * cols,
          {rows, cols},
          matrix.strides()};
}

// sum += sign * part
void add(const MatrixView<float>& sum, int sign, const MatrixView<const float>& part) {
  for (Index i = 0; i < sum.size(0); ++i) {
    for (Index j = 0; j < sum.size(1); ++j) sum[i][j] += static_cast<float>(sign) * part[i][j];
  }
}

void clear(const MatrixView<float>& matrix) {
  for (Index i = 0; i < matrix.size(0); ++i) {
    for (Index j = 0; j < matrix.size(1); ++j) matrix[i][j] = 0;
  }
}

// sum = the sum of signs[q] * matrix's quarters
void combine(const std::array<int, 4>& signs, const MatrixView<const float>& matrix,
             const MatrixView<float>& sum) {
  clear(sum);
  for (Index q = 0; q < 4; ++q) {
    const int sign = signs[static_cast<std::size_t>(q)];
    if (sign != 0) add(sum, sign, quarter(matrix, q));
  }
}

void check_part(const TensorView<float, 3>& part, Index rows, Index cols, const char* name,
                const MatrixView<const float>& a, const MatrixView<const float>& b) {
  check_shape(part, Shape<3>{7, rows, cols}, kCall, name, {"a is ", a, ", b is ", b});
  check_no_overlap(part, a, kCall, name);
  check_no_overlap(part, b, kCall, name);
}

}  // namespace

void strassen_level(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out,
                    const StrassenLevelTrace& trace) {
  detail::checked_product(a, b, {}, out, kCall);
  const Index rows = a.size(0), depth = a.size(1), cols = b.size(1);
  if (rows % 2 != 0 || depth % 2 != 0 || cols % 2 != 0) {
    fail(kCall, "b", {"every axis must be even; a is ", a, ", b is ", b});
  }
  check_part(trace.left, rows / 2, depth / 2, "left", a, b);
  check_part(trace.right, depth / 2, cols / 2, "right", a, b);
  check_part(trace.products, rows / 2, cols / 2, "products", a, b);

  clear(out);
  for (Index p = 0; p < 7; ++p) {
    const StrassenProduct& signs = kStrassenProducts[static_cast<std::size_t>(p)];
    const MatrixView<float> left = trace.left[p], right = trace.right[p],
                            product = trace.products[p];
    combine(signs.a, a, left);
    combine(signs.b, b, right);
    clear(product);
    for (Index i = 0; i < rows / 2; ++i) {
      for (Index j = 0; j < cols / 2; ++j) {
        for (Index k = 0; k < depth / 2; ++k) product[i][j] += left[i][k] * right[k][j];
      }
    }
    for (Index q = 0; q < 4; ++q) {
      const int sign = signs.out[static_cast<std::size_t>(q)];
      if (sign != 0) add(quarter(out, q), sign, product);
    }
  }
}

}  // namespace tril
