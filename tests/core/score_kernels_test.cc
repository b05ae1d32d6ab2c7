// The kernels on rows of scores against double, for every instruction set.
#include <gtest/gtest.h>
#include <tril/attention/score_kernels.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(ScoreKernels, CapIsTanh) {
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    std::vector<float> x;
    for (int i = -400; i <= 400; ++i) x.push_back(std::ldexp(1.1f, i / 8) * (i % 2 ? 1.0f : -1.0f));
    x.insert(x.end(), {0.0f, -0.0f, kInfinity, -kInfinity, 1e-40f, -1.05f, 1.0499f});
    for (const float limit : {1.0f, 3.0f, 50.0f}) {
      std::vector<float> y = x;
      score_kernels(isa).cap(x.data(), y.data(), static_cast<Index>(y.size()), limit);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double exact = limit * std::tanh(static_cast<double>(x[i]) / limit);
        // x / limit takes two roundings, tanh at most three ulp, the product one; a tiny quotient
        // is a multiple of 2^-149.
        EXPECT_NEAR(y[i], exact, 4 * testing::kEpsilon * std::fabs(exact) + limit * 0x1p-149)
            << x[i];
      }
    }
    float nan = std::nanf("");
    score_kernels(isa).cap(&nan, &nan, 1, 1.0f);
    EXPECT_TRUE(std::isnan(nan));
  }
}

TEST(ScoreKernels, EluPlusOneIsAlwaysPositive) {
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    std::vector<float> x;
    for (int i = -80; i <= 80; ++i) x.push_back(1.01f * static_cast<float>(i));
    std::vector<float> y(x.size());
    score_kernels(isa).elu_plus_one(x.data(), y.data(), static_cast<Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact =
          x[i] > 0 ? static_cast<double>(x[i]) + 1 : std::exp(static_cast<double>(x[i]));
      EXPECT_NEAR(y[i], exact, testing::kEpsilon * exact);
      EXPECT_GT(y[i], 0.0f);
    }
    float special[] = {-kInfinity, kInfinity, std::nanf(""), 0.0f};
    score_kernels(isa).elu_plus_one(special, special, 4);
    EXPECT_EQ(special[0], 0.0f);
    EXPECT_EQ(special[1], kInfinity);
    EXPECT_TRUE(std::isnan(special[2]));
    EXPECT_EQ(special[3], 1.0f);
  }
}

TEST(ScoreKernels, OnlineSoftmaxKeepsMaximumAndSum) {
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    SoftmaxState state{-kInfinity, 0.0f};
    std::vector<float> hidden(5, -kInfinity), x = {1.0f, 3.0f, -2.0f}, y = {2.0f, 5.0f};
    const auto softmax = [&](std::vector<float>& row) {
      return score_kernels(isa).online_softmax(row.data(), row.data(),
                                               static_cast<Index>(row.size()), state);
    };
    EXPECT_EQ(softmax(hidden), 1.0f);  // no key visible, nothing to scale
    EXPECT_EQ(hidden, std::vector<float>(5, 0.0f));
    EXPECT_EQ(state.maximum, -kInfinity);
    EXPECT_EQ(state.sum, 0.0f);
    EXPECT_EQ(softmax(x), 0.0f);  // earlier sums do not matter
    EXPECT_EQ(state.maximum, 3.0f);
    EXPECT_NEAR(state.sum, 1 + std::exp(-2.0) + std::exp(-5.0), 3 * testing::kEpsilon);
    EXPECT_NEAR(softmax(y), std::exp(-2.0), testing::kEpsilon);
    EXPECT_EQ(state.maximum, 5.0f);
    EXPECT_NEAR(state.sum, 1 + std::exp(-3.0) + std::exp(-2.0) + std::exp(-4.0) + std::exp(-7.0),
                4 * testing::kEpsilon);
    std::vector<float> nan = {0.0f, std::nanf("")};
    softmax(nan);
    EXPECT_TRUE(std::isnan(state.sum));
  }
}

}  // namespace
}  // namespace tril
