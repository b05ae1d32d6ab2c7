// Softmax against double, along every axis, for every instruction set; and its corner cases.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/layers/softmax.h>
#include <tril/layers/softmax_kernels.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::kEpsilon;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<double> reference(const std::vector<float>& x, double scale, bool log) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const float value : x) largest = std::fmax(largest, static_cast<double>(value));
  std::vector<double> y;
  for (const float value : x) {
    y.push_back(scale * (static_cast<double>(value) - largest));
    sum += std::exp(y.back());
  }
  for (double& value : y) value = log ? value - std::log(sum) : std::exp(value) / sum;
  return y;
}

std::vector<float> normal(std::size_t count, float scale, Random& random) {
  std::vector<float> x(count);
  for (float& value : x) value = scale * random.normal();
  return x;
}

// The relative error of a weight: the exponent x - maximum is at most `spread`, with two roundings;
// exp errs by an ulp; the sum by a rounding per element; reciprocal and product by one each.
double tolerance(double spread, std::size_t count) {
  return kEpsilon * (spread + 3 + static_cast<double>(count) / 2);
}

TEST(Softmax, RowsAreWithinTheBound) {
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    Random random(1);
    for (std::size_t count = 1; count <= 150; ++count) {
      const std::vector<float> x = normal(count, 4, random);
      for (const float scale : {1.0f, 0.5f, 3.0f}) {
        std::vector<float> y(count + 1, -7.0f);  // the last one is a sentinel
        const std::vector<double> exact = reference(x, static_cast<double>(scale), false);
        const double spread = -std::log(*std::min_element(exact.begin(), exact.end()));
        softmax_kernels(isa).row(x.data(), y.data(), static_cast<Index>(count), scale);
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_NEAR(y[i], exact[i], tolerance(spread, count) * exact[i]) << count << " " << i;
          sum += static_cast<double>(y[i]);
        }
        EXPECT_NEAR(sum, 1, kEpsilon * static_cast<double>(count + 3));
        EXPECT_EQ(y[count], -7.0f);
      }
    }
  }
}

TEST(Softmax, LogRowsAreWithinTheBound) {
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    Random random(2);
    for (std::size_t count = 1; count <= 70; ++count) {
      const std::vector<float> x = normal(count, 30, random);
      std::vector<float> y(count + 1, -7.0f);
      const std::vector<double> exact = reference(x, 1, true);
      softmax_kernels(isa).log_row(x.data(), y.data(), static_cast<Index>(count), 1.0f);
      for (std::size_t i = 0; i < count; ++i) {
        // Two subtractions round numbers as large as the result, the logarithm small ones.
        ASSERT_NEAR(y[i], exact[i], kEpsilon * (2 * std::fabs(exact[i]) + 6)) << count << " " << i;
      }
      EXPECT_EQ(y[count], -7.0f);
    }
  }
}

TEST(Softmax, ColumnsAreTheRowsOfTheTranspose) {
  Random random(3);
  Parallel parallel(2);
  for (const Index rows : {1, 2, 7, 40}) {
    for (const Index cols : {1, 3, 4, 17, 33}) {
      Buffer<float, 3> x({3, rows, cols}), turned({3, cols, rows});
      fill_normal(x.view(), random);
      for (Index b = 0; b < 3; ++b) {
        for (Index i = 0; i < rows; ++i) {
          for (Index j = 0; j < cols; ++j) turned.view()[b][j][i] = x.view()[b][i][j];
        }
      }
      for (const bool log : {false, true}) {
        Buffer<float, 3> by_column({3, rows, cols}), by_row({3, cols, rows});
        if (log) {
          log_softmax(x, {.axis = 1}, by_column, parallel);
          log_softmax(turned, {}, by_row, parallel);
        } else {
          softmax(x, {.axis = -2}, by_column, parallel);
          softmax(turned, {.axis = 2}, by_row, parallel);
        }
        Buffer<float, 3> back({3, rows, cols});
        for (Index b = 0; b < 3; ++b) {
          for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < cols; ++j) back.view()[b][i][j] = by_row.view()[b][j][i];
          }
        }
        // The sums are added in another order.
        EXPECT_TRUE(close(back, by_column, log ? 8 * kEpsilon : 0, tolerance(0, 40)));
      }
    }
  }
}

