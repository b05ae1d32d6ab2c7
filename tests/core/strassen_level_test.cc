// Strassen's seven products, one level: exact in small integers, and each equal to the product of
// its two sums.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/lessons/strassen_level.h>

#include "core/compare.h"
#include "core/matmul_cases.h"

namespace tril {
namespace {

TEST(StrassenLevel, GivesTheProductExactly) {
  for (const Index rows : {2, 6}) {
    for (const Index depth : {2, 4}) {
      for (const Index cols : {2, 8}) {
        Buffer<float, 2> a({rows, depth}), b({depth, cols}), out({rows, cols});
        Buffer<float, 3> left({7, rows / 2, depth / 2}), right({7, depth / 2, cols / 2}),
            products({7, rows / 2, cols / 2});
        Random random(5);
        testing::fill_integers(a.view(), random);
        testing::fill_integers(b.view(), random);
        strassen_level(a, b, out, {left, right, products});
        Buffer<double, 2> expected({rows, cols}), one({rows / 2, cols / 2});
        matmul_reference(a, b, {}, expected);
        EXPECT_TRUE(testing::equal(expected, out));
        for (Index p = 0; p < 7; ++p) {
          matmul_reference(left.view()[p], right.view()[p], {}, one);
          EXPECT_TRUE(testing::equal(one, products.view()[p]));
        }
      }
    }
  }
}

TEST(StrassenLevel, AddsAndSubtractsQuarters) {
  Buffer<float, 2> a({2, 2}), b({2, 2}), out({2, 2});
  Buffer<float, 3> left({7, 1, 1}), right({7, 1, 1}), products({7, 1, 1});
  for (Index i = 0; i < 4; ++i) {
    a.data()[i] = static_cast<float>(i + 1);  // 1 2 / 3 4
    b.data()[i] = static_cast<float>(i + 5);  // 5 6 / 7 8
  }
  strassen_level(a, b, out, {left, right, products});
  const float lefts[] = {5, 7, 1, 4, 3, 2, -2}, rights[] = {13, 5, -2, 2, 8, 11, 15};
  for (Index p = 0; p < 7; ++p) {
    EXPECT_EQ(left.data()[p], lefts[p]);
    EXPECT_EQ(right.data()[p], rights[p]);
  }
}

TEST(StrassenLevel, RejectsWhatHasNoQuarters) {
  Buffer<float, 2> a({2, 3}), b({3, 2}), out({2, 2});
  Buffer<float, 3> part({7, 1, 1});
  EXPECT_EQ(testing::error_of([&] {
              strassen_level(a, b, out, {part, part, part});
            }),
            "strassen_level: b: every axis must be even; a is [2, 3], b is [3, 2]");
  Buffer<float, 2> even({2, 2});
  EXPECT_EQ(testing::error_of([&] {
              strassen_level(even, even, out, {part, {}, part});
            }),
            "strassen_level: right: no tensor given");
}

}  // namespace
}  // namespace tril
