// Attention against its definition in double, by every method; the properties that no method may
// break.
#include <gtest/gtest.h>
#include <tril/attention/attention.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/attention_fixture.h"
#include "core/named_values.h"
#include "core/sanitized.h"

namespace tril {
namespace {

using testing::attention_reference;
using testing::close;
using testing::equal;
using testing::error_of;
using testing::ErrorBound;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

using AttentionTest = testing::AttentionTest;
using Inputs = testing::AttentionInputs;
using Sizes = testing::AttentionDrawSizes;

INSTANTIATE_TEST_SUITE_P(Methods, AttentionTest,
                         ::testing::ValuesIn(testing::values_of(kAttentionMethods)));

// Each thread has its own working memory, whose size tells the number of threads. Products of fewer
// than 128 Ki multiplications take one thread on every processor, and of more than 512 Ki several;
// so do few queries that read more than 32 Ki numbers.
TEST_P(AttentionTest, LittleWorkTakesOneThread) {
  Parallel one, three(3);
  Random random(16);
  const auto takes_more = [&](const Sizes& sizes) {
    Inputs in(sizes, random);
    Scratch alone, shared;
    attention(in.query, in.key, in.value, {.method = GetParam()}, in.output, alone, one);
    const Buffer<float, 4> expected = std::move(in.output);
    in.output = Buffer<float, 4>(expected.shape());
    attention(in.query, in.key, in.value, {.method = GetParam()}, in.output, shared, three);
    EXPECT_TRUE(equal(expected, in.output));
    return shared.peak() > alone.peak();
  };
  EXPECT_FALSE(takes_more({1, 2, 2, 9, 9, 8, 8}));
  EXPECT_FALSE(takes_more({1, 1, 1, 1, 200, 64, 64}));
  EXPECT_EQ(takes_more({1, 4, 4, 64, 64, 64, 64}), three.threads() > 1);
  EXPECT_EQ(takes_more({1, 1, 1, 1, 600, 64, 64}), three.threads() > 1);
}

// One axis after the other: below, at and above the sizes of tiles, panels and blocks.
TEST_P(AttentionTest, IsWithinTheBoundForEverySize) {
  std::vector<Sizes> all;
  for (const Index n : {1, 2, 3, 5, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 200}) {
    if (TRIL_SANITIZED && n > 129) break;
    all.push_back({1, 1, 1, n, 20, 8, 8});
    all.push_back({1, 2, 1, 7, n, 5, 6});
    all.push_back({1, 1, 1, 9, 10, n, 3});
    all.push_back({1, 1, 1, 9, 10, 3, n});
    all.push_back({2, 1, 1, n, n, 4, 5});
  }
  // Under sanitizers the reference would take half a minute for the larger one.
  all.push_back(TRIL_SANITIZED ? Sizes{3, 6, 2, 20, 150, 12, 10} : Sizes{3, 6, 2, 70, 300, 12, 40});
  Random random(1);
  for (const Sizes& n : all) {
    for (const bool causal : {false, true}) {
      Inputs in(n, random);
      run(in, {.causal = causal});
      const double scale = 1 / std::sqrt(static_cast<double>(n.depth));
      const auto bias = [&](Index, Index, Index t, Index s) -> double {
        return causal && s > t ? -kInfinity : 0;
      };
      const auto expected = attention_reference(in.query, in.key, in.value, scale, 0, bias);
      EXPECT_TRUE(close(expected.output, in.output, in.bound(scale, 0).output)) << causal;
    }
  }
}

TEST_P(AttentionTest, EveryStageIsWithinTheBound) {
  Random random(2);
  const Sizes n{2, 4, 2, 70, 90, 9, 5};
  Inputs in(n, random);
  Buffer<float, 4> additive({1, 4, 1, 90});
  fill_normal(additive.view(), random);
  const double scale = 0.4, softcap = 2.5;
  const AttentionOptions options = {.causal = true,
                                    .mask = Mask::window(30, 0) & Mask::additive(additive),
                                    .scale = static_cast<float>(scale),
                                    .softcap = static_cast<float>(softcap),
                                    .past = 20};
  const Shape<4> shape = {2, 4, 70, 90};
  Buffer<float, 4> scores(shape), capped(shape), masked(shape), weights(shape);
  const bool traced = GetParam() != AttentionMethod::online;
  run(in, options, traced ? AttentionTrace{scores, capped, masked, weights} : AttentionTrace{});
  const auto bias = [&](Index, Index h, Index t, Index s) -> double {
    const bool seen = s <= t + 20 && s >= t + 20 - 30;
    return seen ? static_cast<double>(additive.view()[0][h][0][s]) : -kInfinity;
  };
  const auto expected = attention_reference(in.query, in.key, in.value, scale, softcap, bias);
  const ErrorBound bound = in.bound(scale, testing::max_abs(additive.view()));
  // tanh has a slope of at most 1, and rounds numbers up to the cap a few times.
  const double cap_error = bound.score + 8 * testing::kEpsilon * softcap;
  EXPECT_TRUE(close(expected.output, in.output, bound.output + 4 * cap_error));
  if (!traced) return;
  EXPECT_TRUE(close(expected.scores, scores, bound.score));
  EXPECT_TRUE(close(expected.capped, capped, cap_error));
  EXPECT_TRUE(close(expected.masked, masked, cap_error));
  EXPECT_TRUE(close(expected.weights, weights, bound.weight + 4 * cap_error));

  // Tracing changes no bit of the output.
  const Buffer<float, 4> output = std::move(in.output);
  in.output = Buffer<float, 4>(output.shape());
  run(in, options);
  EXPECT_TRUE(equal(output, in.output));
}

TEST_P(AttentionTest, TracingFewQueriesChangesNoBit) {
  if (GetParam() == AttentionMethod::online) GTEST_SKIP() << "online traces no scores";
  Random random(12);
  for (const Index queries : {1, 2, 3}) {
    Inputs in({1, 2, 2, queries, 61, 13, 9}, random);
    const AttentionOptions options = {.causal = true, .mask = Mask::window(20, 0), .past = 37};
    run(in, options);
    const Buffer<float, 4> output = std::move(in.output);
    in.output = Buffer<float, 4>(output.shape());
    Buffer<float, 4> weights({1, 2, queries, 61});
    run(in, options, {.weights = weights});
    EXPECT_TRUE(equal(output, in.output)) << queries;
  }
}

TEST_P(AttentionTest, TheFutureCannotLeak) {
  Random random(3);
  Inputs in({1, 2, 2, 150, 150, 8, 8}, random);
  run(in, {.causal = true});
  Buffer<float, 4> before = std::move(in.output);
  for (const Index now : {0, 1, 63, 64, 100, 149}) {
    Inputs other({1, 2, 2, 150, 150, 8, 8}, random);  // garbage, but finite
    for (Index h = 0; h < 2; ++h) {
      for (Index s = 0; s <= now; ++s) {
        std::copy_n(in.query.view()[0][h][s].data(), 8, other.query.view()[0][h][s].data());
        std::copy_n(in.key.view()[0][h][s].data(), 8, other.key.view()[0][h][s].data());
        std::copy_n(in.value.view()[0][h][s].data(), 8, other.value.view()[0][h][s].data());
      }
    }
    run(other, {.causal = true});
    for (Index h = 0; h < 2; ++h) {
      for (Index t = 0; t <= now; ++t) {
        ASSERT_TRUE(equal(before.view()[0][h][t], other.output.view()[0][h][t])) << now << " " << t;
      }
    }
  }
}

TEST_P(AttentionTest, PermutingKeysChangesNothing) {
  Random random(4);
  const Sizes n{1, 2, 2, 20, 100, 8, 8};
  Inputs in(n, random);
  Inputs permuted(n, random);
  for (Index h = 0; h < 2; ++h) {
    for (Index s = 0; s < 100; ++s) {
      const Index from = s * 37 % 100;
      std::copy_n(in.key.view()[0][h][from].data(), 8, permuted.key.view()[0][h][s].data());
      std::copy_n(in.value.view()[0][h][from].data(), 8, permuted.value.view()[0][h][s].data());
    }
  }
  std::copy_n(in.query.data(), in.query.view().count(), permuted.query.data());
  run(in, {});
  run(permuted, {});
  // Each is within the bound of the same exact result.
  EXPECT_TRUE(close(in.output, permuted.output, 2 * in.bound(1 / std::sqrt(8.0), 0).output));
}

TEST_P(AttentionTest, ShiftingTheScoresOfAQueryChangesNothing) {
  Random random(5);
  Inputs in({1, 1, 1, 70, 80, 8, 8}, random);
  run(in, {});
  Buffer<float, 4> before = std::move(in.output);
  in.output = Buffer<float, 4>(before.shape());
  Buffer<float, 4> shift({1, 1, 70, 1});
  for (Index t = 0; t < 70; ++t) shift.data()[t] = static_cast<float>(t);
  run(in, {.mask = Mask::additive(shift)});
  EXPECT_TRUE(close(before, in.output, 2 * in.bound(1 / std::sqrt(8.0), 70).output));
}

// log(sum of e^score) of every query, from which a backward pass computes the weights; +inf for a
// query that sees no key. Requesting it changes no bit of the output.
TEST_P(AttentionTest, LogSumExpIsWithinTheBound) {
  Random random(13);
  for (const Index queries : {1, 2, 7, 8, 9, 70}) {
    Inputs in({2, 4, 2, queries, 150, 9, 5}, random);
    const Index past = 40;
    const AttentionOptions options = {.causal = true,
                                      .mask = Mask::window(30, {}) & Mask::padding({150, 45}),
                                      .scale = 0.7f,
                                      .past = past};
    const auto bias = [&](Index b, Index, Index t, Index s) -> double {
      const bool seen = s <= t + past && s >= t + past - 30 && (b == 0 || s < 45);
      return seen ? 0 : -kInfinity;
    };
    const double scale = static_cast<double>(0.7f);
    const auto expected = attention_reference(in.query, in.key, in.value, scale, 0, bias);
    run(in, options);
    const Buffer<float, 4> output = std::move(in.output);
    in.output = Buffer<float, 4>(output.shape());
    Buffer<float, 3> log_sum_exp({2, 4, queries});
    run(in, options, {.log_sum_exp = log_sum_exp});
    EXPECT_TRUE(equal(output, in.output)) << queries;
    // The error of a score, an ulp of the result, and the relative error of the sum.
    const ErrorBound bound = in.bound(scale, 0);
    for (Index b = 0; b < 2; ++b) {
      for (Index h = 0; h < 4; ++h) {
        for (Index t = 0; t < queries; ++t) {
          double sum = 0;
          for (Index s = 0; s < 150; ++s) sum += std::exp(expected.masked.view()[b][h][t][s]);
          const float actual = log_sum_exp.view()[b][h][t];
          if (sum == 0) {
            EXPECT_EQ(actual, kInfinity) << b << " " << t;
          } else {
            EXPECT_NEAR(actual, std::log(sum), bound.weight) << queries << " " << t;
          }
        }
      }
    }
  }
}

// Few queries read keys and values in place: nothing is packed, for any S and any groups.
TEST_P(AttentionTest, DecodingPacksNothing) {
  Random random(14);
  const Index many = TRIL_SANITIZED ? 700 : 9000;  // the reference takes minutes under sanitizers
  for (const Index keys : {Index{300}, many}) {
    for (const Index queries : {1, 8}) {
      const Index heads = 4, kv_heads = 2, depth = 64;
      Inputs in({1, heads, kv_heads, queries, keys, depth, depth}, random);
      Scratch own;
      Parallel one;
      const AttentionOptions options = {
          .causal = true, .past = keys - queries, .method = GetParam()};
      attention(in.query, in.key, in.value, options, in.output, own, one);
      // A row of scores for each query of the heads that share keys, and 64 bytes of state.
      const Index rows = heads / kv_heads * queries;
      EXPECT_LE(own.peak(), static_cast<std::size_t>(rows * (keys + 128) * 4 + 1024));
      EXPECT_LT(own.peak(), static_cast<std::size_t>(in.key.view().count()) * sizeof(float));
      const double scale = 1 / std::sqrt(static_cast<double>(depth));
      const auto bias = [&](Index, Index, Index t, Index s) -> double {
        return s > t + keys - queries ? -kInfinity : 0;
      };
      const auto expected = attention_reference(in.query, in.key, in.value, scale, 0, bias);
      EXPECT_TRUE(close(expected.output, in.output, in.bound(scale, 0).output)) << keys;
    }
  }
}

// A separate key and value head for every query head, with the same values, gives the same result
// up to rounding: for few queries, which are computed together, and for many.
TEST_P(AttentionTest, GroupsShareKeysAndValues) {
  Random random(15);
  for (const Index queries : {1, 3, 8, 20}) {
    const Sizes shared{2, 6, 2, queries, 130, 7, 9};
    Inputs in(shared, random), own({2, 6, 6, queries, 130, 7, 9}, random);
    std::copy_n(in.query.data(), in.query.view().count(), own.query.data());
    for (Index b = 0; b < 2; ++b) {
      for (Index h = 0; h < 6; ++h) {
        std::copy_n(in.key.view()[b][h / 3].data(), 130 * 7, own.key.view()[b][h].data());
        std::copy_n(in.value.view()[b][h / 3].data(), 130 * 9, own.value.view()[b][h].data());
      }
    }
    Buffer<float, 4> dense({2, 6, queries, 130});  // hides different keys from every head
    for (Index i = 0; i < dense.view().count(); ++i) {
      dense.data()[i] = random.below(3) ? random.normal() : -kInfinity;
    }
    const AttentionOptions options = {.mask = Mask::additive(dense), .softcap = 3};
    run(in, options);
    run(own, options);
    EXPECT_TRUE(equal(in.output, own.output)) << queries;
  }
}

TEST_P(AttentionTest, WhoSeesNothingGetsZeros) {
  Random random(6);
  Inputs in({2, 2, 2, 70, 12, 8, 8}, random);
  Buffer<float, 4> weights({2, 2, 70, 12});
  // The last queries of batch 0 see no key of the window, batch 1 sees no key at all.
  const AttentionOptions options = {.mask = Mask::window(3, 3) & Mask::padding({12, 0})};
  run(in, options);
  const auto sees = [](Index b, Index t) { return b == 0 && t < 15; };
  for (Index b = 0; b < 2; ++b) {
    for (Index t = 0; t < 70; ++t) {
      const double largest = testing::max_abs(in.output.view()[b][1][t]);
      EXPECT_EQ(largest > 0, sees(b, t)) << b << " " << t;
    }
  }
  if (GetParam() == AttentionMethod::online) GTEST_SKIP() << "zeros seen; online traces no weights";
  const Buffer<float, 4> untraced = std::move(in.output);
  in.output = Buffer<float, 4>(untraced.shape());
  run(in, options, {.weights = weights});
  EXPECT_TRUE(equal(untraced, in.output));
  for (Index b = 0; b < 2; ++b) {
    for (Index t = 0; t < 70; ++t) {
      double sum = 0;
      for (Index s = 0; s < 12; ++s) sum += static_cast<double>(weights.view()[b][1][t][s]);
      EXPECT_NEAR(sum, sees(b, t), testing::sum_bound(12));
    }
  }
}

// A NaN or infinity stays in its head and batch; in a key it does not reach queries that see no key
// of its block.
TEST_P(AttentionTest, NaNStaysWhereItIs) {
  Random random(7);
  for (const float bad : {kNaN, kInfinity}) {
    Inputs in({2, 4, 2, 10, 10, 4, 4}, random);
    run(in, {.causal = true});
    const Buffer<float, 4> before = std::move(in.output);
    in.output = Buffer<float, 4>(before.shape());
    in.key.view()[1][1][9][2] = bad;  // the last key, seen by the last query alone
    run(in, {.causal = true});
    for (Index b = 0; b < 2; ++b) {
      for (Index h = 0; h < 4; ++h) {
        for (Index t = 0; t < 10; ++t) {
          const bool hit = b == 1 && h >= 2 && t == 9;
          if (hit && std::isnan(bad)) {
            EXPECT_TRUE(std::isnan(in.output.view()[b][h][t][0]));
          } else if (!hit) {
            EXPECT_TRUE(equal(before.view()[b][h][t], in.output.view()[b][h][t]));
          }
        }
      }
    }
  }
}

TEST_P(AttentionTest, LargeAndTinyScoresAreFine) {
  Random random(8);
  for (const float scale : {1e30f, 1e-30f, 0.0f, -1.0f}) {
    Inputs in({1, 1, 1, 5, 9, 4, 4}, random);
    run(in, {.scale = scale});
    const auto expected = attention_reference(in.query, in.key, in.value,
                                              static_cast<double>(scale), 0, testing::no_bias);
    // 1e30: the largest score gets all the weight; 1e-30 and 0: the mean of the values.
    const double scale_of_error = scale == -1.0f ? 1 : 0;
    EXPECT_TRUE(close(expected.output, in.output, in.bound(scale_of_error, 0).output)) << scale;
  }
}

TEST_P(AttentionTest, HeadsInsideAProjectionAreFine) {
  // Queries, keys and values side by side in one [B, T, 3 * H * D], the output in [B, T, H * D].
  constexpr Index B = 2, T = 70, H = 3, D = 5, C = H * D;
  Random random(9);
  Buffer<float, 3> projected({B, T, 3 * C}), joined({B, T, C});
  fill_normal(projected.view(), random);
  const auto heads = [&](float* data, Index width) {
    return TensorView<float, 4>(data, {B, H, T, D}, {T * width, D, width, 1});
  };
  const auto query = heads(projected.data(), 3 * C), key = heads(projected.data() + C, 3 * C),
             value = heads(projected.data() + 2 * C, 3 * C), output = heads(joined.data(), C);
  attention(query, key, value, {.causal = true, .method = GetParam()}, output, {scratch, parallel});
  Inputs apart({B, H, H, T, T, D, D}, random);
  for (Index b = 0; b < B; ++b) {
    for (Index h = 0; h < H; ++h) {
      for (Index t = 0; t < T; ++t) {
        std::copy_n(query[b][h][t].data(), D, apart.query.view()[b][h][t].data());
        std::copy_n(key[b][h][t].data(), D, apart.key.view()[b][h][t].data());
        std::copy_n(value[b][h][t].data(), D, apart.value.view()[b][h][t].data());
      }
    }
  }
  run(apart, {.causal = true});
  EXPECT_TRUE(equal(apart.output.view(), output));
}

TEST_P(AttentionTest, ThreadsChangeNoBit) {
  Random random(10);
  Inputs in({2, 3, 3, 130, 130, 16, 16}, random);
  run(in, {.causal = true});
  const Buffer<float, 4> two = std::move(in.output);
  in.output = Buffer<float, 4>(two.shape());
  Parallel one;
  attention(in.query, in.key, in.value, {.causal = true, .method = GetParam()}, in.output,
            {scratch, one});
  EXPECT_TRUE(equal(two, in.output));
}

}  // namespace
}  // namespace tril
