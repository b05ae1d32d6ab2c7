#include <tril/foundation/elementary.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace tril {
namespace {

// ln 2 and pi / 2 in parts. A part with few bits times a whole number is exact.
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kHalfPi[] = {0x1.921fbp+0, 0x1.5110bp-22, 0x1.18469898cc517p-44};
constexpr double kLog2E = 0x1.71547652b82fep+0, kTwoOverPi = 0x1.45f306dc9c883p-1;

// 1 / k!
constexpr auto kInverseFactorials = [] {
  std::array<double, 18> inverses{};
  double factorial = 1;
  for (std::size_t k = 0; k < inverses.size(); ++k) {
    if (k > 0) factorial *= static_cast<double>(k);  // exact up to 18!
    inverses[k] = 1 / factorial;
  }
  return inverses;
}();

// 1 / (2 k + 1)
constexpr auto kInverseOdds = [] {
  std::array<double, 11> inverses{};
  for (std::size_t k = 0; k < inverses.size(); ++k) {
    inverses[k] = 1 / static_cast<double>(2 * k + 1);
  }
  return inverses;
}();

// The sum of x^k coefficients[first + k step], k = 0, 1, ..., up to the end of the coefficients.
double series(double x, std::span<const double> coefficients, std::size_t first,
              std::size_t step) noexcept {
  double sum = 0;
  for (std::size_t k = (coefficients.size() - 1 - first) / step + 1; k-- > 0;) {
    sum = sum * x + coefficients[first + k * step];
  }
  return sum;
}

}  // namespace

double exponential(double x) noexcept {
  if (x > 710) return HUGE_VAL;
  if (x < -746) return 0;
  const double n = std::nearbyint(x * kLog2E);
  const double r = x - n * kLn2High - n * kLn2Low;
  return std::ldexp(series(r, std::span(kInverseFactorials).first(14), 0, 1), static_cast<int>(n));
}

double logarithm(double x) noexcept {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) m *= 2, --exponent;
  const double s = (m - 1) / (m + 1), square = s * s;
  const double rest = square * series(square, kInverseOdds, 1, 1);  // artanh(s) = s + s rest
  return exponent * kLn2High + (2 * s + (2 * s * rest + exponent * kLn2Low));
}

SineAndCosine sine_and_cosine(double angle) noexcept {
  const double n = std::nearbyint(angle * kTwoOverPi);
  const double r = ((angle - n * kHalfPi[0]) - n * kHalfPi[1]) - n * kHalfPi[2], square = -r * r;
  const double sine = r * series(square, kInverseFactorials, 1, 2);
  const double cosine = series(square, kInverseFactorials, 0, 2);
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
