// The gradients of softmax and log_softmax against the complex step through the definition.
//
// With u = 2^-24, out rounded once, and k = L / 4 + 6 roundings for a sum of L terms in at least
// four partial sums: the sum of d_j out_j is off by (k + 2) u of the sum M of the magnitudes, the
// difference and two products round once each, so
//   |error of softmax's d_x_i| <= u out_i / t (4 |d_i| + (k + 6) M)
// and of log_softmax's, whose e^out_i is off by u |out_i| and two roundings,
//   u / t (3 |d_i| + e^out_i (k + 6 + |out_i|) sum |d_j|).
#include <gtest/gtest.h>
#include <tril/layers/softmax.h>

#include "core/compare.h"
#include "core/golden.h"
#include "core/gradient.h"

namespace tril {
namespace {

using testing::Complex;
using testing::dot;
using testing::elements;
using testing::equal;
using testing::error_of;
using testing::expect_within;
using testing::gradient_of;
using testing::kRounding;
using testing::uniform;
using testing::Values;

template <typename Scalar>
Values<Scalar> softmax_reference(const Values<Scalar>& x, double temperature, bool log) {
  Scalar sum = 0;
  for (const Scalar& value : x) sum += std::exp(value / temperature);
  Values<Scalar> out;
  for (const Scalar& value : x) {
    out.push_back(log ? value / temperature - std::log(sum) : std::exp(value / temperature) / sum);
  }
  return out;
}

// The elements along `axis` of a tensor of three axes, with the others fixed at `at`.
struct Line {
  TensorView<float, 3> view;
  int axis;
  Shape<3> at;
  float& operator[](Index i) const {
    Shape<3> index = at;
    index[static_cast<std::size_t>(axis)] = i;
    return view[index[0]][index[1]][index[2]];
  }
};

void check_axis(const Shape<3>& shape, int axis, double temperature, bool log, int threads) {
  Random random(static_cast<std::uint64_t>(91 + axis));
  Parallel parallel(threads);
  const Buffer<float, 3> x = uniform<3>(shape, random), d_out = uniform<3>(shape, random);
  Buffer<float, 3> out(shape), d_x(shape);
  const Index length = shape[static_cast<std::size_t>(axis)];
  const SoftmaxOptions options{.axis = axis, .temperature = temperature};
  // out is the reference's, rounded: the error of the forward pass is not tested here.
  Buffer<float, 3> inputs = uniform<3>(shape, random);
  std::copy_n(x.data(), x.view().count(), inputs.data());
  Buffer<float, 3> gradients(shape);
  std::copy_n(d_out.data(), d_out.view().count(), gradients.data());
  const auto for_lines = [&](const auto& body) {
    Shape<3> others = shape;
    others[static_cast<std::size_t>(axis)] = 1;
    for (Index a = 0; a < others[0]; ++a) {
      for (Index b = 0; b < others[1]; ++b) {
        for (Index c = 0; c < others[2]; ++c) body(Shape<3>{a, b, c});
      }
    }
  };
  const auto line_of = [&](Buffer<float, 3>& buffer, const Shape<3>& at) {
    Values<double> values;
    const Line line{buffer.view(), axis, at};
    for (Index i = 0; i < length; ++i) values.push_back(line[i]);
    return values;
  };
  for_lines([&](const Shape<3>& at) {
    const Values<double> y = softmax_reference(line_of(inputs, at), temperature, log);
    const Line to{out.view(), axis, at};
    for (Index i = 0; i < length; ++i) to[i] = static_cast<float>(y[static_cast<std::size_t>(i)]);
  });
  if (log) {
    log_softmax_backward(d_out, out, options, d_x, parallel);
  } else {
    softmax_backward(d_out, out, options, d_x, parallel);
  }
  const double k = static_cast<double>(length) / 4 + 6;
  for_lines([&](const Shape<3>& at) {
    const Values<double> d = line_of(gradients, at), y = line_of(out, at);
    const Values<double> expected = gradient_of(
        [&](const Values<Complex>& z) { return dot(d, softmax_reference(z, temperature, log)); },
        line_of(inputs, at));
    const Values<double> actual = line_of(d_x, at);
    double magnitudes = 0;
    for (std::size_t i = 0; i < d.size(); ++i) magnitudes += std::fabs(d[i]) * (log ? 1 : y[i]);
    for (std::size_t i = 0; i < d.size(); ++i) {
      const double bound =
          log ? 3 * std::fabs(d[i]) + std::exp(y[i]) * (k + 6 + std::fabs(y[i])) * magnitudes
              : y[i] * (4 * std::fabs(d[i]) + (k + 6) * magnitudes);
      ASSERT_LE(std::fabs(actual[i] - expected[i]), kRounding * bound / temperature)
          << shape_text<3>(shape) << " axis " << axis << " at " << i;
    }
  });
}

TEST(SoftmaxBackward, AgreesWithTheComplexStep) {
  for (const bool log : {false, true}) {
    for (int axis = 0; axis < 3; ++axis) {
      check_axis({3, 5, 17}, axis, 1, log, 1);
      check_axis({4, 33, 2}, axis, 0.5, log, 2);
      check_axis({1, 1, 129}, axis, 3, log, 1);
    }
  }
}

// A row of softmax sums to 1 for any x, so the gradient of its sum is 0: with d = 1 the formula is
// out_i (1 - sum of out_j) / t. The floats out_j sum to 1 up to half an ulp each, at most u, and
// the errors above with d = 1 and M = 1 are u out_i / t (k + 10).
TEST(SoftmaxBackward, TheGradientOfARowsSumIsNothing) {
  Random random(93);
  for (const Index length : {1, 7, 64, 1000}) {
    const Buffer<float, 2> x = uniform<2>({5, length}, random);
    Buffer<float, 2> ones({5, length}), out({5, length}), d_x({5, length});
    std::fill_n(ones.data(), ones.view().count(), 1.0f);
    for (const double temperature : {1.0, 0.25}) {
      for (Index n = 0; n < 5; ++n) {
        const Values<double> y = softmax_reference(elements(x.view()[n]), temperature, false);
        for (Index c = 0; c < length; ++c) {
          out.view()[n][c] = static_cast<float>(y[static_cast<std::size_t>(c)]);
        }
      }
      softmax_backward(ones, out, {.temperature = temperature}, d_x);
      const double k = static_cast<double>(length) / 4 + 6;
      for (Index i = 0; i < d_x.view().count(); ++i) {
        ASSERT_LE(std::fabs(d_x.data()[i]), kRounding * out.data()[i] / temperature * (k + 11))
            << length << " at " << i;
      }
    }
  }
}

TEST(SoftmaxBackward, DoesNotDependOnThreadsAndMayWriteInPlace) {
  Random random(92);
  Parallel one(1), three(3);
  const Buffer<float, 2> d_out = uniform<2>({700, 65}, random), x = uniform<2>({700, 65}, random);
  Buffer<float, 2> out({700, 65}), first({700, 65}), second({700, 65});
  softmax(x, {}, out, one);
  softmax_backward(d_out, out, {}, first, one);
  std::copy_n(d_out.data(), d_out.view().count(), second.data());
  softmax_backward(second, out, {}, second, three);
  EXPECT_TRUE(equal(first, second));
  softmax_backward(d_out, out, {}, out, three);
  EXPECT_TRUE(equal(first, out));
}

TEST(SoftmaxBackward, ARowThatSawNothingGetsZeros) {
  Buffer<float, 2> d_out({1, 20}), out({1, 20}), d_x({1, 20});
  std::fill_n(d_out.data(), 20, 3.0f);
  std::fill_n(d_x.data(), 20, 7.0f);
  softmax_backward(d_out, out, {}, d_x);
  EXPECT_EQ(testing::max_abs(d_x.view()), 0);
}

TEST(SoftmaxBackward, RejectsWhatDoesNotFitAndWritesNothing) {
  Buffer<float, 2> d_out({2, 3}), out({2, 3}), d_x({2, 3}), wide({2, 4});
  d_x.data()[0] = 7;
  EXPECT_EQ(error_of([&] { softmax_backward(d_out, {}, {}, d_x); }),
            "softmax_backward: out: no tensor given");
  EXPECT_EQ(error_of([&] { softmax_backward(wide, out, {}, d_x); }),
            "softmax_backward: d_out: shape must be [2, 3], is [2, 4]; that of out");
  EXPECT_EQ(error_of([&] { softmax_backward(d_out, out, {}, VectorView<float>(d_x.data(), {6})); }),
            "softmax_backward: d_x: shape must be [2, 3], is [6]; that of out");
  EXPECT_EQ(error_of([&] { log_softmax_backward(d_out, out, {.axis = 2}, d_x); }),
            "log_softmax_backward: axis: 2 is not an axis of x [2, 3]");
  EXPECT_NE(
      error_of([&] { softmax_backward(d_out, out, {.temperature = 0}, d_x); }).find("temperature"),
      std::string::npos);
  EXPECT_EQ(d_x.data()[0], 7);
  softmax_backward(d_out, out, {}, d_x);
  EXPECT_EQ(d_x.data()[0], 0);
}

}  // namespace
}  // namespace tril