TEST(Softmax, RunsAlongEveryAxisOfAnyView) {
  Random random(4);
  Parallel parallel(2);
  Buffer<float, 4> x({3, 4, 5, 6}), out({3, 4, 5, 6});
  fill_normal(x.view(), random);
  // Every second column block of a wider tensor, the first two axes swapped.
  const TensorView<const float, 4> view(x.data(), {4, 3, 5, 3}, {30, 120, 6, 1});
  const TensorView<float, 4> target(out.data(), {4, 3, 5, 3}, {30, 120, 6, 1});
  for (int axis = -4; axis < 4; ++axis) {
    std::fill_n(out.data(), 360, -7.0f);
    softmax(view, {.axis = axis}, target, parallel);
    const std::size_t along = static_cast<std::size_t>((axis + 4) % 4);
    Shape<4> at{};
    for (at[0] = 0; at[0] < 4; ++at[0]) {
      for (at[1] = 0; at[1] < 3; ++at[1]) {
        for (at[2] = 0; at[2] < 5; ++at[2]) {
          for (at[3] = 0; at[3] < 3; ++at[3]) {
            Shape<4> other = at;
            double sum = 0;
            for (other[along] = 0; other[along] < view.shape()[along]; ++other[along]) {
              sum += std::exp(static_cast<double>(view[other[0]][other[1]][other[2]][other[3]]));
            }
            const double exact =
                std::exp(static_cast<double>(view[at[0]][at[1]][at[2]][at[3]])) / sum;
            ASSERT_NEAR(target[at[0]][at[1]][at[2]][at[3]], exact, tolerance(10, 6) * exact);
          }
        }
      }
    }
    for (Index i = 0; i < 60; ++i) {  // elements outside the view stay unchanged
      for (Index j = 3; j < 6; ++j) ASSERT_EQ(out.data()[i * 6 + j], -7.0f);
    }
  }
}

TEST(Softmax, ShiftingARowChangesNothing) {
  Random random(5);
  Buffer<float, 1> x({37}), shifted({37}), y({37}), z({37});
  for (Index i = 0; i < 37; ++i) {
    // Multiples of 2^-10, so that adding 1000 is exact.
    x.data()[i] = static_cast<float>(static_cast<int>(random.below(8192))) * 0x1p-10f;
    shifted.data()[i] = x.data()[i] + 1000.0f;
  }
  softmax(x, {}, y);
  softmax(shifted, {}, z);
  EXPECT_TRUE(equal(y, z));
}

TEST(Softmax, NothingOverflows) {
  Buffer<float, 2> x({1, 3}), y({1, 3});
  const float largest = std::numeric_limits<float>::max();
  const float rows[][3] = {
      {largest, largest, -largest}, {-largest, -largest, -largest}, {1e30f, -1e30f, 0.0f}};
  const float expected[][3] = {
      {0.5f, 0.5f, 0.0f}, {1 / 3.0f, 1 / 3.0f, 1 / 3.0f}, {1.0f, 0.0f, 0.0f}};
  for (int i = 0; i < 3; ++i) {
    std::copy_n(rows[i], 3, x.data());
    softmax(x, {}, y);
    EXPECT_TRUE(close(MatrixView<const float>(expected[i], {1, 3}), y, 0, kEpsilon));
  }
}

TEST(Softmax, InfinityAndNaNStayInTheirRow) {
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    const auto run = [&](std::vector<float> x, bool log = false) {
      const auto count = static_cast<Index>(x.size());
      const SoftmaxKernels& kernels = softmax_kernels(isa);
      (log ? kernels.log_row : kernels.row)(x.data(), x.data(), count, 1.0f);
      return x;
    };
    const std::vector<float> zeros(21, 0.0f), hidden(21, -kInfinity);
    EXPECT_EQ(run(hidden), zeros);
    EXPECT_EQ(run(hidden, true), hidden);
    EXPECT_EQ(run({0.0f, -kInfinity, 0.0f}), (std::vector<float>{0.5f, 0.0f, 0.5f}));
    for (std::size_t at = 0; at < 21; ++at) {
      for (const float bad : {kNaN, kInfinity}) {
        std::vector<float> x(21, 1.0f), y(21, -kInfinity);
        x[at] = y[at] = bad;
        for (const float value : run(x)) EXPECT_TRUE(std::isnan(value));
        for (const float value : run(y)) EXPECT_TRUE(std::isnan(value));
        for (const float value : run(x, true)) EXPECT_TRUE(std::isnan(value));
      }
    }
  }
  // Along the columns, too: only the one with the NaN.
  Buffer<float, 2> x({3, 5}), y({3, 5});
  x.view()[1][2] = kNaN;
  for (Index i = 0; i < 3; ++i) x.view()[i][4] = -kInfinity;
  softmax(x, {.axis = 0}, y);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(y.view()[i][0], 1 / 3.0f);
    EXPECT_TRUE(std::isnan(y.view()[i][2]));
    EXPECT_EQ(y.view()[i][4], 0.0f);
  }
}

TEST(Softmax, TemperatureSharpensAndFlattens) {
  Buffer<float, 1> x({3}), y({3});
  std::copy_n(std::vector<float>{1.0f, 2.0f, 4.0f}.data(), 3, x.data());
  for (const double temperature : {0.1, 0.5, 2.0, 10.0}) {
    softmax(x, {.temperature = temperature}, y);
    const std::vector<double> exact = reference({1.0f, 2.0f, 4.0f}, 1 / temperature, false);
    for (Index i = 0; i < 3; ++i) {
      const double want = exact[static_cast<std::size_t>(i)];
      EXPECT_NEAR(y.data()[i], want, tolerance(3 / temperature, 3) * want);
    }
  }
}

