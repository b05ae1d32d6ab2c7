// Strassen's product at one and two levels, for any size: exact on integers, within Higham's bound
// on random numbers, and within the published working memory.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/matmul/product.h>
#include <tril/matmul/strassen.h>

#include <cmath>
#include <span>
#include <utility>

#include "core/matmul_cases.h"
#include "core/sanitized.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::MatmulCase;

class Strassen : public ::testing::TestWithParam<int> {
 protected:
  void multiply(MatmulCase& of, Parallel& parallel) {
    detail::multiply_strassen(
        detail::checked_product(of.a.view(), of.b.view(), of.options, of.out.view(), "test"),
        GetParam(), {scratch_, parallel});
  }
  void expect_exact(Index rows, Index cols, Index depth, Index number, Parallel& parallel) {
    const MatmulOptions options{.transpose_a = number % 2 == 1,
                                .transpose_b = number / 2 % 2 == 1,
                                .accumulate = number / 4 % 2 == 1,
                                .alpha = number / 8 % 2 == 1 ? -2.0f : 1.0f};
    MatmulCase of(rows, cols, depth, options, number % 3);
    of.fill_exactly(random_);
    multiply(of, parallel);
    ASSERT_TRUE(equal(of.expected_view(), of.out.view())) << of.name();
    ASSERT_TRUE(of.out.gaps_untouched()) << of.name();
  }

  Random random_{5};
  Scratch scratch_;
  Parallel one_{1};
};

