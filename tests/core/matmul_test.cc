// Every method of multiplying against the double reference: exactly on integers of all small sizes,
// within the derived bound on random numbers, and wrong input.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/matmul/matmul.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "core/matmul_cases.h"
#include "core/sanitized.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::MatmulCase;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// The options in turn, so that each shape meets some and each option meets many shapes.
MatmulOptions options_number(Index number) {
  return {.transpose_a = number % 2 == 1,
          .transpose_b = number / 2 % 2 == 1,
          .accumulate = number / 4 % 2 == 1,
          .alpha = number / 8 % 2 == 1 ? -2.0f : 1.0f};
}

class Matmul : public ::testing::TestWithParam<Named<MatmulMethod>> {
 protected:
  void multiply(MatmulCase& product) {
    product.options.method = GetParam().value;
    matmul(product.a.view(), product.b.view(), product.options, product.out.view(),
           {scratch_, parallel_});
  }
  void expect_exact(Index rows, Index cols, Index depth, const MatmulOptions& options, Index gap) {
    MatmulCase product(rows, cols, depth, options, gap);
    product.fill_exactly(random_);
    multiply(product);
    ASSERT_TRUE(equal(product.expected_view(), product.out.view())) << product.name();
    ASSERT_TRUE(product.out.gaps_untouched()) << product.name();
  }

  Random random_{1};
  Scratch scratch_;
  Parallel parallel_{1};
};

// All methods on one case, since the reference costs as much as any of them; or only the methods
// with blocks.
void expect_all_exact(Index rows, Index cols, Index depth, Index number, bool blocks_only = false) {
  static Random random(2);
  Scratch scratch;
  Parallel parallel(1);
  MatmulCase product(rows, cols, depth, options_number(number), number % 3);
  product.fill_exactly(random);
  const testing::Strided before = product.out;
  for (const Named<MatmulMethod>& method : kMatmulMethods) {
    const bool plain = method.value >= MatmulMethod::ijk && method.value <= MatmulMethod::kji;
    if (blocks_only && plain) continue;
    product.out = before;
    product.options.method = method.value;
    matmul(product.a.view(), product.b.view(), product.options, product.out.view(),
           {scratch, parallel});
    ASSERT_TRUE(equal(product.expected_view(), product.out.view()))
        << product.name() << " by " << method.name;
    ASSERT_TRUE(product.out.gaps_untouched()) << product.name() << " by " << method.name;
  }
}

