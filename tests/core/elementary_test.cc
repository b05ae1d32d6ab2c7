// exp, log, sine and cosine against the C library's in long double.
#include <gtest/gtest.h>
#include <tril/foundation/elementary.h>
#include <tril/foundation/random.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tril {
namespace {

// The distance of `actual` from the exact value in units in the last place of the latter. Where
// long double is double (WebAssembly has 113 bits, x86 64), one such unit is the reference's own
// error.
double ulps(long double exact, double actual) {
  const double nearest = static_cast<double>(exact);
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - 53, -1074));
  return static_cast<double>(std::fabs(exact - static_cast<long double>(actual)) / unit);
}

// Numbers of every size and sign between -`most` and `most`, dense near 0 and 1.
std::vector<double> numbers(double most) {
  std::vector<double> all = {0, 1, 0.5, 2, most};
  Random random(5);
  for (int i = 0; i < 4000; ++i) {
    const double part = random.uniform() + random.uniform() * 0x1p-24;
    all.push_back(part * most);
    all.push_back(part);
    all.push_back(std::exp2(part * -40));
    all.push_back(1 + std::exp2(part * -40));
    all.push_back(1 - std::exp2(part * -40));
  }
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) all.push_back(-all[i]);
  return all;
}

TEST(Elementary, ExponentialIsWithinTwoUnits) {
  double worst = 0;
  for (const double x : numbers(708)) {
    worst = std::max(worst, ulps(std::exp(static_cast<long double>(x)), exponential(x)));
  }
  RecordProperty("exponential_ulps", std::to_string(worst));
  EXPECT_LE(worst, 2);
}

TEST(Elementary, ExponentialEndsInZeroAndInfinity) {
  EXPECT_EQ(exponential(0), 1);
  EXPECT_EQ(exponential(710), std::numeric_limits<double>::infinity());
  EXPECT_EQ(exponential(-1e300), 0);
  EXPECT_EQ(exponential(1e300), std::numeric_limits<double>::infinity());
  // Subnormal: two units in the last place as if exponents were unlimited, and then one rounding,
  // also of the expected number if long double is double.
  const long double rounding =
      std::numeric_limits<long double>::digits > 53 ? 0x1p-1075L : 0x1p-1074L;
  for (double x = -708; x > -746; x -= 0.25) {
    const long double exact = std::exp(static_cast<long double>(x));
    const long double error = std::fabs(static_cast<long double>(exponential(x)) - exact);
    EXPECT_LE(error, 0x1p-51L * exact + rounding) << x;
  }
}

TEST(Elementary, LogarithmIsWithinThreeUnits) {
  double worst = 0;
  for (const double x : numbers(1e300)) {
    if (x <= 0) continue;
    worst = std::max(worst, ulps(std::log(static_cast<long double>(x)), logarithm(x)));
  }
  EXPECT_LE(ulps(std::log(static_cast<long double>(5e-324)), logarithm(5e-324)), 3);
  RecordProperty("logarithm_ulps", std::to_string(worst));
  EXPECT_LE(worst, 3);
  EXPECT_EQ(logarithm(1), 0);
}

TEST(Elementary, SineAndCosineAreWithinTheBoundUpToTheLargestAngle) {
  double worst = 0;
  std::vector<double> angles = numbers(kLargestAngle);
  for (int n = -2000; n <= 2000; ++n) {  // where one of them is almost 0
    angles.push_back(n * 1.5707963267948966);
    angles.push_back(std::nextafter(n * 1.5707963267948966, 0));
  }
  for (const double x : angles) {
    const SineAndCosine both = sine_and_cosine(x);
    const auto exact = static_cast<long double>(x);
    worst = std::max(worst, static_cast<double>(
                                std::fabs(std::sin(exact) - static_cast<long double>(both.sine))));
    worst = std::max(worst, static_cast<double>(std::fabs(std::cos(exact) -
                                                          static_cast<long double>(both.cosine))));
  }
  RecordProperty("sine_cosine_error", std::to_string(worst * 0x1p53));
  EXPECT_LE(worst, 0x1p-52);
  EXPECT_EQ(sine_and_cosine(0).sine, 0);
  EXPECT_EQ(sine_and_cosine(0).cosine, 1);
}

}  // namespace
}  // namespace tril
