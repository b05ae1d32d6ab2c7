// The gradients of layer_norm and rms_norm against the complex step through the definitions.
//
// The reference has the kernel's inputs: x, and the mean and inverse deviation r from the forward
// pass, which have rounding errors. With u = 2^-24, m = max |x - mean| r / |z|, and
// k = C / 4 + 8 roundings for a sum of C terms in at least four partial sums:
//   z         off by zu = u (3 |z| + r |mean|): the mean, the difference and r are rounded
//   mean of g and g z    off by (k + 3) u of the mean of the magnitudes, and by zu
//   d_x       |error| <= u r ((8 |g| + (k + 8) (mean |g| + |z| mean |g z|)) (1 + r |mean|))
//   d_weight  N terms d_out z in ranges of at least 16 rows: u (n + 6) sum |d_out| (|z| + r |mean|)
// where n = rows of a range + number of ranges.
#include <gtest/gtest.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/rms_norm.h>

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
using testing::expect_within;
using testing::gradient_of;
using testing::kRounding;
using testing::uniform;
using testing::Values;

constexpr double kEps = 1e-5;

// All arguments of a norm as doubles, and the gradient of its output.
struct Case {
  Index rows, cols;
  bool centred;
  Values<double> x, weight, bias, d_out;

  template <typename Scalar>
  Scalar loss(const Values<Scalar>& at_x, const Values<Scalar>& at_weight,
              const Values<Scalar>& at_bias) const {
    Scalar sum = 0;
    const auto count = static_cast<double>(cols);
    for (Index n = 0; n < rows; ++n) {
      const auto* row = &at_x[static_cast<std::size_t>(n * cols)];
      const auto* d = &d_out[static_cast<std::size_t>(n * cols)];
      Scalar mean = 0, square = 0;
      for (Index c = 0; centred && c < cols; ++c) mean += row[c] / count;
      for (Index c = 0; c < cols; ++c) square += (row[c] - mean) * (row[c] - mean) / count;
      const Scalar scale = 1.0 / std::sqrt(square + kEps);
      for (Index c = 0; c < cols; ++c) {
        const auto i = static_cast<std::size_t>(c);
        sum += d[c] * ((row[c] - mean) * scale * at_weight[i] + at_bias[i]);
      }
    }
    return sum;
  }
};

Values<Complex> complex(const Values<double>& values) {
  return Values<Complex>(values.begin(), values.end());
}

struct Gradients {
  Values<double> x, weight, bias;
};
Gradients reference(const Case& c) {
  return {gradient_of([&](const auto& z) { return c.loss(z, complex(c.weight), complex(c.bias)); },
                      c.x),
          gradient_of([&](const auto& z) { return c.loss(complex(c.x), z, complex(c.bias)); },
                      c.weight),
          gradient_of([&](const auto& z) { return c.loss(complex(c.x), complex(c.weight), z); },
                      c.bias)};
}

