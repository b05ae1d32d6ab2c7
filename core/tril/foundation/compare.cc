#include <tril/foundation/check.h>
#include <tril/foundation/compare.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tril {
namespace {

constexpr const char* kCall = "compare";

double distance(double expected, double actual) noexcept {
  if (expected == actual || (std::isnan(expected) && std::isnan(actual))) return 0;
  const double difference = std::fabs(actual - expected);
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

void check_tolerance(double tolerance, const char* name) {
  if (std::isfinite(tolerance) && tolerance >= 0) return;
  fail(kCall, name, {"must be finite and at least 0, is ", tolerance});
}

template <typename T>
Difference compare_elements(VectorView<const T> expected, VectorView<const T> actual,
                            const Tolerance& tolerance) {
  check_view(expected, kCall, "expected", Empty::allowed);
  check_shape(actual, expected.shape(), kCall, "actual", {"expected is ", expected});
  check_tolerance(tolerance.absolute, "absolute");
  check_tolerance(tolerance.relative, "relative");

  Difference result;
  result.count = expected.count();
  double squares = 0, expected_squares = 0;
  for (Index i = 0; i < result.count; ++i) {
    const double wanted = expected[i], size = std::fabs(wanted), off = distance(wanted, actual[i]);
    squares += off * off;
    expected_squares += wanted * wanted;
    if (off == 0) continue;
    // Written so that a NaN among the expected elements does not pass.
    if (!(off <= tolerance.absolute + tolerance.relative * size) || std::isinf(off)) {
      ++result.beyond;
    }
    const double relative = std::isfinite(size) ? off / size : off;
    result.max_relative = std::max(result.max_relative, relative);
    if (off > result.max_absolute) {
      result.max_absolute = off;
      result.worst = i;
      result.worst_relative = relative;
    }
  }
  result.frobenius = std::sqrt(squares);
  result.expected_norm = std::sqrt(expected_squares);
  if (result.frobenius > 0) {
    result.relative = std::isfinite(result.expected_norm) ? result.frobenius / result.expected_norm
                                                          : result.frobenius;
  }
  return result;
}

}  // namespace

Difference compare(VectorView<const float> expected, VectorView<const float> actual,
                   const Tolerance& tolerance) {
  return compare_elements(expected, actual, tolerance);
}

Difference compare(VectorView<const double> expected, VectorView<const double> actual,
                   const Tolerance& tolerance) {
  return compare_elements(expected, actual, tolerance);
}

}  // namespace tril