TEST(Softmax, InPlaceIsTheSame) {
  Random random(6);
  Buffer<float, 2> x({5, 29}), y({5, 29});
  for (const int axis : {0, 1}) {
    fill_normal(x.view(), random);
    softmax(x, {.axis = axis}, y);
    softmax(x, {.axis = axis}, x);
    EXPECT_TRUE(equal(y, x));
  }
}

// Options and output may be omitted, and tensors may have from 1 to 8 axes.
TEST(Softmax, IsTheSameHoweverItIsCalled) {
  Random random(7);
  Parallel parallel(2);
  Scratch scratch;
  Buffer<float, 2> x({5, 29}), expected({5, 29}), out({5, 29});
  fill_normal(x.view(), random);
  const MatrixView<const float> view = x;
  for (const bool log : {false, true}) {
    log ? log_softmax(x, {}, expected) : softmax(x, {}, expected);
    log ? log_softmax(x, out) : softmax(x, out);
    EXPECT_TRUE(equal(expected, out));
    log ? log_softmax(x.view(), out.view(), parallel) : softmax(x.view(), out.view(), parallel);
    EXPECT_TRUE(equal(expected, out));
    log ? log_softmax(view, out, {scratch, parallel}) : softmax(view, out, {scratch, parallel});
    EXPECT_TRUE(equal(expected, out));
    const Buffer of_buffer = log ? log_softmax(x) : softmax(x);
    EXPECT_TRUE(equal(expected, of_buffer));
    EXPECT_TRUE(equal(expected, log ? log_softmax(view, {}) : softmax(view, {})));
    log ? log_softmax(x, {.axis = 0}, expected) : softmax(x, {.axis = 0}, expected);
    const Buffer along_columns = log ? log_softmax(x.view(), {.axis = 0}, parallel)
                                     : softmax(x.view(), {.axis = 0}, parallel);
    EXPECT_TRUE(equal(expected, along_columns));
  }
  const Buffer<float, 6> deep({1, 2, 1, 3, 1, 7});
  const Buffer shares = softmax(deep);
  EXPECT_EQ(shares.shape(), deep.shape());
  for (Index i = 0; i < 42; ++i) EXPECT_EQ(shares.data()[i], 1 / 7.0f);
  EXPECT_EQ(softmax(deep, {.axis = 3}).data()[20], 1 / 3.0f);
}

TEST(Softmax, RejectsWhatDoesNotFit) {
  Buffer<float, 2> x({2, 3}), out({2, 3}), small({2, 2});
  std::fill_n(out.data(), 6, -7.0f);
  EXPECT_EQ(error_of([&] { softmax(x, {}, small); }),
            "softmax: out: shape must be [2, 3], is [2, 2]; that of x");
  const float one = 1;  // for a row of 64: a kernel would read 63 elements after it
  Buffer<float, 2> row({1, 64});
  for (const Index stride : {0, 2}) {
    const MatrixView<const float> view(&one, {1, 64}, {0, stride});
    EXPECT_EQ(error_of([&] { softmax(view, {}, row); }),
              "softmax: x: the last axis must be contiguous; shape is [1, 64], strides are [0, " +
                  std::to_string(stride) + "]");
  }
  EXPECT_EQ(error_of([&] { softmax(x, small); }),
            "softmax: out: shape must be [2, 3], is [2, 2]; that of x");
  EXPECT_EQ(error_of([&] { softmax(x, VectorView<float>(out.data(), {6})); }),
            "softmax: out: shape must be [2, 3], is [6]; that of x");
  EXPECT_EQ(error_of([&] { softmax(*x.data(), *out.data()); }),
            "softmax: axis: -1 is not an axis of x []");
  EXPECT_EQ(error_of([] { softmax(MatrixView<const float>()); }), "softmax: x: no tensor given");
  EXPECT_EQ(error_of([&] { log_softmax(x, {.axis = 2}); }),
            "log_softmax: axis: 2 is not an axis of x [2, 3]");
  EXPECT_EQ(error_of([&] { softmax(x, {.axis = 2}, out); }),
            "softmax: axis: 2 is not an axis of x [2, 3]");
  EXPECT_EQ(error_of([&] { softmax(x, {.axis = -3}, out); }),
            "softmax: axis: -3 is not an axis of x [2, 3]");
  for (const double bad : {0.0, -1.0, 1e-60, 1e60, std::nan(""), HUGE_VAL}) {
    EXPECT_NE(error_of([&] {
                softmax(x, {.temperature = bad}, out);
              }).find("softmax: temperature: must be finite and above 0"),
              std::string::npos);
  }
  EXPECT_NE(error_of([&] {
              log_softmax(MatrixView<const float>(), {}, out);
            }).find("log_softmax: x: no tensor given"),
            std::string::npos);
  const MatrixView<float> overlapping(x.data() + 1, {1, 3});
  EXPECT_NE(error_of([&] {
              softmax(MatrixView<const float>(x.data(), {1, 3}), {}, overlapping);
            }).find("shares memory"),
            std::string::npos);
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(out.data()[i], -7.0f);
  softmax(x, {}, out);
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(out.data()[i], 1 / 3.0f);
}

}  // namespace
}  // namespace tril
