// Cross-entropy and mean squared error: the values against plain doubles, the gradients against the
// complex step through the definition.
//
// With u = 2^-24 and sums in blocks of 1024 elements, in at least four partial sums: the sum of the
// exponentials is off by k = 256 + 8 roundings and two of each e^x, so its logarithm by (k + 2) u,
// the loss by that and the rounding of its parts (4 u of the largest logit); the gradient by
// (k + 6) u of the share p, and 3 u of the smoothing and of the target's 1.
#include <gtest/gtest.h>
#include <tril/layers/cross_entropy.h>
#include <tril/layers/mean_squared_error.h>

#include <limits>
#include <string>

#include "core/compare.h"
#include "core/golden.h"
#include "core/gradient.h"

namespace tril {
namespace {

using testing::Complex;
using testing::elements;
using testing::equal;
using testing::error_of;
using testing::gradient_of;
using testing::kRounding;
using testing::uniform;
using testing::Values;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <typename Scalar>
Scalar loss_reference(const Values<Scalar>& x, const std::vector<std::int32_t>& targets,
                      const CrossEntropyOptions& options) {
  const std::size_t classes = x.size() / targets.size();
  Scalar sum = 0;
  double counted = 0;
  for (std::size_t n = 0; n < targets.size(); ++n) {
    if (targets[n] == options.ignore) continue;
    ++counted;
    Scalar powers = 0, mean = 0;
    for (std::size_t v = 0; v < classes; ++v) {
      powers += std::exp(x[n * classes + v]);
      mean += x[n * classes + v] / static_cast<double>(classes);
    }
    const Scalar right = x[n * classes + static_cast<std::size_t>(targets[n])];
    const double s = options.label_smoothing;
    sum += std::log(powers) - (1 - s) * right - s * mean;
  }
  return options.reduction == Reduction::mean && counted > 0 ? sum / counted : sum;
}

struct Batch {
  Buffer<float, 2> logits, d_logits;
  Buffer<std::int32_t, 1> targets;
  std::vector<std::int32_t> list;

  Batch(Index rows, Index classes, std::int32_t ignore, std::uint64_t seed)
      : logits({rows, classes}), d_logits({rows, classes}), targets({rows}) {
    Random random(seed);
    for (Index i = 0; i < rows * classes; ++i) logits.data()[i] = 6 * random.uniform() - 3;
    for (Index n = 0; n < rows; ++n) {
      const auto target =
          static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(classes)));
      targets.data()[n] = n % 5 == 3 ? ignore : target;
      list.push_back(targets.data()[n]);
    }
  }
};

void check(Index rows, Index classes, const CrossEntropyOptions& options) {
  SCOPED_TRACE(shape_text<2>({rows, classes}) + ", smoothing " +
               std::to_string(options.label_smoothing));
  Batch batch(rows, classes, options.ignore, 101);
  const CrossEntropyResult result =
      cross_entropy(batch.logits, batch.targets, options, batch.d_logits);
  const Values<double> x = elements(batch.logits);
  const double expected = loss_reference(x, batch.list, options);
  Index counted = 0, correct = 0;
  for (std::size_t n = 0; n < batch.list.size(); ++n) {
    if (batch.list[n] == options.ignore) continue;
    ++counted;
    const auto row = x.begin() + static_cast<std::ptrdiff_t>(n * static_cast<std::size_t>(classes));
    const auto largest = std::max_element(row, row + classes);  // the first of several equal ones
    if (largest - row == batch.list[n]) ++correct;
  }
  EXPECT_EQ(result.counted, counted);
  EXPECT_EQ(result.correct, correct);
  const double k = 256 + 8;
  const double terms = options.reduction == Reduction::sum ? static_cast<double>(counted) : 1;
  EXPECT_NEAR(result.loss, expected, kRounding * terms * (k + 2 + 4 * 3));
  const Values<double> gradient = gradient_of(
      [&](const Values<Complex>& z) { return loss_reference(z, batch.list, options); }, x);
  const Values<double> actual = elements(batch.d_logits);
  const double divisor =
      options.reduction == Reduction::mean && counted > 0 ? static_cast<double>(counted) : 1;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    ASSERT_NEAR(actual[i], gradient[i] * options.gradient_scale,
                kRounding * (k + 12) * std::fabs(options.gradient_scale) / divisor)
        << i;
  }
}

