#include <tril/foundation/elementary.h>
#include <tril/layers/power.h>

#include <cmath>
#include <limits>

namespace tril::detail {
namespace {

// Relative error at most 2 exponent 2^-53: below 2^-42. A result outside the range of double is
// outside the range of float, too.
double whole_power(double x, int exponent) noexcept {
  double result = 1;
  for (int rest = exponent < 0 ? -exponent : exponent; rest > 0; rest /= 2) {
    if (rest % 2 != 0) result *= x;
    x *= x;
  }
  return exponent < 0 ? 1 / result : result;
}

// e^(y log size), y not 0. |y log size| < 2^10 where the result is in the range of double; the
// logarithm's error of 3 ulp becomes 2^-41 of the result.
double power_of_size(double size, double y) noexcept {
  if (size == 1) return 1;
  if (size == 0 || std::isinf(size) || std::isinf(y)) {
    const bool grows = (size > 1) == (y > 0);
    return grows ? std::numeric_limits<double>::infinity() : 0;
  }
  return exponential(y * logarithm(size));
}

}  // namespace

double power(double x, double y) noexcept {
  const bool is_whole = std::trunc(y) == y;  // infinities, too
  if (is_whole && std::fabs(y) <= 1024) return whole_power(x, static_cast<int>(y));
  if (x == 1) return 1;
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  if (x < 0 && !is_whole && !std::isinf(x)) return std::numeric_limits<double>::quiet_NaN();
  const double size = power_of_size(std::fabs(x), y);
  const bool is_odd = is_whole && !std::isinf(y) && std::fmod(y, 2) != 0;
  return is_odd && std::signbit(x) ? -size : size;
}

void power_row(RowInput x, RowInput y, float* out, Index count) noexcept {
  for (Index i = 0; i < count; ++i) {
    out[i] =
        static_cast<float>(power(static_cast<double>(*x.at(i)), static_cast<double>(*y.at(i))));
  }
}

}  // namespace tril::detail
