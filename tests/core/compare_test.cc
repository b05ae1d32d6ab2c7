// The comparison of two tensors against numbers computed by hand, and the statistics of one tensor.
#include "core/compare.h"

#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/compare.h>
#include <tril/foundation/random.h>
#include <tril/foundation/statistics.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace tril {
namespace {

using testing::error_of;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <std::size_t Count>
VectorView<const float> view(const std::array<float, Count>& values) {
  return {values.data(), {static_cast<Index>(Count)}};
}

TEST(Compare, GivesNormsAndTheWorstElement) {
  const std::array<float, 4> expected = {1, -2, 0, 8}, actual = {1, -5, 0, 12};
  const Difference d = compare(view(expected), view(actual), {.absolute = 3.5});
  EXPECT_EQ(d.count, 4);
  EXPECT_EQ(d.frobenius, 5);  // 3, 4
  EXPECT_EQ(d.expected_norm, std::sqrt(69.0));
  EXPECT_EQ(d.relative, 5 / std::sqrt(69.0));
  EXPECT_EQ(d.max_absolute, 4);
  EXPECT_EQ(d.max_relative, 1.5);  // 3 of 2
  EXPECT_EQ(d.worst, 3);
  EXPECT_EQ(d.worst_relative, 0.5);  // 4 of 8
  EXPECT_EQ(d.beyond, 1);
  EXPECT_EQ(compare(view(expected), view(actual), {.relative = 0.5}).beyond, 1);
  EXPECT_EQ(compare(view(expected), view(actual), {.absolute = 3, .relative = 0.125}).beyond, 0);
  EXPECT_EQ(compare(view(expected), view(actual)).beyond, 2);
}

TEST(Compare, TakesEqualTensorsForEqual) {
  const std::array<float, 4> x = {0, kNan, kInfinity, -kInfinity};
  const Difference d = compare(view(x), view(x));
  EXPECT_EQ(d.frobenius, 0);
  EXPECT_EQ(d.relative, 0);
  EXPECT_EQ(d.max_relative, 0);
  EXPECT_EQ(d.worst_relative, 0);
  EXPECT_EQ(d.beyond, 0);
  EXPECT_EQ(d.worst, 0);
}

TEST(Compare, IsInfinitelyFarWhereOneIsNotFinite) {
  for (const auto& [a, b] : {std::pair{kNan, 1.0f},
                             {1.0f, kNan},
                             {kInfinity, -kInfinity},
                             {kInfinity, 3.0f},
                             {3.0f, kInfinity}}) {
    const std::array<float, 2> expected = {1, a}, actual = {1.5f, b};
    const Difference d = compare(view(expected), view(actual), {.absolute = 1, .relative = 1});
    EXPECT_EQ(d.frobenius, HUGE_VAL) << a << b;
    EXPECT_EQ(d.max_absolute, HUGE_VAL);
    EXPECT_EQ(d.max_relative, HUGE_VAL);
    EXPECT_EQ(d.relative, HUGE_VAL);
    EXPECT_EQ(d.worst, 1);
    EXPECT_EQ(d.worst_relative, HUGE_VAL);
    EXPECT_EQ(d.beyond, 1);
  }
  const std::array<float, 1> zero = {0}, one = {1};
  EXPECT_EQ(compare(view(zero), view(one)).max_relative, HUGE_VAL);
  EXPECT_EQ(compare(view(zero), view(one)).worst_relative, HUGE_VAL);
  EXPECT_EQ(compare(view(zero), view(one)).relative, HUGE_VAL);
  EXPECT_EQ(compare(view(zero), view(one)).max_absolute, 1);
}

TEST(Compare, AddsUpInDouble) {
  // In float, 2^24 + 1 + 1 + ... stays 2^24.
  Buffer<float, 1> expected({1 << 12}), actual({1 << 12});
  for (Index i = 0; i < 1 << 12; ++i) actual.view()[i] = i == 0 ? 4096.0f : 1.0f;
  const VectorView<const float> ones = actual, zeros = expected;
  EXPECT_EQ(compare(zeros, ones).frobenius, std::sqrt(16777216.0 + 4095));
}

TEST(Compare, RejectsWhatDoesNotFit) {
  const std::array<float, 2> two = {1, 2};
  const std::array<float, 3> three = {1, 2, 3};
  EXPECT_EQ(error_of([&] { compare(view(two), view(three)); }),
            "compare: actual: shape must be [2], is [3]; expected is [2]");
  EXPECT_NE(error_of([&] { compare({}, view(two)); }).find("compare: expected: no tensor"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              compare(view(two), view(two), {.absolute = -1});
            }).find("compare: absolute: must be finite and at least 0"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              compare(view(two), view(two), {.relative = std::nan("")});
            }).find("compare: relative"),
            std::string::npos);
}

