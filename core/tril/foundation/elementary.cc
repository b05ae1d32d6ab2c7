#include <tril/foundation/elementary.h>

#include <cmath>

namespace tril {
namespace {

// ln 2 and pi / 2 in parts. A part with few bits times a whole number is exact.
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kHalfPi[] = {0x1.921fbp+0, 0x1.5110bp-22, 0x1.18469898cc517p-44};
constexpr double kLog2E = 0x1.71547652b82fep+0, kTwoOverPi = 0x1.45f306dc9c883p-1;

// The sum of x^k / ((first + 1) (first + 2) ... (first + k step)) over k = 0 .. terms - 1, from the
// last term on.
double factorial_series(double x, int first, int step, int terms) noexcept {
  double sum = 1;
  for (int k = terms - 1; k > 0; --k) {
    double divisor = 1;
    for (int i = 1; i <= step; ++i) divisor *= first + (k - 1) * step + i;
    sum = 1 + sum * x / divisor;
  }
  return sum;
}

}  // namespace

double exponential(double x) noexcept {
  if (x > 710) return HUGE_VAL;
  if (x < -746) return 0;
  const double n = std::nearbyint(x * kLog2E);
  const double r = x - n * kLn2High - n * kLn2Low;
  return std::ldexp(factorial_series(r, 0, 1, 14), static_cast<int>(n));
}

double logarithm(double x) noexcept {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) m *= 2, --exponent;
  const double s = (m - 1) / (m + 1), square = s * s;
  double rest = 0;  // artanh(s) = s + s rest
  for (int k = 10; k > 0; --k) rest = (rest + 1.0 / (2 * k + 1)) * square;
  return exponent * kLn2High + (2 * s + (2 * s * rest + exponent * kLn2Low));
}

SineAndCosine sine_and_cosine(double angle) noexcept {
  const double n = std::nearbyint(angle * kTwoOverPi);
  const double r = ((angle - n * kHalfPi[0]) - n * kHalfPi[1]) - n * kHalfPi[2], square = -r * r;
  const double sine = r * factorial_series(square, 1, 2, 9);
  const double cosine = factorial_series(square, 0, 2, 9);
  switch (static_cast<unsigned>(static_cast<long long>(n)) % 4) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

}  // namespace tril
