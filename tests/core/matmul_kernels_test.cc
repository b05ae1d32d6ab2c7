// The kernels of the tiled product, for every instruction set of this machine.
#include <gtest/gtest.h>
#include <tril/matmul/product.h>
#include <tril/matmul/tiled.h>
#include <tril/matmul/vector.h>

#include <span>

#include "core/matmul_cases.h"
#include "core/sanitized.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::MatmulCase;
using testing::Strided;

class MatmulKernels : public ::testing::TestWithParam<Isa> {
 protected:
  const TileKernels& tile() const { return tile_kernels(GetParam()); }

  detail::Product product(MatmulCase& of) const {
    return {.rows = of.out.view().size(0),
            .cols = of.out.view().size(1),
            .depth = of.depth,
            .a = detail::operand(of.a.view(), of.options.transpose_a),
            .b = detail::operand(of.b.view(), of.options.transpose_b),
            .out = of.out.view().data(),
            .out_stride = of.out.view().stride(0),
            .alpha = of.options.alpha,
            .accumulate = of.options.accumulate};
  }

  Random random_{2};
  Scratch scratch_;
  Parallel parallel_{1};
};

MatmulOptions options_number(Index number) {
  return {.transpose_a = number % 2 == 1,
          .transpose_b = number / 2 % 2 == 1,
          .accumulate = number / 4 % 2 == 1,
          .alpha = number / 8 % 2 == 1 ? 3.0f : 1.0f};
}

TEST_P(MatmulKernels, TiledIsExactOnEdgesOfTilesAndPanels) {
  const Index row = tile().tile_rows, panel = tile().panel_cols;
  Index number = 0;
  for (Index rows = 2; rows <= 2 * row + 1; ++rows) {
    for (Index cols = 2; cols <= 2 * panel + 1; ++cols) {
      for (const Index depth : {1, 2, 17, 40}) {
        MatmulCase of(rows, cols, depth, options_number(number), number % 3);
        number += 7;
        of.fill_exactly(random_);
        detail::multiply_tiled(product(of), {scratch_, parallel_}, tile());
        ASSERT_TRUE(equal(of.expected_view(), of.out.view())) << of.name();
        ASSERT_TRUE(of.out.gaps_untouched()) << of.name();
      }
    }
  }
}

TEST_P(MatmulKernels, TiledIsExactOnEdgesOfBlocks) {
  constexpr Index kRows[] = {121, 245, 119, 120}, kCols[] = {129, 260, 127, 128},
                  kDepths[] = {257, 520, 255, 256};
  constexpr int kCount = TRIL_SANITIZED ? 2 : 4;
  for (const Index rows : std::span(kRows, kCount)) {
    for (const Index cols : std::span(kCols, kCount)) {
      for (const Index depth : std::span(kDepths, kCount)) {
        MatmulCase of(rows, cols, depth, options_number(rows + cols / 2 + depth), 1);
        of.fill_exactly(random_);
        detail::multiply_tiled(product(of), {scratch_, parallel_}, tile());
        ASSERT_TRUE(equal(of.expected_view(), of.out.view())) << of.name();
        ASSERT_TRUE(of.out.gaps_untouched()) << of.name();
      }
    }
  }
}

// With a transposed A the block of B is wider.
TEST_P(MatmulKernels, TiledIsExactWithATransposedAndManyColumns) {
  for (const Index rows : {7, 130}) {
    for (const Index cols : {1023, 1024, 1100}) {
      for (const int threads : {1, 3}) {
        Parallel parallel(threads);
        MatmulCase of(rows, cols, 35, {.transpose_a = true, .accumulate = rows == 7, .alpha = 2},
                      1);
        of.fill_exactly(random_);
        detail::multiply_tiled(product(of), {scratch_, parallel}, tile());
        ASSERT_TRUE(equal(of.expected_view(), of.out.view())) << of.name();
        ASSERT_TRUE(of.out.gaps_untouched()) << of.name();
      }
    }
  }
}

// With up to few_rows rows, a transposed B is read in place.
TEST_P(MatmulKernels, TiledIsExactOnEdgesOfFewRows) {
  for (const Index rows : {tile().few_rows - 1, tile().few_rows, tile().few_rows + 1}) {
    if (rows < 2) continue;
    for (const Index depth : {5, 64, 600}) {
      MatmulCase of(rows, 261, depth, {.transpose_b = true, .accumulate = depth == 5, .alpha = 3},
                    1);
      of.fill_exactly(random_);
      detail::multiply_tiled(product(of), {scratch_, parallel_}, tile());
      ASSERT_TRUE(equal(of.expected_view(), of.out.view())) << of.name();
      ASSERT_TRUE(of.out.gaps_untouched()) << of.name();
    }
  }
}