void check(Index rows, Index cols, bool centred, bool weighted, float offset) {
  SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols) +
               (centred ? " centred" : " rms") + ", offset " + std::to_string(offset));
  Random random(93);
  Parallel parallel;
  Scratch scratch;
  Buffer<float, 2> x = uniform<2>({rows, cols}, random), out({rows, cols}), d_x({rows, cols});
  for (Index i = 0; i < rows * cols; ++i) x.data()[i] += offset;
  const Buffer<float, 2> d_out = uniform<2>({rows, cols}, random);
  Buffer<float, 1> weight = uniform<1>({cols}, random), mean({rows}), scale({rows});
  Buffer<float, 1> d_weight({cols}), d_bias({cols});
  std::fill_n(d_weight.data(), cols, 1.0f);  // results are added to these
  std::fill_n(d_bias.data(), cols, -1.0f);
  const VectorView<const float> given = weighted ? weight : VectorView<const float>();
  if (centred) {
    layer_norm(x, given, {}, {.eps = kEps}, out, parallel, {mean, scale});
    layer_norm_backward(d_out, x, given, mean, scale, {d_x, d_weight, d_bias}, {scratch, parallel});
  } else {
    rms_norm(x, given, {.eps = kEps}, out, parallel, scale);
    rms_norm_backward(d_out, x, given, scale, {d_x, d_weight}, {scratch, parallel});
  }

  Case c{rows, cols, centred, elements(x), elements(weight), Values<double>(), elements(d_out)};
  if (!weighted) c.weight.assign(c.weight.size(), 1.0);
  c.bias.assign(c.weight.size(), 0.0);
  const Gradients expected = reference(c);
  const double k = static_cast<double>(cols) / 4 + 8;
  Values<double> weight_bound(c.weight.size()), bias_bound(c.weight.size());
  Values<double> x_bound;
  const Index step = std::max<Index>(16, (rows + 15) / 16);
  const double n = static_cast<double>(step + (rows + step - 1) / step) + 6;
  for (Index row = 0; row < rows; ++row) {
    const double r = scale.view()[row], m = centred ? mean.view()[row] : 0.0;
    const double shift = 1 + r * std::fabs(m);
    double g_mean = 0, gz_mean = 0;
    const auto at = [&](Index col) { return static_cast<std::size_t>(row * cols + col); };
    const auto z = [&](Index col) { return std::fabs(c.x[at(col)] - m) * r; };
    const auto g = [&](Index col) {
      return std::fabs(c.d_out[at(col)] * c.weight[static_cast<std::size_t>(col)]);
    };
    for (Index col = 0; col < cols; ++col) {
      g_mean += g(col) / static_cast<double>(cols);
      gz_mean += g(col) * (z(col) + 1) / static_cast<double>(cols);
    }
    for (Index col = 0; col < cols; ++col) {
      const auto i = static_cast<std::size_t>(col);
      x_bound.push_back(kRounding * r * shift *
                        (8 * g(col) + (k + 8) * (g_mean + (z(col) + 1) * gz_mean)));
      const double d = std::fabs(c.d_out[at(col)]);
      weight_bound[i] += kRounding * n * d * (z(col) + shift);
      bias_bound[i] += kRounding * n * d;
    }
  }
  const auto added = [](Values<double> values, double start) {
    for (double& value : values) value += start;
    return values;
  };
  expect_within(
      expected.x, d_x, [&](std::size_t i) { return x_bound[i]; }, "d_x");
  expect_within(
      added(expected.weight, 1), d_weight,
      [&](std::size_t i) { return weight_bound[i] + n * kRounding; }, "d_weight");
  if (centred) {
    expect_within(
        added(expected.bias, -1), d_bias,
        [&](std::size_t i) { return bias_bound[i] + n * kRounding; }, "d_bias");
  }
}

TEST(NormsBackward, AgreeWithTheComplexStep) {
  for (const bool centred : {true, false}) {
    for (const bool weighted : {true, false}) {
      check(1, 1, centred, weighted, 0);
      check(3, 5, centred, weighted, 0);
      check(2, 16, centred, weighted, 1);
      check(5, 33, centred, weighted, -3);
      check(40, 7, centred, weighted, 0.5f);
    }
  }
}

TEST(NormsBackward, DoNotDependOnThreadsAndMayWriteInPlace) {
  Random random(94);
  const Buffer<float, 2> x = uniform<2>({300, 65}, random), d_out = uniform<2>({300, 65}, random);
  const Buffer<float, 1> weight = uniform<1>({65}, random);
  Buffer<float, 2> out({300, 65}), first({300, 65}), second({300, 65});
  Buffer<float, 1> mean({300}), scale({300}), d_weight({65}), d_bias({65}), again({65}), bias({65});
  Scratch scratch;
  Parallel one(1), three(3);
  layer_norm(x, weight, {}, {}, out, one, {mean, scale});
  layer_norm_backward(d_out, x, weight, mean, scale, {first, d_weight, d_bias}, {scratch, one});
  std::copy_n(d_out.data(), d_out.view().count(), second.data());
  layer_norm_backward(second, x, weight, mean, scale, {second, again, bias}, {scratch, three});
  EXPECT_TRUE(equal(first, second));
  EXPECT_TRUE(equal(d_weight, again));
  EXPECT_TRUE(equal(d_bias, bias));
}