TEST_P(Strassen, IsExactOnIntegersOfEverySmallSize) {
  Index number = 0;
  for (Index rows = 1; rows <= 20; ++rows) {
    for (Index cols = 1; cols <= 20; ++cols) {
      for (Index depth = 1; depth <= 20; ++depth, number += 7) {
        expect_exact(rows, cols, depth, number, one_);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Strassen, IsExactOnEdgesOfBlocks) {
  Index number = 0;
  constexpr Index kRows[] = {5, 242, 239}, kCols[] = {7, 258, 255}, kDepths[] = {9, 515, 510};
  constexpr int kCount = TRIL_SANITIZED ? 2 : 3;
  for (const Index rows : std::span(kRows, kCount)) {
    for (const Index cols : std::span(kCols, kCount)) {
      for (const Index depth : std::span(kDepths, kCount)) {
        expect_exact(rows, cols, depth, number++, one_);
        if (HasFatalFailure()) return;
      }
    }
  }
  if (!TRIL_SANITIZED) expect_exact(485, 517, 1030, number, one_);
}

TEST_P(Strassen, IsExactWithThreads) {
  Parallel three(3);
  for (Index number = 0; number < 16; ++number) expect_exact(131, 70, 45, number, three);
}

// Higham 2002, equation (23.14), in the norm of the largest element, u = epsilon / 2: with depth
// n = 2^levels * n0 and n0-deep products at the bottom,
//   |error| <= [12^levels (n0^2 + 5 n0) - 5 n] u |A| |B|.
// n0^2 stands for n0 roundings of a sum of n0 products, so the bound holds for any rows and
// columns.
TEST_P(Strassen, StaysWithinItsPublishedBound) {
  const double levels = GetParam();
  for (const Index depth : {16, 64, 256, 1024}) {
    MatmulCase of(64, 96, depth, {});
    of.fill_normally(random_);
    multiply(of, one_);
    const double n = static_cast<double>(depth), n0 = n / std::pow(2, levels);
    const double bound = (std::pow(12, levels) * (n0 * n0 + 5 * n0) - 5 * n) *
                         (testing::kEpsilon / 2) * testing::max_abs(of.a.view()) *
                         testing::max_abs(of.b.view());
    EXPECT_TRUE(close(of.expected_view(), of.out.view(), bound)) << of.name();
  }
}

// For a small element of out Strassen's error stays that of the largest elements, while the usual
// product's error shrinks with it: the price of the method, and a proof that it is at work here.
TEST_P(Strassen, IsLessAccurateWhereTheResultIsSmall) {
  MatmulCase of(64, 64, 64, {});
  fill_normal(of.a.view(), random_);
  fill_normal(of.b.view(), random_);
  for (Index k = 0; k < 64; ++k) of.a.view()[0][k] *= 1e-6f;
  of.expect();
  const auto error_of_first_row = [&] {
    double largest = 0;
    for (Index j = 0; j < 64; ++j) {
      largest = std::fmax(largest, std::fabs(of.out.view()[0][j] - of.expected_view()[0][j]));
    }
    return largest;
  };
  multiply(of, one_);
  const double strassen = error_of_first_row();
  Parallel parallel(1);
  matmul(of.a.view(), of.b.view(), {.method = MatmulMethod::tiled}, of.out.view(),
         {scratch_, parallel});
  EXPECT_GT(strassen, 1000 * error_of_first_row());
}

TEST_P(Strassen, TakesTheMemoryThatIsPublished) {
  for (const Index size : {64, 1000}) {
    Scratch scratch;
    MatmulCase of(size, size, size, {.transpose_a = true, .transpose_b = true});
    detail::multiply_strassen(
        detail::checked_product(of.a.view(), of.b.view(), of.options, of.out.view(), "test"),
        GetParam(), {scratch, one_});
    EXPECT_EQ(static_cast<Index>(scratch.peak()), strassen_workspace(1));
  }
}

// matmul with the option equals this many levels, bit by bit.
TEST_P(Strassen, IsWhatMatmulDoesWithSoManyLevels) {
  MatmulCase of(64, 96, 40, {});
  of.fill_normally(random_);
  multiply(of, one_);
  Buffer<float, 2> out({64, 96});
  matmul(of.a.view(), of.b.view(), {.method = MatmulMethod::strassen, .levels = GetParam()}, out,
         scratch_, one_);
  for (Index i = 0; i < 64; ++i) {
    for (Index j = 0; j < 96; ++j) ASSERT_EQ(out.view()[i][j], of.out.view()[i][j]);
  }
  out.view()[0][0] = 7;
  const auto with = [&](MatmulMethod method, int levels) {
    return testing::error_of([&] {
      matmul(of.a.view(), of.b.view(), {.method = method, .levels = levels}, out, scratch_, one_);
    });
  };
  EXPECT_EQ(with(MatmulMethod::strassen, 3), "matmul: levels: must be 0 to 2, is 3");
  EXPECT_EQ(with(MatmulMethod::tiled, 1), "matmul: levels: only strassen has levels");
  EXPECT_EQ(out.view()[0][0], 7);
}

INSTANTIATE_TEST_SUITE_P(Levels, Strassen, ::testing::Values(1, 2));

// The seven products on numbers instead of quarters give the product of 2 * 2 matrices.
TEST(StrassenProducts, AreTheProduct) {
  const int a[] = {3, -5, 7, 11}, b[] = {2, 13, -17, 19};
  int out[4] = {};
  for (const StrassenProduct& product : kStrassenProducts) {
    int left = 0, right = 0;
    for (std::size_t q = 0; q < 4; ++q) {
      left += product.a[q] * a[q];
      right += product.b[q] * b[q];
    }
    for (std::size_t q = 0; q < 4; ++q) out[q] += product.out[q] * left * right;
  }
  EXPECT_EQ(out[0], a[0] * b[0] + a[1] * b[2]);
  EXPECT_EQ(out[1], a[0] * b[1] + a[1] * b[3]);
  EXPECT_EQ(out[2], a[2] * b[0] + a[3] * b[2]);
  EXPECT_EQ(out[3], a[2] * b[1] + a[3] * b[3]);
}

TEST(StrassenLevels, GrowWithTheSmallestSize) {
  EXPECT_EQ(strassen_levels(64, 64, 64), 0);
  EXPECT_EQ(strassen_levels(1 << 14, 1 << 14, 64), 0);
  EXPECT_EQ(strassen_levels(1 << 14, 1 << 14, 1 << 14), detail::kMostStrassenLevels);
  EXPECT_GE(strassen_levels(2048, 2048, 2048), 1);
}

}  // namespace
}  // namespace tril
