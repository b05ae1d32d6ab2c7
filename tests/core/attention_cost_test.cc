// Costs of attention and of the block against loops that count their own operations, and the memory
// that they report against the memory that the methods use.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/lessons/attention_cost.h>
#include <tril/lessons/layer_costs.h>
#include <tril/lessons/online_attention.h>
#include <tril/lessons/transformer_block_cost.h>
#include <tril/matmul/tile_kernels.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/compare.h"
#include "core/counted.h"

namespace tril {
namespace {

using testing::Counted;
using testing::error_of;
using testing::flops_of;

// The work of every head, written with counted numbers: the keys that are scored for a query, and
// those that are weighed.
struct Loops {
  Index width, value_width;
  bool capped;

  Counted score() const {
    Counted dot;
    for (Index d = 0; d < width; ++d) dot = dot + Counted(0.1) * Counted(0.2);
    const Counted scaled = dot * Counted(0.5);
    return capped ? Counted(5) * tanh(scaled / Counted(5)) : scaled;
  }
  void combine() const {
    for (Index d = 0; d < value_width; ++d) Counted(0) + Counted(0.1) * Counted(0.2);
  }

  void full_row(Index scored, Index weighed) const {
    for (Index s = 0; s < scored; ++s) score();
    const std::vector<Counted> x(static_cast<std::size_t>(weighed), 0.1);
    Counted largest = -1, sum;
    for (const Counted each : x) largest = largest < each ? each : largest;
    for (const Counted each : x) sum = sum + exp(each - largest);
    for (const Counted each : x) each / sum;
    for (Index s = 0; s < scored; ++s) combine();
  }

  // One query and one block of keys.
  void online_step(Index scored, Index weighed) const {
    for (Index s = 0; s < scored; ++s) score();
    for (Index s = 0; s < scored; ++s) combine();
    if (weighed == 0) return;
    const std::vector<Counted> x(static_cast<std::size_t>(weighed), 0.1);
    Counted largest = -1, sum;
    for (const Counted each : x) largest = largest < each ? each : largest;
    const Counted factor = exp(Counted(-1) - largest);
    sum = sum * factor;
    for (Index d = 0; d < value_width; ++d) Counted(0.3) * factor;
    for (const Counted each : x) sum = sum + exp(each - largest);
  }
  void online_end() const {
    for (Index d = 0; d < value_width; ++d) Counted(0.3) / Counted(2);
  }
};

using Sees = bool (*)(Index t, Index s);
struct Range {
  Index first, last;
  Index size() const { return std::max<Index>(0, last - first); }
};

// The range from the first to the last key in [begin, end) that one of the queries sees.
Range seen(Sees sees, Index first_query, Index last_query, Index begin, Index end) {
  Range range{end, begin};
  for (Index t = first_query; t < last_query; ++t) {
    for (Index s = begin; s < end; ++s) {
      if (!sees(t, s)) continue;
      range = {std::min(range.first, s), std::max(range.last, s + 1)};
    }
  }
  return range;
}

struct Case {
  std::string name;
  Mask mask;
  Sees sees;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"all", {}, [](Index, Index) { return true; }},
      {"causal", Mask::causal(), [](Index t, Index s) { return s <= t; }},
      {"window", Mask::window(20, 3), [](Index t, Index s) { return s >= t - 20 && s <= t + 3; }},
      {"padding", Mask::padding({40}), [](Index, Index s) { return s < 40; }},
      {"none", Mask::padding({0}), [](Index, Index) { return false; }},
  };
  return all;
}

constexpr Index kQueries = 150, kKeys = 170;

// Runs the loops of a head block by block, and returns the number of computed scores.
double run(const Loops& loops, Sees sees, Index query_block, Index key_block, bool online) {
  double scores = 0;
  for (Index first = 0; first < kQueries; first += query_block) {
    const Index last = std::min(first + query_block, kQueries);
    for (Index key = 0; key < kKeys; key += key_block) {
      const Index end = std::min(key + key_block, kKeys);
      const Index scored = seen(sees, first, last, key, end).size();
      if (scored == 0) continue;
      for (Index t = first; t < last; ++t) {
        const Index weighed = seen(sees, t, t + 1, key, end).size();
        scores += static_cast<double>(scored);
        online ? loops.online_step(scored, weighed) : loops.full_row(scored, weighed);
      }
    }
    if (online) {
      for (Index t = first; t < last; ++t) loops.online_end();
    }
  }
  return scores;
}

