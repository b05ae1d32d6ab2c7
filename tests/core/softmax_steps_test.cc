// Softmax step by step: the result of each form, the failures of the plain one, and the
// concentration of weights.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/layers/softmax.h>
#include <tril/lessons/softmax_steps.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "core/compare.h"

namespace tril {
namespace {

using testing::close;
using testing::error_of;
using testing::kEpsilon;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(SoftmaxSteps, FollowTheirFormula) {
  Buffer<float, 2> x({5, 9}), out(x.shape()), powers(x.shape()), usual(x.shape());
  Buffer<float, 1> shift({5}), sum({5});
  Random random(1);
  fill_normal(x.view(), random);
  softmax(x, {}, usual);
  for (const bool stable : {false, true}) {
    softmax_steps(x, stable, out, {shift, powers, sum});
    for (Index n = 0; n < 5; ++n) {
      const float* const row = x.view()[n].data();
      EXPECT_EQ(shift.view()[n], stable ? *std::max_element(row, row + 9) : 0.0f);
      double total = 0;
      for (Index c = 0; c < 9; ++c) {
        const double power = std::exp(static_cast<double>(row[c] - shift.view()[n]));
        // An ulp of exp, and half of one for rounding the difference, which is below 8.
        EXPECT_NEAR(powers.view()[n][c], power, 8 * kEpsilon * power);
        EXPECT_EQ(out.view()[n][c], powers.view()[n][c] / sum.view()[n]);
        total += power;
      }
      EXPECT_NEAR(sum.view()[n], total, 17 * kEpsilon * total);
    }
    EXPECT_TRUE(close(usual, out, 0, 40 * kEpsilon));
  }
}

TEST(SoftmaxSteps, OverflowAsWrittenAndNotWhenShifted) {
  std::array<float, 9> values = {100, 99, 0, -200, -201, -202, 1, kInfinity, 2};
  const MatrixView<const float> x(values.data(), {3, 3});
  Buffer<float, 2> out({3, 3}), powers({3, 3});
  Buffer<float, 1> sum({3});
  softmax_steps(x, false, out, {.powers = powers, .sum = sum});
  EXPECT_EQ(powers.view()[0][0], kInfinity);
  EXPECT_EQ(sum.view()[0], kInfinity);
  EXPECT_TRUE(std::isnan(out.view()[0][0]));
  EXPECT_EQ(out.view()[0][2], 0);
  EXPECT_EQ(sum.view()[1], 0);
  for (Index c = 0; c < 3; ++c) EXPECT_TRUE(std::isnan(out.view()[1][c]));
  softmax_steps(x, true, out);
  for (Index n = 0; n < 2; ++n) {
    const double e = std::exp(-1.0);
    const double third = n == 0 ? 0 : std::exp(-2.0);
    EXPECT_NEAR(out.view()[n][0], 1 / (1 + e + third), 8 * kEpsilon);
    EXPECT_NEAR(out.view()[n][1], e / (1 + e + third), 8 * kEpsilon);
  }
  EXPECT_TRUE(std::isnan(out.view()[2][1]));  // an infinite score has no finite form
}

TEST(SoftmaxSteps, GiveNothingWhereNothingIsSeen) {
  std::array<float, 2> hidden = {-kInfinity, -kInfinity};
  Buffer<float, 2> out({1, 2});
  softmax_steps({hidden.data(), {1, 2}}, true, out);
  EXPECT_EQ(out.view()[0][0], 0);
  softmax_steps({hidden.data(), {1, 2}}, false, out);
  EXPECT_TRUE(std::isnan(out.view()[0][0]));
}

TEST(SoftmaxSteps, RejectWhatDoesNotFit) {
  Buffer<float, 2> x({2, 3}), out({2, 3}), wrong({3, 2});
  Buffer<float, 1> three({3});
  EXPECT_EQ(error_of([&] { softmax_steps(x, true, wrong); }),
            "softmax_steps: out: shape must be [2, 3], is [3, 2]; x is [2, 3]");
  EXPECT_EQ(error_of([&] { softmax_steps(x, true, out, {.sum = three}); }),
            "softmax_steps: sum: shape must be [2], is [3]; x is [2, 3]");
  EXPECT_NE(error_of([&] { softmax_steps(x, true, x); }).find("shares memory"), std::string::npos);
  EXPECT_NE(error_of([&] { softmax_steps(x, true, out, {.powers = out}); }).find("powers: shares"),
            std::string::npos);
}

TEST(Concentration, IsTheEntropyAndTheLargestWeight) {
  std::array<float, 12> weights = {1, 0, 0, 0, 0.25f, 0.25f, 0.25f, 0.25f, 0.5f, 0.5f, 0, 0};
  Buffer<float, 1> entropy({3}), largest({3});
  concentration({weights.data(), {3, 4}}, entropy, largest);
  EXPECT_EQ(entropy.view()[0], 0);
  EXPECT_EQ(entropy.view()[1], static_cast<float>(std::log(4.0)));
  EXPECT_EQ(entropy.view()[2], static_cast<float>(std::log(2.0)));
  EXPECT_EQ(largest.view()[0], 1);
  EXPECT_EQ(largest.view()[1], 0.25f);
  EXPECT_EQ(largest.view()[2], 0.5f);
  EXPECT_EQ(error_of([&] {
              concentration({weights.data(), {4, 3}}, entropy, largest);
            }),
            "concentration: entropy: shape must be [4], is [3]; weights are [4, 3]");
}

}  // namespace
}  // namespace tril
