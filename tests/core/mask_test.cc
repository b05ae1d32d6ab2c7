// Masks against the definitions of their rules, element by element: the hidden keys, and that all
// keys to skip are hidden.
#include <gtest/gtest.h>
#include <tril/attention/mask.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

constexpr float kHidden = -std::numeric_limits<float>::infinity();
constexpr Index kBatches = 3, kHeads = 2, kQueries = 13, kKeys = 17;

// The number that a mask adds to the score of a query and a key, -inf to hide it.
using Rule = std::function<float(Index batch, Index head, Index query, Index key)>;

struct Named {
  std::string name;
  Mask mask;
  Rule rule;  // for queries with position query + offset
};

// Every kind of mask. The dense masks borrow the buffers, of every shape that broadcasts.
struct Masks {
  std::vector<Buffer<float, 4>> additive;
  std::vector<Buffer<std::uint8_t, 4>> boolean;
  std::vector<Named> all;

  explicit Masks(Index offset) {
    const auto hide = [](bool seen) { return seen ? 0.0f : kHidden; };
    const auto add = [&](std::string name, Mask mask, Rule rule) {
      all.push_back({std::move(name), std::move(mask), std::move(rule)});
    };
    add("none", Mask(), [](Index, Index, Index, Index) { return 0.0f; });
    add("causal", Mask::causal(),
        [=](Index, Index, Index t, Index s) { return hide(s <= t + offset); });
    add("window", Mask::window(3, 2), [=](Index, Index, Index t, Index s) {
      return hide(s >= t + offset - 3 && s <= t + offset + 2);
    });
    add("window to the right", Mask::window({}, 2),
        [=](Index, Index, Index t, Index s) { return hide(s <= t + offset + 2); });
    add("window, only itself", Mask::window(0, 0),
        [=](Index, Index, Index t, Index s) { return hide(s == t + offset); });
    add("window without end", Mask::window(std::numeric_limits<Index>::max(), {}),
        [](Index, Index, Index, Index) { return 0.0f; });
    for (const Index local : {1, 2, 4}) {
      for (const Index stride : {1, 3, 8, 100}) {
        add("strided", Mask::strided(local, stride), [=](Index, Index, Index t, Index s) {
          const Index distance = std::abs(t + offset - s);
          return hide(distance < local || distance % stride == 0);
        });
      }
    }
    const std::vector<Index> lengths = {0, 5, kKeys};
    add("padding", Mask::padding(lengths), [=](Index b, Index, Index, Index s) {
      return hide(s < lengths[static_cast<std::size_t>(b)]);
    });

    Random random(1);
    for (int kind = 0; kind < 16; ++kind) {
      const Shape<4> shape = {kind & 1 ? kBatches : 1, kind & 2 ? kHeads : 1,
                              kind & 4 ? kQueries : 1, kind & 8 ? kKeys : 1};
      additive.emplace_back(shape);
      boolean.emplace_back(shape);
      for (Index i = 0; i < additive.back().view().count(); ++i) {
        boolean.back().data()[i] = static_cast<std::uint8_t>(random.below(3));
        additive.back().data()[i] = random.below(2) ? kHidden : random.normal();
      }
    }
    for (std::size_t kind = 0; kind < 16; ++kind) {
      const auto at = [](const auto& view, Index b, Index h, Index t, Index s) {
        const Shape<4>& n = view.shape();
        return view[b % n[0]][h % n[1]][t % n[2]][s % n[3]];
      };
      const TensorView<const float, 4> values = additive[kind];
      const TensorView<const std::uint8_t, 4> visible = boolean[kind];
      add("additive " + shape_text(values), Mask::additive(values),
          [=](Index b, Index h, Index t, Index s) { return at(values, b, h, t, s); });
      add("boolean " + shape_text(visible), Mask::boolean(visible),
          [=](Index b, Index h, Index t, Index s) { return hide(at(visible, b, h, t, s) != 0); });
    }
    const std::size_t single = all.size();
    for (std::size_t i = 0; i + 1 < single; ++i) {
      const Rule first = all[i].rule, second = all[i + 1].rule;
      add(all[i].name + " & " + all[i + 1].name, all[i].mask & all[i + 1].mask,
          [=](Index b, Index h, Index t, Index s) {
            return first(b, h, t, s) + second(b, h, t, s);
          });
    }
  }
};

