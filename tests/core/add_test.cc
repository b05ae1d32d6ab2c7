#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/layers/add.h>

#include <limits>

#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;

TEST(Add, IsOneRoundingOfTheSum) {
  Random random(1);
  for (const int threads : {1, 3}) {
    Parallel parallel(threads);
    for (const Shape<2> shape : {Shape<2>{1, 1}, {1, 7}, {5, 33}, {3, 16400}, {40000, 1}}) {
      SCOPED_TRACE(shape_text<2>(shape));
      const Buffer<float, 2> x = testing::uniform<2>(shape, random),
                             branch = testing::uniform<2>(shape, random);
      Buffer<float, 2> out(shape), expected(shape);
      for (Index i = 0; i < out.view().count(); ++i) {
        expected.data()[i] = x.data()[i] + branch.data()[i];
      }
      add(x, branch, out, parallel);
      EXPECT_TRUE(equal(expected, out));
    }
  }
}

TEST(Add, TakesRowsWithGapsAndWritesNothingBetween) {
  Random random(2);
  Parallel parallel(2);
  const Buffer<float, 2> x = testing::uniform<2>({9, 20}, random);
  Buffer<float, 2> out({9, 24});
  const MatrixView<const float> part(x.data(), {9, 13}, {20, 1});
  const MatrixView<float> written(out.data() + 3, {9, 13}, {24, 1});
  add(part, part, written, parallel);
  for (Index n = 0; n < 9; ++n) {
    for (Index c = 0; c < 24; ++c) {
      const bool inside = c >= 3 && c < 16;
      EXPECT_EQ(out.view()[n][c], inside ? 2 * part[n][c - 3] : 0.0f) << n << ", " << c;
    }
  }
}

TEST(Add, MayWriteOverEitherInput) {
  Random random(3);
  Parallel parallel;
  const Buffer<float, 2> x = testing::uniform<2>({4, 37}, random),
                         branch = testing::uniform<2>({4, 37}, random);
  Buffer<float, 2> expected({4, 37}), first({4, 37}), second({4, 37});
  add(x, branch, expected, parallel);
  for (Index i = 0; i < 4 * 37; ++i) first.data()[i] = x.data()[i];
  for (Index i = 0; i < 4 * 37; ++i) second.data()[i] = branch.data()[i];
  add(first, branch, first, parallel);
  add(x, second, second, parallel);
  EXPECT_TRUE(equal(expected, first));
  EXPECT_TRUE(equal(expected, second));
}

TEST(Add, RejectsWhatDoesNotFitAndWritesNothing) {
  Parallel parallel;
  Buffer<float, 2> x({2, 3}), wide({2, 4}), out({2, 3});
  out.data()[5] = 7;
  EXPECT_EQ(error_of([&] { add({}, x, out, parallel); }), "add: x: no tensor given");
  EXPECT_EQ(error_of([&] { add(x, wide, out, parallel); }),
            "add: branch: shape must be [2, 3], is [2, 4]; the shape of x");
  EXPECT_EQ(error_of([&] { add(x, x, wide, parallel); }),
            "add: out: shape must be [2, 3], is [2, 4]; the shape of x");
  const MatrixView<float> shifted(wide.data() + 1, {2, 3});
  EXPECT_NE(error_of([&] {
              add(x, MatrixView<float>(wide.data(), {2, 3}), shifted, parallel);
            }).find("shares memory"),
            std::string::npos);
  EXPECT_EQ(out.data()[5], 7);
  add(x, x, out, parallel);
  EXPECT_EQ(out.data()[5], 0);
}

}  // namespace
}  // namespace tril
