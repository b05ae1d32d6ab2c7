// Singular values against PyTorch, closed forms, and matrices with known ones.
#include <gtest/gtest.h>
#include <tril/foundation/random.h>
#include <tril/lessons/singular_values.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::close;
using testing::error_of;
using testing::golden;
using testing::kEpsilon;

TEST(SingularValues, ArePyTorchs) {
  const Buffer<float, 2> weights = golden<2>("efficient/weights");
  Buffer<float, 1> values({40});
  singular_values(weights, values);
  // Computed in double and rounded once, like the file's: an ulp, and double's error relative to
  // the largest.
  const double atol = 40 * 0x1p-52 * static_cast<double>(values.data()[0]);
  EXPECT_TRUE(close(golden<1>("efficient/singular_values"), values, atol, kEpsilon));
}

TEST(SingularValues, OfAnyShapeKeepTheNorm) {
  Random random(1);
  for (const auto& [rows, cols] :
       {std::pair<Index, Index>{1, 1}, {1, 7}, {7, 1}, {30, 9}, {9, 30}}) {
    Buffer<float, 2> x({rows, cols});
    Buffer<float, 1> values({std::min(rows, cols)});
    fill_normal(x.view(), random);
    singular_values(x, values);
    double squares = 0, expected = 0;
    for (Index i = 0; i < rows * cols; ++i) expected += std::pow(x.data()[i], 2.0);
    for (Index i = 0; i < values.view().count(); ++i) {
      squares += std::pow(values.data()[i], 2.0);
      EXPECT_LE(values.data()[i], values.data()[std::max<Index>(i - 1, 0)]);
    }
    EXPECT_NEAR(squares, expected, kEpsilon * expected);  // each value errs by half of it
  }
}

TEST(SingularValues, OfWhatIsNotFiniteAreNaN) {
  Buffer<float, 2> x({3, 3});
  Buffer<float, 1> values({3}), wrong({2});
  for (const float bad : {std::nanf(""), HUGE_VALF}) {
    x.view()[1][1] = bad;
    singular_values(x, values);
    for (Index i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(values.data()[i]));
  }
  EXPECT_EQ(error_of([&] { singular_values(x, wrong); }),
            "singular_values: out: shape must be [3], is [2]; x is [3, 3]");
}

// The singular values of an n x n lower triangle of ones are 1 / (2 sin((2 k - 1) pi / (4 n + 2))).
TEST(SingularValues, OfATriangleOfOnesHaveAClosedForm) {
  for (const Index n : {1, 2, 3, 64, 150}) {
    Buffer<float, 2> x({n, n});
    Buffer<float, 1> values({n});
    for (Index i = 0; i < n; ++i) std::fill_n(x.view()[i].data(), i + 1, 1.0f);
    singular_values(x, values);
    for (Index k = 0; k < n; ++k) {
      const double angle =
          static_cast<double>(2 * k + 1) * std::numbers::pi / (4 * static_cast<double>(n) + 2);
      EXPECT_NEAR(values.view()[k], 0.5 / std::sin(angle), kEpsilon * values.view()[k]) << n;
    }
  }
}

// Equal rows, as from a head that always looks at one position: one value, the root of all squares.
TEST(SingularValues, OfEqualRowsAreOneAndNothingElse) {
  for (const Index n : {2, 16, 64, 100}) {
    for (const double fall : {0.1, 0.5, 1.0}) {
      Buffer<float, 2> x({n, n});
      Buffer<float, 1> values({n});
      double squares = 0;
      for (Index j = 0; j < n; ++j) {
        const auto value = static_cast<float>(std::exp(-fall * static_cast<double>(j)));
        squares += static_cast<double>(n) * static_cast<double>(value) * static_cast<double>(value);
        for (Index i = 0; i < n; ++i) x.view()[i][j] = value;
      }
      singular_values(x, values);
      EXPECT_FLOAT_EQ(values.view()[0], static_cast<float>(std::sqrt(squares))) << n << " " << fall;
      for (Index k = 1; k < n; ++k) EXPECT_LE(values.view()[k], std::sqrt(squares) * 0x1p-48);
    }
  }
}