TEST(AttentionCost, IsThatOfItsLoopsForEveryMethodAndMask) {
  const AttentionSizes sizes = {
      .heads = 4, .kv_heads = 2, .queries = kQueries, .keys = kKeys, .width = 3, .value_width = 2};
  for (const Case& each : cases()) {
    for (const bool capped : {false, true}) {
      const Loops loops{3, 2, capped};
      const AttentionOptions options = {.mask = each.mask, .softcap = capped ? 5.0f : 0.0f};
      const auto expect = [&](AttentionMethod method, Index query_block, Index key_block) {
        SCOPED_TRACE(each.name + " " + std::to_string(static_cast<int>(method)));
        AttentionOptions by = options;
        by.method = method;
        const AttentionCost cost = attention_cost(sizes, by, {query_block, key_block});
        double scores = 0;
        const double flops = flops_of([&] {
          scores = run(loops, each.sees, query_block, key_block, method == AttentionMethod::online);
        });
        EXPECT_EQ(cost.flops, 4 * flops);
        EXPECT_EQ(cost.scores, 4 * scores);
        EXPECT_EQ(cost.input_bytes, 4 * (4 * kQueries * 3 + 2 * kKeys * 5));
        EXPECT_EQ(cost.output_bytes, 4 * 4 * kQueries * 2);
      };
      expect(AttentionMethod::full, kQueries, kKeys);
      expect(AttentionMethod::blocked, 64, kKeys);
      expect(AttentionMethod::automatic, 64, kKeys);
      expect(AttentionMethod::online, 64, 128);
      expect(AttentionMethod::online, 20, 30);
    }
  }
}

TEST(AttentionCost, HasAClosedFormWithoutMask) {
  const AttentionCost cost = attention_cost({.batches = 2,
                                             .heads = 8,
                                             .kv_heads = 8,
                                             .queries = 128,
                                             .keys = 256,
                                             .width = 64,
                                             .value_width = 32},
                                            {});
  const double pairs = 2.0 * 8 * 128 * 256;
  EXPECT_EQ(cost.scores, pairs);
  EXPECT_EQ(cost.flops, pairs * (2 * 64 + 1 + 5 + 2 * 32));
}

// Sizes whose product exceeds a 32-bit Index, as in WebAssembly.
TEST(AttentionCost, CountsWhatNoIndexHolds) {
  const AttentionSizes sizes = {.queries = 128, .keys = 131072, .width = 128, .value_width = 128};
  const double pairs = 128.0 * 131072.0;
  EXPECT_EQ(attention_cost(sizes, {.method = AttentionMethod::full}).flops,
            pairs * (2 * 128 + 1 + 2 * 128 + 5));
  const LinearAttentionOptions scores_first = {.order = ProductOrder::scores_first};
  EXPECT_EQ(linear_attention_cost(sizes, scores_first).flops,
            pairs * (2 * 128 + 2 * 128 + 2) + 2 * 128 * (128.0 + 131072.0));
}

TEST(AttentionCost, IsByTheBlocksOfOnline) {
  const AttentionSizes sizes = {.queries = 600, .keys = 600, .width = 8, .value_width = 8};
  const AttentionOptions online = {.causal = true, .method = AttentionMethod::online};
  const AttentionCost usual = attention_cost(sizes, online);
  EXPECT_EQ(usual.flops, attention_cost(sizes, online, {64, 128}).flops);
  EXPECT_EQ(usual.held_bytes, 4 * 64 * (128 + 3));
  EXPECT_EQ(attention_cost(sizes, online, {5, 7}).held_bytes, 4 * 5 * (7 + 3));
  EXPECT_LT(attention_cost(sizes, online, {5, 7}).scores, usual.scores);
  EXPECT_EQ(error_of([&] {
              attention_cost(sizes, online, {0, 7});
            }),
            "attention_cost: blocks.queries: must be at least 1, is 0");
  EXPECT_EQ(error_of([&] {
              attention_cost(sizes, online, {1, 0});
            }),
            "attention_cost: blocks.keys: must be at least 1, is 0");
}

TEST(AttentionCost, CountsPositionsFromThePastAndTheKeyLengths) {
  AttentionSizes sizes = {.batches = 2, .queries = 4, .keys = 10, .width = 1, .value_width = 1};
  // Method full: the last of the four queries sees all ten keys, and all queries are multiplied
  // with those.
  EXPECT_EQ(
      attention_cost(sizes, {.causal = true, .past = 6, .method = AttentionMethod::full}).scores,
      2 * 4 * 10);
  EXPECT_EQ(attention_cost(sizes, {.causal = true, .method = AttentionMethod::full}).scores,
            2 * 4 * 4);
  EXPECT_EQ(attention_cost(sizes,
                           {.causal = true, .key_lengths = {4, 8}, .method = AttentionMethod::full})
                .scores,
            4 * 4 + 4 * 8);
}