TEST(CrossEntropy, AgreesWithItsDefinitionAndTheComplexStep) {
  for (const Reduction reduction : {Reduction::mean, Reduction::sum}) {
    for (const double smoothing : {0.0, 0.1, 1.0}) {
      CrossEntropyOptions options{.reduction = reduction, .label_smoothing = smoothing};
      check(1, 1, options);
      check(4, 3, options);
      check(7, 16, options);
      check(18, 65, options);
      options.ignore = -1;
      options.gradient_scale = 0.25;
      check(20, 33, options);
      if (smoothing == 0.1) check(3, 1500, options);  // more than a block of 1024
    }
  }
}

TEST(CrossEntropy, TakesThePlaceOfTheLogitsWithTheSameBits) {
  Batch batch(70, 129, -100, 102);
  Scratch scratch;
  Parallel one(1), three(3);
  const CrossEntropyResult apart =
      cross_entropy(batch.logits, batch.targets, {}, batch.d_logits, {scratch, one});
  const CrossEntropyResult without =
      cross_entropy(batch.logits, batch.targets, {}, {}, {scratch, three});
  const CrossEntropyResult inside =
      cross_entropy(batch.logits, batch.targets, {}, batch.logits, {scratch, three});
  EXPECT_EQ(apart.loss, inside.loss);
  EXPECT_EQ(apart.loss, without.loss);
  EXPECT_TRUE(equal(batch.d_logits, batch.logits));
}

TEST(CrossEntropy, IsStableForLargeLogitsAndKnowsNoShareOfMinusInfinity) {
  Buffer<float, 2> logits({1, 3}), d_logits({1, 3});
  Buffer<std::int32_t, 1> targets({1});
  logits.data()[0] = 1e30f;
  logits.data()[1] = -1e30f;
  logits.data()[2] = -kInfinity;
  const CrossEntropyResult right = cross_entropy(logits, targets, {}, d_logits);
  EXPECT_EQ(right.loss, 0);
  EXPECT_EQ(right.correct, 1);
  for (Index v = 0; v < 3; ++v) EXPECT_EQ(d_logits.data()[v], 0);
  targets.data()[0] = 1;
  const CrossEntropyResult wrong = cross_entropy(logits, targets, {}, d_logits);
  EXPECT_NEAR(wrong.loss, 2e30, 2e30 * 4 * kRounding);
  EXPECT_EQ(wrong.correct, 0);
  EXPECT_EQ(d_logits.data()[0], 1);
  EXPECT_EQ(d_logits.data()[1], -1);
  EXPECT_EQ(d_logits.data()[2], 0);
}

TEST(CrossEntropy, OfNoTargetsIsZeroWithZeroGradient) {
  Batch batch(3, 4, -100, 103);
  for (Index n = 0; n < 3; ++n) batch.targets.data()[n] = -100;
  std::fill_n(batch.d_logits.data(), 12, 7.0f);
  const CrossEntropyResult result = cross_entropy(batch.logits, batch.targets, {}, batch.d_logits);
  EXPECT_EQ(result.loss, 0);
  EXPECT_EQ(result.counted, 0);
  EXPECT_EQ(testing::max_abs(batch.d_logits.view()), 0);
}

