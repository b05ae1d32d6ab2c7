// The running average: by hand, equal results of three methods, and the effect of a wrong mask.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/lessons/running_average.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::close;
using testing::error_of;
using testing::kEpsilon;

class RunningAverage : public ::testing::Test {
 protected:
  void run(const Buffer<float, 3>& x, const RunningAverageOptions& options, Buffer<float, 3>& out,
           const RunningAverageTrace& trace = {}) {
    running_average(x, options, out, {scratch_, parallel_}, trace);
  }

  Scratch scratch_;
  Parallel parallel_{1};
};

Buffer<float, 3> tensor(const Shape<3>& shape, const std::vector<float>& values) {
  Buffer<float, 3> result(shape);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

constexpr AverageMethod kAll[] = {AverageMethod::loops, AverageMethod::matrix,
                                  AverageMethod::softmax};

TEST_F(RunningAverage, OfTheWorkedExample) {
  const Buffer<float, 3> x = tensor({1, 3, 2}, {2, 7, 6, 4, 6, 5});
  const std::vector<double> expected = {2, 7, 4, 5.5, 14.0 / 3, 16.0 / 3};
  const TensorView<const double, 3> wanted(expected.data(), {1, 3, 2});
  for (const AverageMethod method : kAll) {
    Buffer<float, 3> out({1, 3, 2});
    run(x, {.method = method}, out);
    EXPECT_TRUE(close(wanted, out, 2 * kEpsilon, 2 * kEpsilon));
  }
}

TEST_F(RunningAverage, AgreesInThreeWaysOverABatch) {
  const Index batch = 3, length = 37, width = 5;
  Buffer<float, 3> x({batch, length, width});
  Random random(11);
  fill_normal(x.view(), random);
  Buffer<double, 3> expected({batch, length, width});
  double largest = 0;
  for (Index b = 0; b < batch; ++b) {
    for (Index c = 0; c < width; ++c) {
      double sum = 0;
      for (Index t = 0; t < length; ++t) {
        sum += x.view()[b][t][c];
        expected.view()[b][t][c] = sum / static_cast<double>(t + 1);
        largest = std::max(largest, std::fabs(static_cast<double>(x.view()[b][t][c])));
      }
    }
  }
  for (const AverageMethod method : kAll) {
    Buffer<float, 3> out({batch, length, width});
    run(x, {.method = method}, out);
    // A sum of T terms, each at most largest / T: T roundings, and those of the weights.
    EXPECT_TRUE(close(expected, out, (length + 4) * kEpsilon * largest));
  }
}

TEST_F(RunningAverage, SumsExactlyInSmallIntegers) {
  const Buffer<float, 3> x = tensor({2, 3, 1}, {2, 4, 6, -1, 5, 7});
  const Buffer<float, 3> expected = tensor({2, 3, 1}, {2, 6, 12, -1, 4, 11});
  for (const AverageMethod method : {AverageMethod::loops, AverageMethod::matrix}) {
    Buffer<float, 3> out({2, 3, 1});
    run(x, {.method = method, .sum = true}, out);
    EXPECT_TRUE(testing::equal(expected, out));
  }
}

TEST_F(RunningAverage, ShowsItsWeights) {
  const Buffer<float, 3> x = tensor({1, 4, 1}, {1, 1, 1, 1});
  for (const AverageMethod method : {AverageMethod::matrix, AverageMethod::softmax}) {
    Buffer<float, 3> out({1, 4, 1});
    Buffer<float, 2> mask({4, 4}), weights({4, 4});
    run(x, {.method = method}, out, {mask, weights});
    const bool is_softmax = method == AverageMethod::softmax;
    for (Index t = 0; t < 4; ++t) {
      for (Index s = 0; s < 4; ++s) {
        const float hidden = is_softmax ? -std::numeric_limits<float>::infinity() : 0.0f;
        EXPECT_EQ(mask.view()[t][s], s <= t ? (is_softmax ? 0.0f : 1.0f) : hidden);
        const double weight = s <= t ? 1.0 / static_cast<double>(t + 1) : 0;
        EXPECT_NEAR(weights.view()[t][s], weight, 2 * kEpsilon);
        if (s > t) {
          EXPECT_EQ(weights.view()[t][s], 0.0f);
        }
      }
    }
  }
}

// Zeros instead of -inf hide nothing: e^0 is 1, so every moment gets as much of the future.
TEST_F(RunningAverage, LetsTheFutureInThroughZeros) {
  Buffer<float, 3> x = tensor({1, 4, 1}, {2, 4, 6, 8}), out({1, 4, 1});
  run(x, {.method = AverageMethod::softmax, .hidden = 0}, out);
  for (Index t = 0; t < 4; ++t) EXPECT_EQ(out.data()[t], 5.0f);
  const auto first_without_future = [&](float hidden) {
    run(x, {.method = AverageMethod::softmax, .hidden = hidden}, out);
    return out.data()[0];
  };
  EXPECT_GT(first_without_future(-5), 2.0f);
  EXPECT_EQ(first_without_future(-std::numeric_limits<float>::infinity()), 2.0f);
}

TEST_F(RunningAverage, DoesNotLookAhead) {
  Buffer<float, 3> x({1, 6, 2});
  Random random(2);
  fill_normal(x.view(), random);
  for (const AverageMethod method : kAll) {
    Buffer<float, 3> before({1, 6, 2}), after({1, 6, 2});
    run(x, {.method = method}, before);
    const float kept = x.view()[0][5][0];
    x.view()[0][5][0] = 1e6f;
    run(x, {.method = method}, after);
    x.view()[0][5][0] = kept;
    for (Index t = 0; t < 5; ++t) {
      for (Index c = 0; c < 2; ++c) EXPECT_EQ(before.view()[0][t][c], after.view()[0][t][c]);
    }
  }
}

// Not even NaN leaks from the future.
TEST_F(RunningAverage, NothingLeaksFromTheFuture) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const AverageMethod method : kAll) {
    for (const bool sum : {false, true}) {
      if (sum && method == AverageMethod::softmax) continue;
      for (const float garbage : {kNaN, kInfinity, -kInfinity}) {
        const Buffer<float, 3> x = tensor({2, 3, 2}, {1, 2, 3, garbage, 5, 6, 1, 2, 3, 4, 5, 6});
        Buffer<float, 3> out({2, 3, 2});
        run(x, {.method = method, .sum = sum, .hidden = -kInfinity}, out);
        EXPECT_EQ(out.view()[0][0][0], 1);
        EXPECT_EQ(out.view()[0][0][1], 2);
        EXPECT_EQ(out.view()[0][2][0], sum ? 9 : 3);
        EXPECT_FALSE(std::isfinite(out.view()[0][1][1]));
        EXPECT_FALSE(std::isfinite(out.view()[0][2][1]));
        EXPECT_EQ(out.view()[1][2][1], sum ? 12 : 4);
      }
    }
  }
}