// The peak lies between the reported memory and that plus packing and rounding up.
TEST(AttentionCost, HoldsWhatTheMethodTakes) {
  constexpr Index kTokens = 600, kWidth = 16;
  Buffer<float, 4> x({1, 2, kTokens, kWidth}), out(x.shape());
  const AttentionSizes sizes = {.heads = 2,
                                .kv_heads = 2,
                                .queries = kTokens,
                                .keys = kTokens,
                                .width = kWidth,
                                .value_width = kWidth};
  const TileKernels& kernels = tile_kernels();
  const Index packed =
      2 * (kernels.packed_count(kWidth, kTokens) + kernels.packed_count(kTokens, kWidth));
  for (const auto method :
       {AttentionMethod::full, AttentionMethod::blocked, AttentionMethod::online}) {
    Scratch scratch;
    Parallel parallel;
    attention(x, x, x, {.method = method}, out, {scratch, parallel});
    const double held = attention_cost(sizes, {.method = method}).held_bytes;
    const double peak = static_cast<double>(scratch.peak());
    const Index widened = packed + 64 * kernels.panel_cols;  // a block's scores, in whole panels
    EXPECT_GE(peak, held) << static_cast<int>(method);
    EXPECT_LE(peak, held + 4 * static_cast<double>(widened) + 8 * 64) << static_cast<int>(method);
  }
}

void features(Index count) {
  for (Index i = 0; i < count; ++i) {
    const Counted x = 0.4;
    Counted(0) < x ? x + Counted(1) : exp(x);
  }
}

void accumulate(Index count) {
  for (Index i = 0; i < count; ++i) Counted(0) + Counted(1) * Counted(2);
}

TEST(AttentionCost, OfLinearAttentionIsThatOfItsLoops) {
  constexpr Index T = 7, S = 9, D = 4, V = 3;
  const AttentionSizes sizes = {.batches = 2,
                                .heads = 2,
                                .kv_heads = 1,
                                .queries = T,
                                .keys = S,
                                .width = D,
                                .value_width = V};
  const auto values_first = [&](Index keys, bool normalise) {
    features(D * (T + keys));
    accumulate(keys * D * V + T * D * V);
    if (!normalise) return;
    for (Index i = 0; i < keys * D; ++i) Counted(0) + Counted(1);
    accumulate(T * D);
    for (Index i = 0; i < T * V; ++i) Counted(1) / Counted(2);
  };
  EXPECT_EQ(linear_attention_cost(sizes, {}).flops, 4 * flops_of([&] { values_first(S, true); }));
  EXPECT_EQ(linear_attention_cost(sizes, {.causal = true}).flops,
            4 * flops_of([&] { values_first(T, true); }));
  EXPECT_EQ(linear_attention_cost(sizes, {.normalise = false}).flops,
            4 * flops_of([&] { values_first(S, false); }));
  const LinearAttentionOptions scores_first = {.order = ProductOrder::scores_first};
  EXPECT_EQ(linear_attention_cost(sizes, scores_first).flops, 4 * flops_of([&] {
                                                                features(D * (T + S));
                                                                accumulate(T * S * D);
                                                                for (Index i = 0; i < T * S; ++i)
                                                                  Counted(0) + Counted(1),
                                                                      Counted(1) / Counted(2);
                                                                accumulate(T * S * V);
                                                              }));
  EXPECT_EQ(linear_attention_cost(sizes, {.feature_map = FeatureMap::identity}).flops,
            linear_attention_cost(sizes, {}).flops - 4 * 2 * D * (T + S));
  EXPECT_EQ(linear_attention_cost(sizes, {}).held_bytes, 4 * (D * (T + S) + D * V + D));
  EXPECT_EQ(linear_attention_cost(sizes, {.causal = true}).held_bytes, 4 * (2 * D + D * V + D));
  EXPECT_EQ(linear_attention_cost(sizes, scores_first).held_bytes, 4 * (D * (T + S) + T * S));
}

TEST(AttentionCost, OfLowRankAttentionIsThatOfFewerKeysAndTheProjections) {
  AttentionSizes sizes = {.batches = 2,
                          .heads = 4,
                          .kv_heads = 2,
                          .queries = 30,
                          .keys = 50,
                          .width = 8,
                          .value_width = 6};
  const AttentionCost cost = low_rank_attention_cost(sizes, 5);
  sizes.keys = 5;
  const AttentionCost few = attention_cost(sizes, {});
  EXPECT_EQ(cost.flops, few.flops + 2 * 2 * (2.0 * 5 * 50 * 8 + 2.0 * 5 * 50 * 6));
  EXPECT_EQ(cost.scores, 2 * 4 * 30 * 5);
  EXPECT_EQ(cost.held_bytes, few.held_bytes + 4 * 2 * 2 * 5 * (8 + 6));
  EXPECT_EQ(cost.input_bytes, 4 * (2 * 4 * 30 * 8 + 2 * 2 * 50 * (8 + 6) + 2 * 5 * 50));
}

// x [rows, in] W^T + b
void linear(Index rows, Index in, Index out) {
  accumulate(rows * in * out);
  for (Index i = 0; i < rows * out; ++i) Counted(0) + Counted(1);
}