class MaskTest : public ::testing::TestWithParam<Index> {};

TEST_P(MaskTest, AppliesItsRule) {
  const Index offset = GetParam();
  const Masks masks(offset);
  for (const Named& each : masks.all) {
    SCOPED_TRACE(each.name);
    each.mask.check({kBatches, kHeads, kQueries, kKeys}, "test");
    for (Index b = 0; b < kBatches; ++b) {
      for (Index h = 0; h < kHeads; ++h) {
        // A block in the middle, with rows further apart than it is wide.
        const MaskBlock block = {b, h, 2, 11, offset, {3, 16}};
        std::vector<float> scores(9 * 20, 1.0f);
        scores[0] = std::nanf("");  // a hidden score is hidden, whatever it was
        each.mask.apply(block, scores.data(), 20);
        for (Index t = 2; t < 11; ++t) {
          for (Index s = 3; s < 23; ++s) {
            const float score = scores[static_cast<std::size_t>((t - 2) * 20 + s - 3)];
            if (s >= 16) {
              ASSERT_EQ(score, 1.0f) << "beyond the block";
              continue;
            }
            const float added = each.rule(b, h, t, s);
            if (added == kHidden) {
              ASSERT_EQ(score, kHidden) << t << " " << s;
            } else if (t == 2 && s == 3) {
              ASSERT_TRUE(std::isnan(score));
            } else {
              const float rounding = 2 * static_cast<float>(testing::kEpsilon);
              ASSERT_NEAR(score, 1.0f + added, rounding * (1 + std::fabs(added))) << t << " " << s;
            }
          }
        }
      }
    }
  }
}

// No query sees a key outside of visible(); and for rules with exact ranges, some query sees both
// its ends.
TEST_P(MaskTest, SkipsOnlyWhatNoQuerySees) {
  const Index offset = GetParam();
  const Masks masks(offset);
  for (const Named& each : masks.all) {
    SCOPED_TRACE(each.name);
    const bool single = each.name.find('&') == std::string::npos;
    for (Index b = 0; b < kBatches; ++b) {
      for (const auto& [first, last] : {std::pair<Index, Index>{0, 1}, {4, 5}, {3, 9}, {0, 13}}) {
        for (const auto& [low, high] : {std::pair<Index, Index>{0, kKeys}, {5, 12}}) {
          const KeyRange seen = each.mask.visible({b, 1, first, last, offset, {low, high}});
          ASSERT_GE(seen.first, low);
          ASSERT_LE(seen.last, high);
          ASSERT_LE(seen.first, seen.last);
          const auto anyone_sees = [&, first = first, last = last](Index key) {
            for (Index t = first; t < last; ++t) {
              if (each.rule(b, 1, t, key) != kHidden) return true;
            }
            return false;
          };
          for (Index s = low; s < high; ++s) {
            if (s >= seen.first && s < seen.last) continue;
            ASSERT_FALSE(anyone_sees(s)) << first << " " << s;
          }
          if (single && !seen.empty()) {
            EXPECT_TRUE(anyone_sees(seen.first)) << first << " " << seen.first;
            EXPECT_TRUE(anyone_sees(seen.last - 1)) << first << " " << seen.last;
          }
        }
      }
    }
  }
}