TEST(SingularValues, OfADiagonalAreItsSizes) {
  constexpr float kDiagonal[] = {3, -7, 0, 1e-20f, -1e20f};
  Buffer<float, 2> x({5, 8});
  Buffer<float, 1> values({5});
  for (Index i = 0; i < 5; ++i) x.view()[i][i] = kDiagonal[i];
  singular_values(x, values);
  EXPECT_FLOAT_EQ(values.view()[0], 1e20f);
  // In double 7 vanishes next to 1e20.
  for (Index i = 1; i < 5; ++i) EXPECT_LE(values.view()[i], 1e20 * 0x1p-52);
  x.view()[4][4] = 0;
  singular_values(x, values);
  EXPECT_FLOAT_EQ(values.view()[0], 7);
  EXPECT_FLOAT_EQ(values.view()[1], 3);
  for (Index i = 2; i < 5; ++i) EXPECT_LE(values.view()[i], 7 * 0x1p-52);
  x.view()[0][0] = x.view()[1][1] = x.view()[3][3] = 0;
  singular_values(x, values);
  for (Index i = 0; i < 5; ++i) EXPECT_EQ(values.view()[i], 0);
}

// A = U S V^T with U and V products of reflections, rounded to float. By Weyl no value moves by
// more than the norm of the rounding errors.
TEST(SingularValues, AreThoseThatAMatrixWasMadeOf) {
  Random random(7);
  for (const auto& [rows, cols] : {std::pair<Index, Index>{40, 40}, {60, 25}, {25, 60}}) {
    const Index count = std::min(rows, cols);
    std::vector<double> known(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) {
      // Values fall over seven decades, each value twice.
      known[static_cast<std::size_t>(i)] =
          std::pow(10.0, -7.0 * static_cast<double>(i / 2 * 2) / static_cast<double>(count));
    }
    Buffer<double, 2> a({rows, cols});
    for (Index i = 0; i < count; ++i) a.view()[i][i] = known[static_cast<std::size_t>(i)];
    for (int turn = 0; turn < 6; ++turn) {
      std::vector<double> u(static_cast<std::size_t>(rows)), v(static_cast<std::size_t>(cols));
      for (auto* each : {&u, &v}) {
        for (double& x : *each) x = static_cast<double>(random.normal());
      }
      const double uu = std::inner_product(u.begin(), u.end(), u.begin(), 0.0);
      const double vv = std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
      for (Index j = 0; j < cols; ++j) {
        double dot = 0;
        for (Index i = 0; i < rows; ++i) dot += u[static_cast<std::size_t>(i)] * a.view()[i][j];
        for (Index i = 0; i < rows; ++i) {
          a.view()[i][j] -= 2 / uu * dot * u[static_cast<std::size_t>(i)];
        }
      }
      for (Index i = 0; i < rows; ++i) {
        double dot = 0;
        for (Index j = 0; j < cols; ++j) dot += v[static_cast<std::size_t>(j)] * a.view()[i][j];
        for (Index j = 0; j < cols; ++j) {
          a.view()[i][j] -= 2 / vv * dot * v[static_cast<std::size_t>(j)];
        }
      }
    }
    Buffer<float, 2> x({rows, cols});
    double squares = 0;
    for (Index i = 0; i < rows * cols; ++i) {
      x.data()[i] = static_cast<float>(a.data()[i]);
      squares += std::pow(static_cast<double>(x.data()[i]) - a.data()[i], 2);
    }
    Buffer<float, 1> values({count});
    singular_values(x, values);
    const double rounded = std::sqrt(squares) * (1 + 1e-6);
    for (Index i = 0; i < count; ++i) {
      const double expected = known[static_cast<std::size_t>(i)];
      EXPECT_NEAR(values.view()[i], expected, rounded + kEpsilon * expected) << i;
    }
  }
}

}  // namespace
}  // namespace tril
