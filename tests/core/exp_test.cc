// exp against the double's value over the whole range, for every instruction set of this machine.
#include <gtest/gtest.h>
#include <tril/foundation/exp_kernels.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tril {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The distance of `actual` from the exact value, in units in the last place of the nearest float.
double ulps(double exact, float actual) {
  const float nearest = static_cast<float>(exact);
  const double ulp =
      std::max<double>(static_cast<double>(std::nextafter(nearest, kInfinity)) - nearest, 0x1p-149);
  return std::fabs(exact - actual) / ulp;
}

// Every `step`-th float between two of the same sign, the second further from zero.
std::vector<float> floats(float from, float to, std::uint32_t step) {
  std::vector<float> values;
  const auto first = std::bit_cast<std::uint32_t>(from), last = std::bit_cast<std::uint32_t>(to);
  for (std::uint32_t bits = first; bits <= last; bits += step) {
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

using Function = void (*)(const float*, float*, Index) noexcept;

double worst_ulps(Function function, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  function(x.data(), y.data(), static_cast<Index>(x.size()));
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, ulps(std::exp(static_cast<double>(x[i])), y[i]));
  }
  return worst;
}

TEST(Exp, IsWithinOneUlpEverywhere) {
  const std::vector<float> negative = floats(-1e-9f, -103.9f, 251);
  const std::vector<float> normal = floats(-1e-9f, -87.3f, 251);
  const std::vector<float> positive = floats(1e-9f, 88.7f, 251);
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    const ExpKernels& kernels = exp_kernels(isa);
    const double full =
        std::max(worst_ulps(kernels.exp, negative), worst_ulps(kernels.exp, positive));
    const double nonpositive = worst_ulps(kernels.exp_nonpositive, normal);
    RecordProperty(std::string("exp_ulps_") + isa_name(isa), std::to_string(full));
    RecordProperty(std::string("exp_nonpositive_ulps_") + isa_name(isa),
                   std::to_string(nonpositive));
    EXPECT_LE(full, 1.0);
    EXPECT_LE(nonpositive, 1.0);
  }
}

TEST(Exp, IsExactWhereItMustBe) {
  const std::vector<float> x = {0.0f,     -0.0f,   -kInfinity, kInfinity, kNaN,
                                -1000.0f, 1000.0f, 88.73f,     -104.0f};
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    std::vector<float> y(x.size());
    exp_kernels(isa).exp(x.data(), y.data(), static_cast<Index>(x.size()));
    EXPECT_EQ(y[0], 1.0f);
    EXPECT_EQ(y[1], 1.0f);
    EXPECT_EQ(y[2], 0.0f);
    EXPECT_EQ(y[3], kInfinity);
    EXPECT_TRUE(std::isnan(y[4]));
    EXPECT_EQ(y[5], 0.0f);
    EXPECT_EQ(y[6], kInfinity);
    EXPECT_EQ(y[7], kInfinity);
    EXPECT_EQ(y[8], 0.0f);
  }
}

TEST(Exp, NonpositiveFlushesWhatIsTooSmall) {
  const std::vector<float> x = {0.0f, -kInfinity, kNaN, -87.7f, -87.6f, -1000.0f, -3.0e38f};
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    std::vector<float> y(x.size());
    exp_kernels(isa).exp_nonpositive(x.data(), y.data(), static_cast<Index>(x.size()));
    EXPECT_EQ(y[0], 1.0f);
    EXPECT_EQ(y[1], 0.0f);
    EXPECT_TRUE(std::isnan(y[2]));
    EXPECT_EQ(y[3], 0.0f);
    EXPECT_NEAR(y[4], std::exp(static_cast<double>(-87.6f)), 0x1p-149);
    EXPECT_EQ(y[5], 0.0f);
    EXPECT_EQ(y[6], 0.0f);
  }
}

TEST(Exp, WritesNothingBeyondTheEnd) {
  for (const Isa isa : available_isas()) {
    for (Index count = 0; count <= 40; ++count) {
      std::vector<float> y(static_cast<std::size_t>(count) + 8, -7.0f);
      const std::vector<float> x(static_cast<std::size_t>(count), -1.0f);
      exp_kernels(isa).exp(x.data(), y.data(), count);
      for (Index i = 0; i < count; ++i)
        ASSERT_NEAR(y[static_cast<std::size_t>(i)], 0.36787944, 3e-8);
      for (std::size_t i = static_cast<std::size_t>(count); i < y.size(); ++i)
        ASSERT_EQ(y[i], -7.0f);
    }
  }
}

}  // namespace
}  // namespace tril