// The reverse: no query outside of seeing() sees a key of the block; and for single rules both its
// ends do.
TEST_P(MaskTest, LeavesOutOnlyQueriesThatSeeNothing) {
  const Index offset = GetParam();
  const Masks masks(offset);
  for (const Named& each : masks.all) {
    SCOPED_TRACE(each.name);
    const bool single = each.name.find('&') == std::string::npos;
    for (Index b = 0; b < kBatches; ++b) {
      for (const auto& [first, last] : {std::pair<Index, Index>{0, 1}, {4, 5}, {3, 9}, {0, 13}}) {
        for (const auto& [low, high] :
             {std::pair<Index, Index>{0, kKeys}, {5, 12}, {0, 1}, {7, 8}, {16, 17}, {6, 6}}) {
          const QueryRange seeing = each.mask.seeing({b, 1, first, last, offset, {low, high}});
          ASSERT_GE(seeing.first, first);
          ASSERT_LE(seeing.last, last);
          ASSERT_LE(seeing.first, seeing.last);
          const auto sees_any = [&, low = low, high = high](Index query) {
            for (Index s = low; s < high; ++s) {
              if (each.rule(b, 1, query, s) != kHidden) return true;
            }
            return false;
          };
          for (Index t = first; t < last; ++t) {
            if (t >= seeing.first && t < seeing.last) continue;
            ASSERT_FALSE(sees_any(t)) << t << " " << low;
          }
          if (single && !seeing.empty()) {
            EXPECT_TRUE(sees_any(seeing.first)) << seeing.first << " " << low;
            EXPECT_TRUE(sees_any(seeing.last - 1)) << seeing.last << " " << low;
          }
        }
      }
    }
  }
}

// Queries at the start of the keys, after 4 past keys, and 5 before the first key.
INSTANTIATE_TEST_SUITE_P(Offsets, MaskTest, ::testing::Values(0, 4, -5));

TEST(Mask, RejectsWhatCannotBe) {
  EXPECT_EQ(error_of([] { Mask::window(-1, 0); }),
            "mask.window: left: must not be negative, is -1");
  EXPECT_EQ(error_of([] { Mask::window({}, -2); }),
            "mask.window: right: must not be negative, is -2");
  EXPECT_EQ(error_of([] { Mask::strided(0, 1); }), "mask.strided: local: must be at least 1, is 0");
  EXPECT_EQ(error_of([] { Mask::strided(1, 0); }),
            "mask.strided: stride: must be at least 1, is 0");
  EXPECT_EQ(error_of([] {
              Mask::padding({1, -1});
            }),
            "mask.padding: lengths: must not be negative, one is -1");
  EXPECT_EQ(error_of([] { Mask::additive({}); }), "mask.dense: values: no tensor given");
  EXPECT_EQ(error_of([] { Mask::boolean({}); }), "mask.dense: values: no tensor given");
}

TEST(Mask, RejectsScoresItDoesNotFit) {
  const Shape<4> scores = {3, 2, 5, 6};
  EXPECT_EQ(error_of([&] {
              Mask::padding({1, 2}).check(scores, "f");
            }),
            "f: mask: 2 lengths for 3 batches; scores are [3, 2, 5, 6]");
  EXPECT_EQ(error_of([&] {
              Mask::padding({1, 2, 7}).check(scores, "f");
            }),
            "f: mask: length 7 is more than there are keys; scores are [3, 2, 5, 6]");
  const Buffer<float, 4> additive({1, 2, 5, 5});
  EXPECT_EQ(
      error_of([&] { (Mask::causal() & Mask::additive(additive)).check(scores, "f"); }),
      "f: mask: a dense mask [1, 2, 5, 5] does not broadcast to the scores; scores are [3, 2, "
      "5, 6]");
  const Buffer<std::uint8_t, 4> boolean({2, 1, 1, 6});
  EXPECT_NE(error_of([&] { Mask::boolean(boolean).check(scores, "f"); }).find("[2, 1, 1, 6]"),
            std::string::npos);
}

}  // namespace
}  // namespace tril