TEST(MatmulMethods, AreExactOnIntegersOfEverySmallSize) {
  // A tile has at most 6 rows, and reads one row of b after another: larger sizes repeat the same
  // work.
  constexpr Index kStep = TRIL_SANITIZED ? 13 : 1, kRowStep = TRIL_SANITIZED ? 3 : 1;
  Index number = 0;
  for (Index rows = 1; rows <= 20; rows += kRowStep) {
    for (Index cols = 1; cols <= 40; ++cols) {
      for (Index depth = 1; depth <= 20; depth += kStep, number += 7) {
        expect_all_exact(rows, cols, depth, number, std::max({rows, cols, depth}) > 12);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(MatmulMethods, AreExactAroundTheSizesOfBlocks) {
  constexpr Index kSizes[] = {1, 63, 65, 129, 64, 127, 128}, kDepths[] = {1, 65, 257, 63, 64, 129};
  const std::span sizes(kSizes, TRIL_SANITIZED ? 4 : 7), depths(kDepths, TRIL_SANITIZED ? 3 : 6);
  Index number = 0;
  for (const Index rows : sizes) {
    for (const Index cols : sizes) {
      for (const Index depth : depths) {
        expect_all_exact(rows, cols, depth, number++);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Matmul, IsExactWithEveryOption) {
  for (Index number = 0; number < 16; ++number) {
    expect_exact(33, 70, 300, options_number(number), 5);
    expect_exact(1, 70, 300, options_number(number), 5);
    expect_exact(70, 1, 300, options_number(number), 5);
  }
}

TEST_P(Matmul, IsExactWithThreads) {
  for (const int threads : {2, 3}) {
    Parallel parallel(threads);
    for (const auto& [rows, cols] : {std::pair<Index, Index>{130, 300}, {700, 40}, {40, 1100}}) {
      for (Index number = TRIL_SANITIZED ? 3 : 0; number < 4; ++number) {
        MatmulCase product(rows, cols, 270, options_number(number), 1);
        product.fill_exactly(random_);
        product.options.method = GetParam().value;
        matmul(product.a.view(), product.b.view(), product.options, product.out.view(),
               {scratch_, parallel});
        ASSERT_TRUE(equal(product.expected_view(), product.out.view())) << product.name();
        ASSERT_TRUE(product.out.gaps_untouched());
      }
    }
  }
}

TEST_P(Matmul, StaysWithinTheBoundOnRandomNumbers) {
  struct Size {
    Index rows, cols, depth;
  };
  constexpr Size kSizes[] = {{2, 3, 4},    {17, 31, 100},   {64, 64, 64},  {100, 50, 1000},
                             {1, 300, 77}, {300, 1, 77},    {3, 130, 515}, {128, 256, 300},
                             {1, 7, 2000}, {129, 129, 129}, {7, 1, 1}};
  Index number = 0;
  for (const Size& size : kSizes) {
    for (int turn = 0; turn < 4; ++turn) {
      MatmulOptions options = options_number(number);
      if (number++ % 3 == 0) options.alpha = 0.37f;
      MatmulCase product(size.rows, size.cols, size.depth, options, 1);
      product.fill_normally(random_);
      multiply(product);
      EXPECT_TRUE(close(product.expected_view(), product.out.view(), product.bound()))
          << product.name();
    }
  }
}

// NaN and infinities reach exactly the elements that arithmetic sends them to.
TEST_P(Matmul, PropagatesNaNAndInfinity) {
  for (const float special : {kNaN, kInfinity, -kInfinity}) {
    for (const bool transpose : {false, true}) {
      MatmulCase product(19, 37, 23, {.transpose_a = transpose, .transpose_b = transpose}, 1);
      product.fill_exactly(random_);
      product.a.view()[2][3] = special;
      product.b.view()[1][20] = special;
      product.b.view()[5][6] = 0;
      product.expect();
      multiply(product);
      EXPECT_TRUE(equal(product.expected_view(), product.out.view()))
          << product.name() << ", with " << special;
    }
  }
}

TEST_P(Matmul, NeverReadsTheOutputUnlessItAccumulates) {
  for (const Index rows : {1, 20}) {
    MatmulCase product(rows, 50, 300, {});
    product.fill_exactly(random_);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < 50; ++j) product.out.view()[i][j] = kNaN;
    }
    multiply(product);
    EXPECT_TRUE(equal(product.expected_view(), product.out.view()));
  }
}

TEST_P(Matmul, TakesRowsThatAllLieInOnePlace) {
  Buffer<float, 1> row({5});
  for (Index i = 0; i < 5; ++i) row.view()[i] = static_cast<float>(i);
  const MatrixView<const float> a(row.data(), {20, 5}, {0, 1});
  Buffer<float, 2> b({5, 9}), out({20, 9});
  fill_normal(b.view(), random_);
  const MatmulOptions options{.method = GetParam().value};
  matmul(a, b, options, out, {scratch_, parallel_});
  Buffer<double, 2> reference({20, 9});
  matmul_reference(a, b, options, reference);
  EXPECT_TRUE(close(reference, out, 4 * testing::kEpsilon * 5 * 4 * testing::max_abs(b.view())));
}

INSTANTIATE_TEST_SUITE_P(Methods, Matmul, ::testing::ValuesIn(kMatmulMethods),
                         [](const auto& info) { return std::string(info.param.name); });

class MatmulErrors : public ::testing::Test {
 protected:
  std::string error(MatrixView<const float> a, MatrixView<const float> b,
                    const MatmulOptions& options, MatrixView<float> out) {
    return error_of([&] { matmul(a, b, options, out, {scratch_, parallel_}); });
  }
  Buffer<float, 2> a_{{2, 4}}, b_{{4, 5}}, out_{{2, 5}};
  Scratch scratch_;
  Parallel parallel_{1};
};

TEST_F(MatmulErrors, NameTheArgumentAndTheShapes) {
  const Buffer<float, 2> odd({3, 5});
  EXPECT_EQ(error(a_, odd, {}, out_),
            "matmul: b: depth 3 does not match a's depth 4; a is [2, 4], b is [3, 5]");
  EXPECT_EQ(error(a_, b_, {.transpose_b = true}, out_),
            "matmul: b: depth 5 does not match a's depth 4; a is [2, 4], b is [4, 5] transposed");
  Buffer<float, 2> narrow({2, 4});
  EXPECT_EQ(error(a_, b_, {}, narrow),
            "matmul: out: shape must be [2, 5], is [2, 4]; a is [2, 4], b is [4, 5]");
  EXPECT_EQ(error({}, b_, {}, out_), "matmul: a: no tensor given");
  EXPECT_EQ(error(a_, {b_.data(), {4, -1}}, {}, out_),
            "matmul: b: every axis must be at least 0; shape is [4, -1]");
  EXPECT_EQ(error(a_, {b_.data(), {4, 2}, {5, 2}}, {}, out_),
            "matmul: b: the last axis must be contiguous; shape is [4, 2], strides are [5, 2]");
}

TEST_F(MatmulErrors, RejectOverlap) {
  Buffer<float, 2> square({4, 4});
  EXPECT_NE(error(square, square, {}, square).find("matmul: out: shares memory"),
            std::string::npos);
  EXPECT_NE(error(a_, square, {}, {square.data(), {2, 4}}).find("matmul: out: shares memory"),
            std::string::npos);
  EXPECT_EQ(error(a_, b_, {}, {out_.data(), {2, 5}, {4, 1}}),
            "matmul: out: its elements overlap; shape is [2, 5], strides are [4, 1]");
}

TEST_F(MatmulErrors, RejectOptionsThatMeanNothing) {
  EXPECT_EQ(error(a_, b_, {.alpha = kNaN}, out_), "matmul: alpha: must be finite, is nan");
  EXPECT_EQ(error(a_, b_, {.method = static_cast<MatmulMethod>(99)}, out_),
            "matmul: method: there is no method number 99");
}

TEST_F(MatmulErrors, WriteNothingAndTheNextCallWorks) {
  out_.view()[1][4] = 7;
  error(a_, b_, {.alpha = kInfinity}, out_);
  EXPECT_EQ(out_.view()[1][4], 7);
  a_.view()[1][3] = 2;
  b_.view()[3][4] = 3;
  matmul(a_, b_, {}, out_, {scratch_, parallel_});
  EXPECT_EQ(out_.view()[1][4], 6);
}

TEST(MatmulReference, IsTheDefinition) {
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, 1};
  double out[] = {100, 100, 100, 100};
  matmul_reference({a, {2, 3}}, {b, {3, 2}}, {.accumulate = true, .alpha = 0.5f}, {out, {2, 2}});
  EXPECT_EQ(out[0], 102);
  EXPECT_EQ(out[1], 102.5);
  EXPECT_EQ(out[2], 105);
  EXPECT_EQ(out[3], 105.5);
}

}  // namespace
}  // namespace tril