// Their sum exceeds float's range, their average does not.
TEST_F(RunningAverage, OfHugeNumbersIsHuge) {
  const Buffer<float, 3> x = tensor({1, 3, 1}, {3e38f, 3e38f, -3e38f});
  for (const AverageMethod method : kAll) {
    Buffer<float, 3> out({1, 3, 1});
    run(x, {.method = method}, out);
    EXPECT_NEAR(out.view()[0][1][0] / 3e38f, 1, 4 * kEpsilon);
    EXPECT_NEAR(out.view()[0][2][0] / 3e38f, 1 / 3.0, 4 * kEpsilon);
  }
  Buffer<float, 3> out({1, 3, 1});
  run(x, {.sum = true}, out);
  EXPECT_TRUE(std::isinf(out.view()[0][1][0]));
}

TEST_F(RunningAverage, RejectsWhatDoesNotFit) {
  const Buffer<float, 3> x({1, 3, 2});
  Buffer<float, 3> out({1, 3, 2}), small({1, 2, 2});
  Buffer<float, 2> square({3, 3});
  EXPECT_EQ(error_of([&] { run(x, {}, small); }),
            "running_average: out: shape must be [1, 3, 2], is [1, 2, 2]; x is [1, 3, 2]");
  EXPECT_EQ(error_of([&] { run(x, {.method = AverageMethod::softmax, .sum = true}, out); }),
            "running_average: sum: softmax shares out one whole, so it cannot give sums");
  EXPECT_EQ(error_of([&] { run(x, {.hidden = std::numeric_limits<float>::quiet_NaN()}, out); }),
            "running_average: hidden: must be finite or -inf, is nan");
  EXPECT_EQ(error_of([&] {
              run(x, {}, out, {square, {}});
            }),
            "running_average: mask: loops make no matrices");
}

}  // namespace
}  // namespace tril
