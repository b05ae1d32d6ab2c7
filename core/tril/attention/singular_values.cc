#include <tril/attention/singular_values.h>
#include <tril/foundation/check.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tril {

void singular_values(MatrixView<const float> x, VectorView<float> out) {
  check_view(x, "singular_values", "x");
  const Index rows = x.size(0), cols = x.size(1), count = std::min(rows, cols);
  check_shape(out, {count}, "singular_values", "out", [&] { return "x is " + shape_text(x); });
  check_apart(out, x, "singular_values", "out");

  Eigen::MatrixXd matrix(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) matrix(i, j) = static_cast<double>(x[i][j]);
  }
  if (!matrix.allFinite()) {
    std::fill_n(out.data(), count, std::numeric_limits<float>::quiet_NaN());
    return;
  }
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(matrix);
  for (Index i = 0; i < count; ++i) out[i] = static_cast<float>(svd.singularValues()[i]);
}

}  // namespace tril