TEST(AttentionCost, OfSeveralHeadsIsThatOfItsLoops) {
  constexpr Index B = 2, T = 5, S = 6, C = 8, H = 4, Hk = 2;
  const Loops loops{C / H, C / H, false};
  const AttentionCost cost = multi_head_attention_cost({.batches = B,
                                                        .queries = T,
                                                        .keys = S,
                                                        .width = C,
                                                        .heads = H,
                                                        .kv_heads = Hk,
                                                        .cross = true},
                                                       {});
  EXPECT_EQ(cost.flops, flops_of([&] {
              linear(B * T, C, C);
              linear(B * S, C, C / H * Hk), linear(B * S, C, C / H * Hk);
              for (Index i = 0; i < B * H * T; ++i) loops.full_row(S, S);
              linear(B * T, C, C);
            }));
  const double weights = 2 * (C * C + C) + 2 * (C * C / 2 + C / 2);
  EXPECT_EQ(cost.input_bytes, 4 * (B * T * C + B * S * C + weights));
  EXPECT_EQ(cost.output_bytes, 4 * B * T * C);
  EXPECT_EQ(cost.held_bytes, 4 * (2 * B * T * C + 2 * B * S * C / 2 + T * S));
}

TEST(AttentionCost, OfATransformerBlockIsThatOfItsParts) {
  constexpr Index B = 2, T = 5, C = 8, H = 4, F = 16;
  const Loops loops{C / H, C / H, false};
  const AttentionCost cost = transformer_block_cost(
      {.batches = B, .tokens = T, .width = C, .heads = H, .kv_heads = H, .hidden = F}, {});
  const double norms = 2 * layer_norm_cost(B * T, C, true).flops;
  EXPECT_EQ(cost.flops, norms + flops_of([&] {
                          for (int i = 0; i < 4; ++i) linear(B * T, C, C);
                          for (Index i = 0; i < B * H * T; ++i) loops.full_row(T, T);
                          for (Index i = 0; i < 2 * B * T * C; ++i) Counted(0) + Counted(1);
                          linear(B * T, C, F), linear(B * T, F, C);
                          for (Index i = 0; i < B * T * F; ++i) (void)(Counted(0) < Counted(1));
                        }));
  const double weights = 4 * (C * C + C) + 2 * C * F + F + C + 4 * C;
  EXPECT_EQ(cost.input_bytes, 4 * (B * T * C + weights));
  EXPECT_EQ(cost.output_bytes, 4 * B * T * C);
  EXPECT_EQ(cost.held_bytes, 4 * (2 * B * T * C + std::max(4 * B * T * C + T * T, B * T * F)));
}

TEST(AttentionCost, RejectsWhatAttentionRejects) {
  const AttentionSizes sizes = {.queries = 3, .keys = 4};
  EXPECT_EQ(error_of([&] { attention_cost({.keys = 0}, {}); }),
            "attention_cost: keys: must be at least 1, is 0");
  EXPECT_EQ(error_of([&] { attention_cost({.heads = 4, .kv_heads = 3}, {}); }),
            "attention_cost: kv_heads: 3 does not divide the 4 heads");
  EXPECT_NE(error_of([&] { attention_cost(sizes, {.past = 5}); }).find("attention_cost: past"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              attention_cost(sizes, {.mask = Mask::padding({1, 2})});
            }).find("attention_cost: mask: 2 lengths"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { low_rank_attention_cost(sizes, 0); }),
            "low_rank_attention_cost: rank: must be at least 1, is 0");
  EXPECT_EQ(error_of([&] { multi_head_attention_cost({.width = 6, .heads = 4}, {}); }),
            "multi_head_attention_cost: heads: 4 do not divide the width 6");
  EXPECT_EQ(error_of([&] { multi_head_attention_cost({.queries = 2, .keys = 3}, {}); }),
            "multi_head_attention_cost: keys: without cross-attention there are as many as "
            "queries, 2, not 3");
  EXPECT_EQ(error_of([] { softmax_cost(0, 1); }), "softmax_cost: rows: must be at least 1, is 0");
  EXPECT_EQ(softmax_cost(3, 4).flops, 5 * 3 * 4);
}

TEST(SoftmaxCost, IsLessAsTheFormulaIsWritten) {
  const std::vector<Counted> x(6, 0.5);
  EXPECT_EQ(softmax_cost(2, 6, false).flops, 2 * flops_of([&] {
                                               Counted sum;
                                               for (const Counted each : x) sum = sum + exp(each);
                                               for (const Counted each : x) each / sum;
                                             }));
  EXPECT_EQ(softmax_cost(2, 6, false).bytes(), softmax_cost(2, 6).bytes());
}

}  // namespace
}  // namespace tril