TEST_P(MatmulKernels, MultiplyTransposedIsExact) {
  for (Index rows = 1; rows <= 7; ++rows) {
    for (Index cols = 1; cols <= 9; ++cols) {
      for (const Index depth : {1, 3, 4, 15, 16, 17, 50}) {
        MatmulCase of(rows, cols, depth,
                      {.transpose_b = true, .accumulate = depth % 2 == 1, .alpha = 2}, 1);
        of.fill_exactly(random_);
        const MatrixView<float> a = of.a.view(), b = of.b.view(), out = of.out.view();
        tile().multiply_transposed(
            a.data(), a.stride(0), b.data(), b.stride(0), {rows, depth, cols},
            {out.data(), out.stride(0), of.options.alpha, of.options.accumulate});
        ASSERT_TRUE(equal(of.expected_view(), of.out.view())) << of.name();
        ASSERT_TRUE(of.out.gaps_untouched()) << of.name();
      }
    }
  }
}

TEST_P(MatmulKernels, VectorIsExact) {
  for (const Index length : {1, 2, 3, 5, 15, 16, 17, 40, 127, 1030, 4100}) {
    for (const Index depth : {1, 2, 3, 4, 5, 31, 32, 33, 70}) {
      for (Index number = 0; number < 16; ++number) {
        for (const bool row : {true, false}) {
          MatmulCase of(row ? 1 : length, row ? length : 1, depth, options_number(number), 2);
          of.fill_exactly(random_);
          detail::multiply_vector(product(of), {scratch_, parallel_}, vector_kernels(GetParam()));
          ASSERT_TRUE(equal(of.expected_view(), of.out.view())) << of.name();
          ASSERT_TRUE(of.out.gaps_untouched()) << of.name();
        }
      }
    }
  }
}

TEST_P(MatmulKernels, StayWithinTheBound) {
  for (Index number = 0; number < 16; ++number) {
    MatmulCase of(50, 75, 700, options_number(number), 1);
    of.fill_normally(random_);
    detail::multiply_tiled(product(of), {scratch_, parallel_}, tile());
    EXPECT_TRUE(close(of.expected_view(), of.out.view(), of.bound())) << of.name();

    MatmulCase row(1, 1300, 700, options_number(number), 1);
    row.fill_normally(random_);
    detail::multiply_vector(product(row), {scratch_, parallel_}, vector_kernels(GetParam()));
    EXPECT_TRUE(close(row.expected_view(), row.out.view(), row.bound())) << row.name();
  }
}

// Packs once, then multiplies some rows at a time, as attention does.
TEST_P(MatmulKernels, WhatIsPackedServesAnyRows) {
  MatmulCase of(21, 70, 33, {.transpose_b = true, .alpha = 2}, 1);
  of.fill_exactly(random_);
  std::vector<float> panels(static_cast<std::size_t>(tile().packed_count(33, 70)), -1.0f);
  tile().pack_transposed(of.b.view().data(), of.b.view().stride(0), 33, 70, panels.data());
  for (Index i = 0; i < 21; i += 5) {
    const Index rows = std::min<Index>(5, 21 - i);
    const TileOutput to = {of.out.view()[i].data(), of.out.view().stride(0), 2};
    tile().multiply(of.a.view()[i].data(), of.a.view().stride(0), panels.data(), {rows, 33, 70},
                    &to, 1);
  }
  EXPECT_TRUE(equal(of.expected_view(), of.out.view()));
  EXPECT_TRUE(of.out.gaps_untouched());
}

TEST_P(MatmulKernels, PackingFillsTheLastPanelWithZeros) {
  const Index panel = tile().panel_cols, cols = panel + 1, depth = 3;
  Strided b(depth, cols, 2), transposed(cols, depth, 2);
  for (Index k = 0; k < depth; ++k) {
    for (Index j = 0; j < cols; ++j) {
      b.view()[k][j] = transposed.view()[j][k] = static_cast<float>(1 + k * cols + j);
    }
  }
  const auto count = static_cast<std::size_t>(tile().packed_count(depth, cols));
  ASSERT_EQ(count, static_cast<std::size_t>(2 * panel * depth));
  std::vector<float> packed(count + 1, -1.0f), packed_transposed(count + 1, -1.0f);
  tile().pack(b.view().data(), cols + 2, depth, cols, packed.data());
  tile().pack_transposed(transposed.view().data(), depth + 2, depth, cols,
                         packed_transposed.data());
  EXPECT_EQ(packed, packed_transposed);
  EXPECT_EQ(packed.back(), -1.0f);
  for (Index k = 0; k < depth; ++k) {
    const float* const row = packed.data() + (depth + k) * panel;  // in the second panel
    EXPECT_EQ(row[0], static_cast<float>(1 + k * cols + panel));
    for (Index j = 1; j < panel; ++j) EXPECT_EQ(row[j], 0.0f);
  }
}

TEST_P(MatmulKernels, TransposeIsExact) {
  for (Index rows = 1; rows <= 35; ++rows) {
    for (Index cols = 1; cols <= 35; ++cols) {
      Strided from(rows, cols, 3), to(cols, rows, 2);
      fill_normal(from.view(), random_);
      tile().transpose(from.view().data(), cols + 3, rows, cols, to.view().data(), rows + 2);
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) ASSERT_EQ(to.view()[j][i], from.view()[i][j]);
      }
      ASSERT_TRUE(to.gaps_untouched());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, MatmulKernels, ::testing::ValuesIn(available_isas()),
                         [](const auto& info) { return isa_name(info.param); });

}  // namespace
}  // namespace tril