TEST(NormsBackward, ComputeOnlyWhatIsAskedFor) {
  Random random(95);
  const Buffer<float, 2> x = uniform<2>({9, 21}, random), d_out = uniform<2>({9, 21}, random);
  Buffer<float, 2> out({9, 21}), all({9, 21}), alone({9, 21});
  Buffer<float, 1> mean({9}), scale({9}), d_weight({21}), d_bias({21}), only({21});
  Scratch scratch;
  Parallel parallel;
  layer_norm(x, {}, {}, {}, out, parallel, {mean, scale});
  layer_norm_backward(d_out, x, {}, mean, scale, {all, d_weight, d_bias}, {scratch, parallel});
  layer_norm_backward(d_out, x, {}, mean, scale, {.d_x = alone}, {scratch, parallel});
  EXPECT_TRUE(equal(all, alone));
  layer_norm_backward(d_out, x, {}, mean, scale, {.d_weight = only}, {scratch, parallel});
  EXPECT_TRUE(equal(d_weight, only));
  layer_norm_backward(d_out, x, {}, mean, scale, {}, {scratch, parallel});
}

// Without eps, norms of 2^k x equal those of x, and gradients are 2^-k times theirs: to the last
// digit, even if squares leave the range of float.
TEST(NormsBackward, PowersOfTwoChangeNoDigit) {
  Random random(97);
  Scratch scratch;
  Parallel parallel;
  const Buffer<float, 2> x = uniform<2>({5, 37}, random), d_out = uniform<2>({5, 37}, random);
  const Buffer<float, 1> weight = uniform<1>({37}, random);
  for (const bool centred : {false, true}) {
    const auto run = [&](int power) {
      Buffer<float, 2> scaled({5, 37}), out({5, 37}), d_x({5, 37});
      Buffer<float, 1> mean({5}), rstd({5}), d_weight({37}), d_bias({37});
      for (Index i = 0; i < 5 * 37; ++i) scaled.data()[i] = std::ldexp(x.data()[i], power);
      if (centred) {
        layer_norm(scaled, weight, {}, {.eps = 0}, out, parallel, {mean, rstd});
        layer_norm_backward(d_out, scaled, weight, mean, rstd, {d_x, d_weight, d_bias},
                            {scratch, parallel});
      } else {
        rms_norm(scaled, weight, {.eps = 0}, out, parallel, rstd);
        rms_norm_backward(d_out, scaled, weight, rstd, {d_x, d_weight}, {scratch, parallel});
      }
      for (Index i = 0; i < 5 * 37; ++i) d_x.data()[i] = std::ldexp(d_x.data()[i], power);
      Values<double> all = elements(out);
      for (const Values<double>& each : {elements(d_x), elements(d_weight), elements(d_bias)}) {
        all.insert(all.end(), each.begin(), each.end());
      }
      return all;
    };
    const Values<double> expected = run(0);
    for (const int power : {-90, -70, 60, 70, 105}) EXPECT_EQ(run(power), expected) << power;
  }
}

TEST(NormsBackward, RejectWhatDoesNotFitAndWriteNothing) {
  Buffer<float, 2> x({2, 3}), d_out({2, 3}), d_x({2, 3}), wide({2, 4});
  Buffer<float, 1> two({2}), three({3}), sums({3});
  std::fill_n(d_out.data(), 6, 1.0f);
  d_x.data()[0] = 7;
  const auto message = [&](MatrixView<const float> gradient, VectorView<const float> mean,
                           const LayerNormGradients& gradients) {
    return error_of([&] { layer_norm_backward(gradient, x, {}, mean, two, gradients); });
  };
  EXPECT_EQ(message(wide, two, {d_x}),
            "layer_norm_backward: d_out: shape must be [2, 3], is [2, 4]; x is [2, 3]");
  EXPECT_EQ(message(d_out, {}, {d_x}), "layer_norm_backward: mean: no tensor given");
  EXPECT_EQ(message(d_out, two, {d_x, two}),
            "layer_norm_backward: d_weight: shape must be [3], is [2]; x is [2, 3]");
  EXPECT_NE(message(d_out, two, {d_x, sums, sums}).find("shares memory"), std::string::npos);
  EXPECT_EQ(error_of([&] { rms_norm_backward(d_out, x, {}, three, {d_x}); }),
            "rms_norm_backward: rstd: shape must be [2], is [3]; x is [2, 3]");
  EXPECT_EQ(d_x.data()[0], 7);
  EXPECT_EQ(sums.data()[0], 0);
  layer_norm_backward(d_out, x, {}, two, two, {d_x});
  EXPECT_EQ(d_x.data()[0], 0);
}

}  // namespace
}  // namespace tril
