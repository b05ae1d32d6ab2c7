// A mask as a matrix that is added to the scores, and dense masks that are shorter than the keys.
#include <gtest/gtest.h>
#include <tril/attention/mask.h>
#include <tril/foundation/buffer.h>

#include <array>
#include <limits>
#include <string>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

constexpr float kHidden = -std::numeric_limits<float>::infinity();

TEST(MaskValues, AreZeroWhereAQueryMayLookAndElseMinusInfinity) {
  Buffer<float, 4> out({2, 3, 4, 7});
  std::fill_n(out.data(), out.view().count(), 5.0f);
  mask_values(Mask::window(2, 0) & Mask::padding({7, 3}), 1, out);
  for (Index b = 0; b < 2; ++b) {
    for (Index h = 0; h < 3; ++h) {
      for (Index t = 0; t < 4; ++t) {
        for (Index s = 0; s < 7; ++s) {
          const bool sees = s <= t + 1 && s >= t - 1 && s < (b == 0 ? 7 : 3);
          EXPECT_EQ(out.view()[b][h][t][s], sees ? 0 : kHidden) << b << h << t << s;
        }
      }
    }
  }
}

TEST(MaskValues, OfAdditiveMasksAreTheirSums) {
  std::array<float, 4> row = {1, 2, kHidden, 4}, column = {10, 20, 30, kHidden};
  const Mask mask =
      Mask::additive({row.data(), {1, 1, 1, 4}}) & Mask::additive({column.data(), {1, 1, 4, 1}});
  Buffer<float, 4> out({1, 1, 4, 4});
  mask_values(mask, 0, out);
  for (std::size_t t = 0; t < 4; ++t) {
    for (std::size_t s = 0; s < 4; ++s) {
      EXPECT_EQ(out.view()[0][0][static_cast<Index>(t)][static_cast<Index>(s)], row[s] + column[t]);
    }
  }
}

TEST(MaskValues, RejectWhatDoesNotFit) {
  Buffer<float, 4> out({2, 1, 4, 7});
  EXPECT_NE(error_of([&] { mask_values(Mask::padding({1}), 0, out); }).find("mask_values: mask"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { mask_values({}, -1, out); }),
            "mask_values: past: must not be negative, is -1");
  EXPECT_NE(error_of([&] { mask_values({}, 0, {}); }).find("mask_values: out: no tensor"),
            std::string::npos);
}

// Keys beyond the end of a short mask are hidden, in every block of scores.
TEST(ShortMask, HidesTheKeysBeyondItsEnd) {
  std::array<float, 6> added = {1, kHidden, 3, 4, 5, kHidden};
  std::array<std::uint8_t, 6> visible = {1, 0, 1, 1, 1, 0};
  const Mask additive = Mask::additive({added.data(), {1, 1, 2, 3}}, FewerKeys::hidden);
  const Mask boolean = Mask::boolean({visible.data(), {1, 1, 2, 3}}, FewerKeys::hidden);
  Buffer<float, 4> out({1, 1, 2, 5});
  mask_values(additive, 0, out);
  for (Index t = 0; t < 2; ++t) {
    for (Index s = 0; s < 5; ++s) {
      const float expected = s < 3 ? added[static_cast<std::size_t>(3 * t + s)] : kHidden;
      EXPECT_EQ(out.view()[0][0][t][s], expected);
    }
  }
  for (const Mask& mask : {additive, boolean}) {
    const KeyRange all = mask.visible({.first_query = 0, .last_query = 2, .keys = {0, 5}});
    EXPECT_EQ(all.first, 0);
    EXPECT_EQ(all.last, 3);
    const KeyRange second = mask.visible({.first_query = 1, .last_query = 2, .keys = {0, 5}});
    EXPECT_EQ(second.last, 2);
    EXPECT_TRUE(mask.visible({.first_query = 0, .last_query = 2, .keys = {3, 5}}).empty());
    std::array<float, 2> scores = {7, 7};
    mask.apply({.first_query = 0, .last_query = 1, .keys = {2, 4}}, scores.data(), 2);
    EXPECT_NE(scores[0], kHidden);
    EXPECT_EQ(scores[1], kHidden);
  }
}

TEST(ShortMask, IsOnlyTakenWhereItIsAskedFor) {
  std::array<float, 3> added = {1, 2, 3};
  const TensorView<const float, 4> values(added.data(), {1, 1, 1, 3});
  Buffer<float, 4> out({1, 1, 2, 5});
  EXPECT_NE(error_of([&] { mask_values(Mask::additive(values), 0, out); }).find("broadcast"),
            std::string::npos);
  Buffer<float, 4> shorter({1, 1, 2, 2});
  const Mask padded = Mask::additive(values, FewerKeys::hidden);
  EXPECT_NE(error_of([&] { mask_values(padded, 0, shorter); }).find("broadcast"),
            std::string::npos);
  // A mask of one key then means one key, and does not broadcast.
  const Mask one = Mask::additive({added.data(), {1, 1, 1, 1}}, FewerKeys::hidden);
  mask_values(one, 0, out);
  EXPECT_EQ(out.view()[0][0][1][0], 1);
  EXPECT_EQ(out.view()[0][0][1][1], kHidden);
}

}  // namespace
}  // namespace tril
