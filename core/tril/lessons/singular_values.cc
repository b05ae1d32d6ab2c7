#include <tril/foundation/check.h>
#include <tril/lessons/singular_values.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

// Written here, since every build of the core has this call, and not every one has Eigen.
namespace tril {
namespace {

using Numbers = std::vector<double>;

// A reflection I - factor v v^T that takes x to (norm, 0, 0, ...) or its negative; v replaces x.
struct Reflection {
  double factor;  // 0: x is that already
  double norm;    // with its sign
};

// Squares below this have lost digits, and what is divided by them overflows. Floats are far above:
// what is so small is what rounding has left of nothing.
constexpr double kNothing =
    std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();

// x has `count` elements, `step` apart.
Reflection reflect(double* x, Index count, Index step) noexcept {
  double squares = 0;
  for (Index i = 0; i < count; ++i) squares += x[i * step] * x[i * step];
  const double norm = x[0] > 0 ? -std::sqrt(squares) : std::sqrt(squares);
  if (squares < kNothing) return {0, 0};
  x[0] -= norm;  // of two numbers of different signs: nothing cancels
  return {-1 / (norm * x[0]), norm};
}

// The diagonal and what stands right of it, d_0, e_0, d_1, e_1, ..., d_n-1, of a bidiagonal matrix
// with the singular values of a [rows, cols], rows >= cols, which is overwritten (Golub and Kahan
// 1965):
//
// for each column k:  reflect the part of column k from row k on to d_k;  the same to the columns
//                     right of it
//                     reflect the part of row k right of the diagonal to e_k;  the same to the rows
//                     below it
Numbers bidiagonal(Numbers a, Index rows, Index cols) {
  const auto at = [&](Index i, Index j) { return a.data() + i * cols + j; };
  Numbers result(static_cast<std::size_t>(2 * cols - 1)), sums(static_cast<std::size_t>(cols));
  for (Index k = 0; k < cols; ++k) {
    const Index right = cols - k - 1;
    const Reflection column = reflect(at(k, k), rows - k, cols);
    result[static_cast<std::size_t>(2 * k)] = column.norm;
    if (right == 0) break;
    // sums = factor v^T A;  A -= v sums
    std::fill_n(sums.data(), right, 0.0);
    for (Index i = k; i < rows; ++i) {
      const double v = column.factor * *at(i, k);
      for (Index j = 0; j < right; ++j) sums[static_cast<std::size_t>(j)] += v * at(i, k + 1)[j];
    }
    for (Index i = k; i < rows; ++i) {
      const double v = *at(i, k);
      for (Index j = 0; j < right; ++j) at(i, k + 1)[j] -= v * sums[static_cast<std::size_t>(j)];
    }
    const double* const row = at(k, k + 1);
    const Reflection across = reflect(at(k, k + 1), right, 1);
    result[static_cast<std::size_t>(2 * k + 1)] = across.norm;
    for (Index i = k + 1; i < rows; ++i) {
      double* const below = at(i, k + 1);
      double sum = 0;
      for (Index j = 0; j < right; ++j) sum += row[j] * below[j];
      for (Index j = 0; j < right; ++j) below[j] -= across.factor * sum * row[j];
    }
  }
  return result;
}

// The number of singular values of a bidiagonal matrix below x > 0. They and their negatives are
// the eigenvalues of the symmetric tridiagonal matrix with zeros on its diagonal and `beside`
// beside it. The number of these below x is that of negative pivots of the matrix shifted by x
// (Sylvester).
Index count_below(const Numbers& beside, double x, double smallest_pivot) noexcept {
  const Index values = static_cast<Index>(beside.size() + 1) / 2;
  double pivot = -x;
  Index negative = 1;
  for (const double each : beside) {
    if (std::fabs(pivot) < smallest_pivot) pivot = -smallest_pivot;
    pivot = -x - each * each / pivot;
    negative += pivot < 0;
  }
  return negative - values;
}

}  // namespace

void singular_values(MatrixView<const float> x, VectorView<float> out) {
  check_view(x, "singular_values", "x");
  const Index count = std::min(x.size(0), x.size(1)), length = std::max(x.size(0), x.size(1));
  check_shape(out, {count}, "singular_values", "out", {"x is ", x});
  check_no_overlap(out, x, "singular_values", "out");

  // x, or its transpose, which has the same, with the longer axis down.
  const bool transposed = x.size(0) < x.size(1);
  Numbers matrix(static_cast<std::size_t>(length * count));
  bool finite = true;
  for (Index i = 0; i < length; ++i) {
    for (Index j = 0; j < count; ++j) {
      const float value = transposed ? x[j][i] : x[i][j];
      finite = finite && std::isfinite(value);
      matrix[static_cast<std::size_t>(i * count + j)] = static_cast<double>(value);
    }
  }
  if (!finite) {
    std::fill_n(out.data(), count, std::numeric_limits<float>::quiet_NaN());
    return;
  }
  const Numbers beside = bidiagonal(std::move(matrix), length, count);

  // No eigenvalue is larger than the largest sum of a row (Gershgorin).
  double bound = 0, before = 0;
  for (const double each : beside) {
    bound = std::max(bound, before + std::fabs(each));
    before = std::fabs(each);
  }
  bound = std::max(bound, before);
  // for each value, the largest first:  halve an interval that holds it, until its ends are one
  // number in float, or it is so small that the bidiagonal matrix does not say more about it
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double smallest = std::numeric_limits<double>::min() * std::max(1.0, bound * bound);
  double high = bound * (1 + 4 * kEpsilon * static_cast<double>(beside.size()));
  for (Index i = 0; i < count; ++i) {
    double low = 0;
    while (high - low > 0x1p-32 * high && high > bound * kEpsilon / 16) {
      const double middle = (low + high) / 2;
      (count_below(beside, middle, smallest) >= count - i ? high : low) = middle;
    }
    out[i] = static_cast<float>((low + high) / 2);
  }
}

}  // namespace tril
