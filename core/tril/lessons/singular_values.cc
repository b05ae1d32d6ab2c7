#include <tril/foundation/check.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/lessons/singular_values.h>

#include <algorithm>
#include <cmath>
#include <limits>

#ifdef TRIL_HAS_EIGEN
#include <Eigen/Eigenvalues>
#include <Eigen/Householder>
#endif

namespace tril {
namespace {

constexpr const char* kCall = "singular_values";

#ifdef TRIL_HAS_EIGEN

// The singular values of a finite x [length, count], length >= count, which is overwritten.
void find_values(Eigen::MatrixXd& x, VectorView<float> out) {
  const Eigen::Index count = x.cols();
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(2 * count, 2 * count);
  // x = Q R; R has the same singular values.
  Eigen::VectorXd factors(count), row(count);
  Eigen::internal::householder_qr_inplace_unblocked(x, factors, row.data());
  // The eigenvalues of [0 R^T; R 0] are the singular values of R and their negatives, in ascending
  // order. Eigen reads the lower triangle only.
  both.bottomLeftCorner(count, count).triangularView<Eigen::Upper>() = x.topRows(count);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(both, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) fail(kCall, "x", "has singular values that are not found");
  for (Eigen::Index i = 0; i < count; ++i) {
    out[i] = static_cast<float>(std::max(0.0, solver.eigenvalues()[2 * count - 1 - i]));
  }
}

#endif

}  // namespace

void singular_values(MatrixView<const float> x, VectorView<float> out) {
  check_view(x, kCall, "x");
  const Index count = std::min(x.size(0), x.size(1));
  check_shape(out, {count}, kCall, "out", {"x is ", x});
  check_no_overlap(out, x, kCall, "out");
#ifdef TRIL_HAS_EIGEN
  if (count == 0) return;
  // x, or its transpose, which has the same values, with the longer axis down.
  const bool is_transposed = x.size(0) < x.size(1);
  const Index length = std::max(x.size(0), x.size(1));
  const double numbers = static_cast<double>(length) + 8 * static_cast<double>(count);
  const double bytes = sizeof(double) * static_cast<double>(count) * numbers;
  detail::with_memory(kCall, "working memory takes", bytes, [&] {
    Eigen::MatrixXd matrix(length, count);
    for (Index i = 0; i < length; ++i) {
      for (Index j = 0; j < count; ++j) {
        matrix(i, j) = static_cast<double>(is_transposed ? x[j][i] : x[i][j]);
      }
    }
    if (matrix.allFinite()) {
      find_values(matrix, out);
    } else {
      std::fill_n(out.data(), count, std::numeric_limits<float>::quiet_NaN());
    }
  });
#else
  fail(kCall, "x", "has singular values that Eigen finds, and Tril was built without Eigen");
#endif
}

}  // namespace tril
