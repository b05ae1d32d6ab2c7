// Four readings of one product: exact at the end, and equal to the formulas at each step.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/lessons/readings.h>

#include <string>
#include <vector>

#include "core/compare.h"
#include "core/matmul_cases.h"

namespace tril {
namespace {

constexpr Reading kAll[] = {Reading::dot_products, Reading::row_combinations,
                            Reading::column_combinations, Reading::outer_products};

struct Example {
  Example(Index rows, Index depth, Index cols)
      : a({rows, depth}), b({depth, cols}), out({rows, cols}), expected({rows, cols}) {
    Random random(7);
    testing::fill_integers(a.view(), random);
    testing::fill_integers(b.view(), random);
    matmul_reference(a, b, {}, expected);
  }
  Buffer<float, 2> a, b, out;
  Buffer<double, 2> expected;
};

TEST(Readings, EndInTheProduct) {
  for (const Index rows : {1, 2, 5}) {
    for (const Index depth : {1, 3, 4}) {
      for (const Index cols : {1, 2, 6}) {
        Example example(rows, depth, cols);
        for (const Reading reading : kAll) {
          Random garbage(1);
          testing::fill_integers(example.out.view(), garbage);
          Index steps = 0;
          read_product(example.a, example.b, reading, example.out,
                       [&](const ReadingStep&) { ++steps; });
          EXPECT_TRUE(testing::equal(example.expected, example.out));
          EXPECT_EQ(steps, reading_steps(reading, rows, cols, depth));
        }
      }
    }
  }
}

std::string listing(Reading reading) {
  Example example(2, 2, 2);
  std::string all;
  read_product(example.a, example.b, reading, example.out, [&](const ReadingStep& step) {
    for (const Index i : {step.row, step.col, step.depth}) {
      all += i == ReadingStep::kAll ? ":" : std::to_string(i);
    }
    all += " ";
  });
  return all;
}

TEST(Readings, GoStepByStep) {
  EXPECT_EQ(listing(Reading::dot_products), "00: 01: 10: 11: ");
  EXPECT_EQ(listing(Reading::row_combinations), "0:0 0:1 1:0 1:1 ");
  EXPECT_EQ(listing(Reading::column_combinations), ":00 :01 :10 :11 ");
  EXPECT_EQ(listing(Reading::outer_products), "::0 ::1 ");
}

// After step k, the touched elements hold the product of the first k + 1 columns and rows, and the
// rest is still to come.
TEST(Readings, HoldPartialSums) {
  Example example(3, 4, 2);
  read_product(example.a, example.b, Reading::outer_products, example.out,
               [&](const ReadingStep& step) {
                 const Index known = step.depth + 1;
                 Buffer<double, 2> part({3, 2});
                 matmul_reference({example.a.data(), {3, known}, {4, 1}},
                                  {example.b.data(), {known, 2}}, {}, part);
                 EXPECT_TRUE(testing::equal(part, example.out));
               });
  read_product(example.a, example.b, Reading::row_combinations, example.out,
               [&](const ReadingStep& step) {
                 for (Index i = step.row + 1; i < 3; ++i) {
                   for (Index j = 0; j < 2; ++j) EXPECT_EQ(example.out.view()[i][j], 0.0f);
                 }
               });
}

TEST(Readings, RejectWhatDoesNotFit) {
  Buffer<float, 2> a({2, 3}), b({4, 2}), out({2, 2});
  EXPECT_EQ(
      testing::error_of([&] { read_product(a, b, Reading::dot_products, out, [](auto&) {}); }),
      "read_product: b: depth 4 does not match a's depth 3; a is [2, 3], b is [4, 2]");
}

}  // namespace
}  // namespace tril