TEST(CrossEntropy, RejectsWhatDoesNotFitAndWritesNothing) {
  Batch batch(3, 4, -100, 104);
  Buffer<std::int32_t, 1> two({2});
  const auto message = [&](const CrossEntropyOptions& options) {
    return error_of([&] { cross_entropy(batch.logits, batch.targets, options, batch.d_logits); });
  };
  EXPECT_EQ(error_of([&] { cross_entropy(batch.logits, two, {}, {}); }),
            "cross_entropy: targets: shape must be [3], is [2]; logits is [3, 4]");
  EXPECT_EQ(message({.label_smoothing = 1.5}),
            "cross_entropy: label_smoothing: must be from 0 to 1, is 1.5");
  EXPECT_NE(message({.gradient_scale = kInfinity}).find("gradient_scale: must be finite"),
            std::string::npos);
  batch.targets.data()[2] = 4;
  EXPECT_EQ(message({}), "cross_entropy: targets: 4 at 2 is none of the 4 classes");
  batch.targets.data()[2] = -1;
  EXPECT_EQ(message({}), "cross_entropy: targets: -1 at 2 is none of the 4 classes");
  EXPECT_EQ(testing::max_abs(batch.d_logits.view()), 0);
  batch.targets.data()[2] = 0;
  cross_entropy(batch.logits, batch.targets, {}, batch.d_logits);
  EXPECT_NE(testing::max_abs(batch.d_logits.view()), 0);
}

TEST(MeanSquaredError, AgreesWithItsDefinitionAndTheComplexStep) {
  Scratch scratch;
  for (const Shape<2>& shape : {Shape<2>{1, 1}, Shape<2>{3, 17}, Shape<2>{50, 9}}) {
    for (const Reduction reduction : {Reduction::mean, Reduction::sum}) {
      Random random(105);
      Parallel parallel(2);
      Buffer<float, 2> x = uniform<2>(shape, random), d_x(shape);
      const Buffer<float, 2> y = uniform<2>(shape, random);
      const Values<double> at = elements(x), to = elements(y);
      const double divisor =
          reduction == Reduction::mean ? static_cast<double>(x.view().count()) : 1;
      const auto reference = [&](const auto& z) {
        auto sum = z[0] * 0.0;
        for (std::size_t i = 0; i < to.size(); ++i) sum += (z[i] - to[i]) * (z[i] - to[i]);
        return sum / divisor;
      };
      const double loss = mean_squared_error(x, y, reduction, d_x, {scratch, parallel});
      EXPECT_NEAR(loss, reference(at), kRounding * (256 + 8) * reference(at));
      const Values<double> expected = gradient_of(reference, at);
      testing::expect_within(
          expected, d_x, [&](std::size_t i) { return 4 * kRounding * std::fabs(expected[i]); },
          "d_x");
      EXPECT_EQ(mean_squared_error(x, y, reduction, x, {scratch, parallel}), loss);
      EXPECT_TRUE(equal(d_x, x));
    }
  }
}

TEST(MeanSquaredError, IsRightWhereSquaresLeaveTheRangeOfFloat) {
  for (const float size : {1e-44f, 1e-30f, 1e19f, 1e38f}) {
    Random random(106);
    Buffer<float, 2> x = uniform<2>({3, 1100}, random), y = uniform<2>({3, 1100}, random);
    double squares = 0;
    for (Index i = 0; i < x.view().count(); ++i) {
      x.data()[i] *= size, y.data()[i] *= size;
      const double difference = static_cast<double>(x.data()[i]) - static_cast<double>(y.data()[i]);
      squares += difference * difference;
    }
    const double loss = mean_squared_error(x, y, Reduction::sum, x);
    // Differences are rounded once each, like elements.
    EXPECT_NEAR(loss, squares, (256 + 10) * kRounding * squares) << size;
  }
}

TEST(MeanSquaredError, RejectsWhatDoesNotFitAndWritesNothing) {
  Buffer<float, 2> x({2, 3}), y({2, 3}), wide({2, 4}), d_x({2, 3});
  d_x.data()[0] = 7;
  EXPECT_EQ(error_of([&] { mean_squared_error(x, wide, {}, d_x); }),
            "mean_squared_error: y: shape must be [2, 3], is [2, 4]; x is [2, 3]");
  EXPECT_NE(
      error_of([&] { mean_squared_error(x, y, static_cast<Reduction>(2), d_x); }).find("reduction"),
      std::string::npos);
  EXPECT_EQ(d_x.data()[0], 7);
  EXPECT_EQ(mean_squared_error(x, y, Reduction::mean, d_x), 0);
  EXPECT_EQ(d_x.data()[0], 0);
}

}  // namespace
}  // namespace tril