TEST(Statistics, AreThoseOfTheDefinition) {
  const std::array<float, 4> x = {2, 4, 4, 10};
  const Statistics s = statistics(view(x));
  EXPECT_EQ(s.mean, 5);
  EXPECT_EQ(s.variance, 9);  // 9 1 1 25
  EXPECT_EQ(s.smallest, 2);
  EXPECT_EQ(s.largest, 10);
  // A mean much larger than the distances from it: one pass over squares would lose all digits.
  const std::array<float, 2> far = {8388608, 8388609};
  EXPECT_EQ(statistics(view(far)).variance, 0.25);
}

TEST(Statistics, OfNormalNumbersAreThoseOfTheDistribution) {
  constexpr Index kCount = 100000;
  Buffer<float, 1> x({kCount});
  Random random(1);
  fill_normal(x.view(), random);
  const Statistics s = statistics(VectorView<const float>(x));
  // Five standard deviations of the mean, 1 / sqrt(n), and of the variance, sqrt(2 / n).
  EXPECT_LE(std::fabs(s.mean), 5 / std::sqrt(kCount));
  EXPECT_LE(std::fabs(s.variance - 1), 5 * std::sqrt(2.0 / kCount));
}

TEST(Growth, IsThePowerThatNumbersGrowWith) {
  const std::array<float, 4> x = {1, 2, 4, 16};
  std::array<float, 4> cubes, roots;
  for (std::size_t i = 0; i < 4; ++i) cubes[i] = 5 * x[i] * x[i] * x[i], roots[i] = 3 / x[i];
  // Slopes of logarithms, each within an epsilon of the largest of them.
  constexpr double kBound = 16 * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(growth(view(x), view(cubes)), 3, 3 * kBound);
  const std::array<double, 2> two = {10, 1000}, same = {7, 7};
  const auto doubles = [](const std::array<double, 2>& of) {
    return VectorView<const double>(of.data(), {2});
  };
  EXPECT_EQ(growth(doubles(two), doubles(same)), 0);
  // Computed by hand: log2 x = 0, 1, 2 and log2 y = 0, 0, 3 have the slope 3 / 2.
  const std::array<float, 3> a = {1, 2, 4}, b = {1, 1, 8};
  EXPECT_NEAR(growth(view(a), view(b)), 1.5, 3 * kBound);
}

TEST(Growth, RejectsWhatHasNone) {
  const std::array<float, 2> x = {1, 2}, same = {2, 2}, zero = {0, 1}, none = {1, kNan};
  const std::array<float, 3> three = {1, 2, 3};
  EXPECT_EQ(error_of([&] { growth(view(same), view(x)); }),
            "growth: x: must have two different elements");
  EXPECT_EQ(error_of([&] { growth(view(x), view(zero)); }),
            "growth: y: must be finite and above 0, is 0");
  EXPECT_NE(error_of([&] { growth(view(x), view(none)); }).find("growth: y: must be finite"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { growth(view(x), view(three)); }),
            "growth: y: shape must be [2], is [3]; x is [2]");
  EXPECT_NE(error_of([&] { growth({}, view(x)); }).find("growth: x: no tensor"), std::string::npos);
}

TEST(Statistics, SayWhereANumberIsNone) {
  const std::array<float, 3> x = {1, kNan, 3};
  for (const auto& part : {x, std::array<float, 3>{kNan, 1, 2}}) {
    const Statistics s = statistics(view(part));
    EXPECT_TRUE(std::isnan(s.mean) && std::isnan(s.variance));
    EXPECT_TRUE(std::isnan(s.smallest) && std::isnan(s.largest));
  }
  const std::array<float, 2> infinite = {-kInfinity, kInfinity};
  EXPECT_EQ(statistics(view(infinite)).smallest, -kInfinity);
  EXPECT_EQ(statistics(view(infinite)).largest, kInfinity);
  EXPECT_NE(
      error_of([] { statistics(VectorView<const float>()); }).find("statistics: x: no tensor"),
      std::string::npos);
}

}  // namespace
}  // namespace tril
