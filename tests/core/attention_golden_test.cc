// Attention against PyTorch in float64: the cases of tests/golden/make_attention.py, by every
// method.
#include <gtest/gtest.h>
#include <tril/attention/attention.h>

#include <map>

#include "core/compare.h"
#include "core/golden.h"
#include "core/named_values.h"

namespace tril {
namespace {

struct Case {
  const char* name;
  Index batches, heads, kv_heads, queries, keys, depth, width;
  AttentionOptions options = {};
  Shape<4> additive = {};  // unless 0: the shape of an additive mask, drawn after the values
  Shape<4> boolean = {};
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"single", 1, 1, 1, 1, 1, 1, 1},
      {"pair_causal", 3, 2, 2, 2, 2, 3, 5, {.causal = true}},
      {"odd", 1, 3, 3, 7, 5, 5, 3},
      {"more_keys_causal", 1, 3, 3, 7, 12, 5, 7, {.causal = true}},
      {"fewer_keys_causal", 3, 1, 1, 12, 7, 5, 7, {.causal = true}},
      {"eight_heads", 1, 8, 8, 64, 64, 8, 8, {.causal = true}},
      {"hundred", 1, 2, 2, 100, 100, 16, 5},
      {"long_causal", 1, 1, 1, 129, 129, 16, 16, {.causal = true}},
      {"long_to_short", 1, 2, 1, 129, 64, 7, 9},
      {"one_query", 3, 2, 2, 1, 129, 17, 4},
      {"grouped", 3, 8, 2, 7, 7, 4, 4, {.causal = true}},
      {"multi_query", 1, 3, 1, 64, 70, 4, 6},
      {"scale", 1, 2, 2, 7, 7, 4, 4, {.scale = 0.3f}},
      {"softcap", 1, 2, 2, 7, 9, 4, 4, {.causal = true, .scale = 2.0f, .softcap = 1.5f}},
      {"window", 1, 2, 2, 100, 100, 4, 4, {.mask = Mask::window(10, 3)}},
      {"window_left", 1, 1, 1, 129, 129, 4, 4, {.mask = Mask::window({}, 0)}},
      {"strided", 1, 2, 2, 64, 64, 4, 4, {.mask = Mask::strided(3, 5)}},
      {"strided_causal", 1, 1, 1, 129, 129, 4, 4, {.causal = true, .mask = Mask::strided(4, 16)}},
      {"padding", 3, 2, 2, 7, 12, 4, 4, {.mask = Mask::padding({12, 5, 0})}},
      {"additive", 3, 2, 2, 7, 9, 4, 4, {}, {3, 1, 7, 9}},
      {"additive_heads", 3, 2, 2, 7, 9, 4, 4, {.causal = true}, {1, 2, 1, 9}},
      {"boolean", 3, 2, 2, 7, 9, 4, 4, {}, {}, {1, 2, 7, 9}},
      {"past", 3, 2, 1, 7, 12, 4, 4, {.causal = true, .past = 5}},
      {"past_window", 1, 2, 2, 2, 100, 4, 4, {.mask = Mask::window(20, 0), .past = 98}},
      {"key_lengths", 3, 2, 2, 4, 12, 4, 4, {.causal = true, .key_lengths = {12, 6, 3}}},
      {"everything",
       3,
       4,
       2,
       100,
       129,
       8,
       6,
       {.causal = true,
        .mask = Mask::window(40, 0) & Mask::padding({129, 100, 60}),
        .scale = 0.5f,
        .softcap = 3.0f,
        .past = 29},
       {1, 4, 1, 129}},
  };
  return all;
}

class GoldenAttention : public ::testing::TestWithParam<AttentionMethod> {};

TEST_P(GoldenAttention, IsPyTorchs) {
  Scratch scratch;
  Parallel parallel(2);
  std::uint64_t seed = 100;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Random random(seed++);
    Buffer<float, 4> query({c.batches, c.heads, c.queries, c.depth});
    Buffer<float, 4> key({c.batches, c.kv_heads, c.keys, c.depth});
    Buffer<float, 4> value({c.batches, c.kv_heads, c.keys, c.width});
    fill_normal(query.view(), random);
    fill_normal(key.view(), random);
    fill_normal(value.view(), random);
    AttentionOptions options = c.options;
    options.method = GetParam();
    Buffer<float, 4> additive;
    if (c.additive[0] > 0) {
      additive = Buffer<float, 4>(c.additive);
      fill_normal(additive.view(), random);
      options.mask = options.mask & Mask::additive(additive);
    }
    Buffer<std::uint8_t, 4> boolean;
    if (c.boolean[0] > 0) {
      const Buffer<float, 4> draws = testing::uniform<4>(c.boolean, random);
      boolean = Buffer<std::uint8_t, 4>(c.boolean);
      for (Index i = 0; i < draws.view().count(); ++i) {
        boolean.data()[i] = draws.data()[i] < 0.5f;
      }
      options.mask = options.mask & Mask::boolean(boolean);
    }
    Buffer<float, 4> output({c.batches, c.heads, c.queries, c.width});
    attention(query, key, value, options, output, {scratch, parallel});
    const Buffer<float, 4> expected = testing::golden<4>(std::string("attention/") + c.name);
    EXPECT_TRUE(
        testing::close(expected, output, testing::kPyTorchAbsolute, testing::kPyTorchRelative));
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, GoldenAttention,
                         ::testing::ValuesIn(testing::values_of(kAttentionMethods)));

}  // namespace
}  // namespace tril
