// Costs of products and layers against loops that count their own operations.
#include <gtest/gtest.h>
#include <tril/lessons/layer_costs.h>
#include <tril/lessons/matmul_cost.h>
#include <tril/matmul/strassen.h>
#include <tril/matmul/tile_kernels.h>

#include <vector>

#include "core/compare.h"
#include "core/counted.h"

namespace tril {
namespace {

using testing::Counted;
using testing::error_of;
using testing::flops_of;

void product(Index rows, Index depth, Index cols) {
  for (Index i = 0; i < rows * cols; ++i) {
    Counted sum;
    for (Index k = 0; k < depth; ++k) sum = sum + Counted(1) * Counted(1);
  }
}

void sums(Index count) {
  for (Index i = 0; i < count; ++i) Counted(1) + Counted(1);
}

TEST(MatmulCost, IsThatOfTheThreeLoops) {
  const Cost cost = matmul_cost({.batches = 3, .rows = 4, .depth = 5, .cols = 6});
  EXPECT_EQ(cost.flops, 3 * flops_of([] { product(4, 5, 6); }));
  EXPECT_EQ(cost.input_bytes, 3 * 4 * (4 * 5 + 5 * 6));
  EXPECT_EQ(cost.output_bytes, 3 * 4 * 4 * 6);
  EXPECT_EQ(cost.bytes(), cost.input_bytes + cost.output_bytes);
  EXPECT_EQ(cost.held_bytes, 0);
  EXPECT_EQ(matmul_cost({.rows = 4, .depth = 5, .cols = 6}, MatmulMethod::strassen).flops,
            matmul_cost({.rows = 4, .depth = 5, .cols = 6}, MatmulMethod::kji).flops);
}

TEST(MatmulCost, IsExactWhereAnIndexOf32BitsIsNot) {
  EXPECT_EQ(matmul_cost({.rows = 100000, .depth = 100000, .cols = 100000}).flops, 2e15);
}

TEST(MatmulCost, OfStrassenHasSevenProductsAndEighteenSums) {
  const Index n = tile_kernels().strassen_from;
  ASSERT_EQ(strassen_levels(n, n, n), 1);
  const double h = static_cast<double>(n) / 2;
  const double one = 7 * 2 * h * h * h + 18 * h * h;
  const auto cost = [](Index rows, Index depth, Index cols) {
    return matmul_cost({.rows = rows, .depth = depth, .cols = cols}, MatmulMethod::strassen).flops;
  };
  EXPECT_EQ(cost(n, n, n), one);
  // One row, one column and one of the depth are left over: plain products, with each term once.
  const double all = 2 * (2 * h + 1) * (2 * h + 1) * (2 * h + 1);
  EXPECT_EQ(cost(n + 1, n + 1, n + 1), one + all - 2 * 8 * h * h * h);
  ASSERT_EQ(strassen_levels(4 * n, 4 * n, 4 * n), 2);
  const double quarter = static_cast<double>(n), two = 2 * quarter;
  const double inner = 7 * 2 * quarter * quarter * quarter + 18 * quarter * quarter;
  EXPECT_EQ(cost(4 * n, 4 * n, 4 * n), 7 * inner + 18 * two * two);
  // The work of one level, by loops, at a size at which they can be run.
  EXPECT_EQ(7 * 2 * 27 + 18 * 9, flops_of([] {
              for (int i = 0; i < 7; ++i) product(3, 3, 3);
              sums(18 * 9);
            }));
}

Counted activated(Activation activation, Counted x) {
  switch (activation) {
    case Activation::relu:
      return x < Counted(0) ? Counted(0) : x;
    case Activation::gelu:
      return x * Counted(0.5) * (Counted(1) + erf(x * Counted(std::sqrt(0.5))));
    case Activation::gelu_tanh: {
      const Counted cube = Counted(0.044715) * x * x * x;
      return x * Counted(0.5) * (Counted(1) + tanh(Counted(0.7978845608) * (x + cube)));
    }
    case Activation::silu:
      return x / (Counted(1) + exp(Counted(-x.value)));
  }
  return {};
}

TEST(MatmulCost, OfStrassenIsByTheLevelsThatAreGiven) {
  const auto cost = [](int levels) {
    return matmul_cost({.rows = 8, .depth = 8, .cols = 8}, MatmulMethod::strassen, levels).flops;
  };
  EXPECT_EQ(cost(0), 2 * 8 * 8 * 8);
  EXPECT_EQ(cost(1), 7 * 2 * 4 * 4 * 4 + 18 * 4 * 4);
  EXPECT_EQ(cost(2), 7 * (7 * 2 * 2 * 2 * 2 + 18 * 2 * 2) + 18 * 4 * 4);
  EXPECT_EQ(cost(-1), cost(0));
  EXPECT_EQ(error_of([&] { cost(3); }), "matmul_cost: levels: must be 0 to 2, is 3");
  EXPECT_EQ(error_of([] { matmul_cost({}, MatmulMethod::tiled, 1); }),
            "matmul_cost: levels: only strassen has levels");
}

TEST(Costs, AddUpButForWhatIsHeld) {
  Cost sum{.flops = 1, .input_bytes = 2, .output_bytes = 3, .held_bytes = 8};
  sum += {.flops = 10, .input_bytes = 20, .output_bytes = 30, .held_bytes = 5};
  EXPECT_EQ(sum.flops, 11);
  EXPECT_EQ(sum.input_bytes, 22);
  EXPECT_EQ(sum.output_bytes, 33);
  EXPECT_EQ(sum.bytes(), 55);
  EXPECT_EQ(sum.held_bytes, 8);
}

TEST(Rates, AreQuotientsOfWhatIsMeasured) {
  EXPECT_EQ(intensity(12, 8), 1.5);
  EXPECT_EQ(gigaflops(3e9, 500), 6);
  EXPECT_EQ(ratio(3, 4), 0.75);
  EXPECT_EQ(intensity(0, 8), 0);
  EXPECT_EQ(error_of([] { intensity(1, 0); }),
            "intensity: bytes: must be finite and more than 0, is 0");
  EXPECT_EQ(error_of([] { gigaflops(-1, 1); }),
            "gigaflops: flops: must be finite and at least 0, is -1");
  EXPECT_NE(
      error_of([] { gigaflops(1, HUGE_VAL); }).find("gigaflops: milliseconds: must be finite"),
      std::string::npos);
  EXPECT_NE(error_of([] { ratio(1, std::nan("")); }).find("ratio: of: must be finite"),
            std::string::npos);
}

TEST(ActivationCost, IsThatOfItsElements) {
  const Cost cost = activation_cost(10, Activation::gelu);
  EXPECT_EQ(cost.flops, 10 * flops_of([] { activated(Activation::gelu, 0.7); }));
  EXPECT_EQ(cost.input_bytes, 40);
  EXPECT_EQ(cost.output_bytes, 40);
  EXPECT_EQ(error_of([] { activation_cost(0, Activation::relu); }),
            "activation_cost: count: must be at least 1, is 0");
}

TEST(LayerCosts, AreThoseOfTheirLoops) {
  for (const auto activation :
       {Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu}) {
    const double each = flops_of([&] { activated(activation, 0.7); });
    EXPECT_EQ(activation_flops(activation), each);
    const Cost feed =
        feed_forward_cost({.rows = 3, .width = 4, .hidden = 7, .activation = activation});
    EXPECT_EQ(feed.flops, flops_of([&] {
                product(3, 4, 7), sums(3 * 7);
                for (int i = 0; i < 3 * 7; ++i) activated(activation, 0.7);
                product(3, 7, 4), sums(3 * 4);
              }));
    EXPECT_EQ(feed.input_bytes, 4 * (3 * 4 + 7 * 4 + 7 + 4 * 7 + 4));
    EXPECT_EQ(feed.output_bytes, 4 * 3 * 4);
    EXPECT_EQ(feed.held_bytes, 4 * 3 * 7);
  }
  const Cost linear = linear_cost(5, 3, 2, false);
  EXPECT_EQ(linear.flops, flops_of([] { product(5, 3, 2); }));
  EXPECT_EQ(linear.input_bytes, 4 * (5 * 3 + 3 * 2));
  EXPECT_EQ(linear_cost(5, 3, 2, true).flops, linear.flops + 10);
  EXPECT_EQ(linear_cost(5, 3, 2, true).input_bytes, linear.input_bytes + 4 * 2);
}

void normalise_row(Index width, bool affine) {
  const std::vector<Counted> x(static_cast<std::size_t>(width), 0.3);
  Counted sum, squares;
  for (const Counted each : x) sum = sum + each;
  const Counted mean = sum / Counted(9);
  for (const Counted each : x) {
    const Counted distance = each - mean;
    squares = squares + distance * distance;
  }
  const Counted inverse = Counted(1) / sqrt(squares / Counted(9) + Counted(1e-5));
  for (const Counted each : x) {
    const Counted normal = (each - mean) * inverse;
    if (affine) normal* Counted(2) + Counted(1);
  }
}

TEST(LayerCosts, OfLayerNormAreThoseOfItsLoops) {
  for (const bool affine : {false, true}) {
    const Cost cost = layer_norm_cost(3, 9, affine);
    EXPECT_EQ(cost.flops, 3 * flops_of([&] { normalise_row(9, affine); }));
    EXPECT_EQ(cost.input_bytes, 4 * (3 * 9 + (affine ? 18 : 0)));
    EXPECT_EQ(cost.output_bytes, 4 * 3 * 9);
  }
}

TEST(LayerCosts, RejectSizesBelowOne) {
  EXPECT_EQ(error_of([] { matmul_cost({.rows = 0}); }),
            "matmul_cost: rows: must be at least 1, is 0");
  EXPECT_EQ(error_of([] { matmul_cost({.cols = -2}); }),
            "matmul_cost: cols: must be at least 1, is -2");
  EXPECT_EQ(error_of([] { linear_cost(1, 0, 1, true); }),
            "linear_cost: in: must be at least 1, is 0");
  EXPECT_EQ(error_of([] { layer_norm_cost(1, 0, true); }),
            "layer_norm_cost: width: must be at least 1, is 0");
  EXPECT_EQ(error_of([] { feed_forward_cost({.hidden = 0}); }),
            "feed_forward_cost: hidden: must be at least 1, is 0");
}

}  // namespace
}  // namespace tril
