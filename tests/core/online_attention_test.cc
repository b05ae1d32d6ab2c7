// Online softmax: as exact as methods with whole rows; its steps follow its recurrence; it skips
// masked keys, and its memory does not grow with the square of T.
#include <gtest/gtest.h>
#include <tril/lessons/online_attention.h>
#include <tril/matmul/tile_kernels.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/attention_reference.h"
#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::attention_reference;
using testing::close;
using testing::equal;
using testing::error_of;
using testing::kPyTorchAbsolute;
using testing::kPyTorchRelative;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class OnlineAttention : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(1);
    for (Buffer<float, 4>* each : {&query, &key, &value}) fill_normal(each->view(), random);
  }

  static constexpr Index kQueries = 150, kKeys = 170;
  Buffer<float, 4> query{{2, 2, kQueries, 8}}, key{{2, 1, kKeys, 8}}, value{{2, 1, kKeys, 5}};
  Buffer<float, 4> output{{2, 2, kQueries, 5}};
  Scratch scratch;
  Parallel parallel{2};
};

double error(const Buffer<double, 4>& expected, const Buffer<float, 4>& actual) {
  double squares = 0;
  for (Index i = 0; i < expected.view().count(); ++i) {
    squares += std::pow(expected.data()[i] - static_cast<double>(actual.data()[i]), 2);
  }
  return std::sqrt(squares);
}

TEST_F(OnlineAttention, ErrsAtMostTwiceAsMuchAsFullScores) {
  for (const bool causal : {false, true}) {
    // A larger scale makes the maximum move more.
    for (const float scale : {0.1f, 1.0f, 4.0f}) {
      Buffer<float, 4> full(output.shape());
      attention(query, key, value,
                {.causal = causal, .scale = scale, .method = AttentionMethod::full}, full,
                {scratch, parallel});
      online_attention(query, key, value, {.causal = causal, .scale = scale}, {64, 16}, output,
                       {scratch, parallel});
      const auto bias = [&](Index, Index, Index t, Index s) -> double {
        return causal && s > t ? -kInfinity : 0;
      };
      const auto expected =
          attention_reference(query, key, value, static_cast<double>(scale), 0, bias);
      const double online_error = error(expected.output, output);
      const double full_error = error(expected.output, full);
      const std::string name = std::to_string(scale) + (causal ? "_causal" : "");
      RecordProperty("online_over_full_error_" + name, std::to_string(online_error / full_error));
      EXPECT_LE(online_error, 2 * full_error) << name;
    }
  }
}

TEST_F(OnlineAttention, BlocksOfAnySizeGiveTheResult) {
  const AttentionOptions options = {
      .mask = Mask::window(40, 3) & Mask::padding({kKeys, 101}), .scale = 0.7f, .softcap = 5.0f};
  const auto bias = [&](Index b, Index, Index t, Index s) -> double {
    return s >= t - 40 && s <= t + 3 && s < (b == 0 ? kKeys : 101) ? 0 : -kInfinity;
  };
  const auto expected = attention_reference(query, key, value, static_cast<double>(0.7f), 5, bias);
  for (const Index queries : {1, 7, 64, 1000}) {
    for (const Index keys : {1, 3, 16, 50, 128, 1000}) {
      std::fill_n(output.data(), output.view().count(), -7.0f);
      online_attention(query, key, value, options, {queries, keys}, output, {scratch, parallel});
      EXPECT_TRUE(close(expected.output, output, kPyTorchAbsolute, kPyTorchRelative))
          << queries << " " << keys;
    }
  }
}

// maximum_n = max(maximum_n-1, scores), factor = e^(maximum_n-1 - maximum_n), and so on: in double,
// from the traced scores of the method full.
TEST_F(OnlineAttention, StepsFollowTheRecurrence) {
  constexpr Index kBlock = 48, kSteps = 4, kBlockQueries = 50;
  const AttentionOptions options = {.causal = true, .scale = 2.0f};
  Buffer<float, 4> masked({2, 2, kQueries, kKeys}), full(output.shape());
  AttentionOptions traced = options;
  traced.method = AttentionMethod::full;
  attention(query, key, value, traced, full, {scratch, parallel}, {.masked = masked});
  const Shape<4> each = {2, 2, kQueries, kSteps};
  Buffer<float, 4> maximum(each), sum(each), factor(each), visited({2, 2, 3, kSteps});
  Buffer<float, 5> partial({2, 2, kQueries, kSteps, 5});
  online_attention(query, key, value, options, {kBlockQueries, kBlock}, output, {scratch, parallel},
                   {maximum, sum, factor, partial, visited});
  // e^(score - maximum) errs by half of kEpsilon of the difference, here at most twice the largest
  // score, and by an ulp of exp, again at every rescaling; sums round once per key, products once.
  double largest_score = 0;
  for (Index i = 0; i < masked.view().count(); ++i) {
    const double score = std::fabs(static_cast<double>(masked.data()[i]));
    if (std::isfinite(score)) largest_score = std::max(largest_score, score);
  }
  const double relative = testing::kEpsilon * (largest_score + kKeys + 3 * kSteps);
  const double largest_value = testing::max_abs(value.view());
  for (Index b = 0; b < 2; ++b) {
    for (Index h = 0; h < 2; ++h) {
      for (Index t = 0; t < kQueries; ++t) {
        const auto scores = masked.view()[b][h][t];
        double total = 0, weighted = 0;
        float top = -kInfinity;
        for (Index n = 0; n < kSteps; ++n) {
          const Index last_query = std::min((t / kBlockQueries + 1) * kBlockQueries, kQueries) - 1;
          const bool visits = n * kBlock <= last_query;
          EXPECT_EQ(visited.view()[b][h][t / kBlockQueries][n], visits ? 1.0f : 0.0f);
          const float before = top;
          const Index end = std::min((n + 1) * kBlock, kKeys);
          for (Index s = n * kBlock; s < end; ++s) top = std::max(top, scores[s]);
          EXPECT_EQ(maximum.view()[b][h][t][n], top);
          const double scaled = top == before ? 1 : std::exp(static_cast<double>(before - top));
          EXPECT_NEAR(factor.view()[b][h][t][n], scaled, 2 * testing::kEpsilon);
          total *= scaled;
          weighted *= scaled;
          for (Index s = n * kBlock; s < end; ++s) {
            const double weight =
                std::exp(static_cast<double>(scores[s]) - static_cast<double>(top));
            total += weight;
            weighted += weight * static_cast<double>(value.view()[b][0][s][3]);
          }
          EXPECT_NEAR(sum.view()[b][h][t][n], total, relative * total);
          EXPECT_NEAR(partial.view()[b][h][t][n][3], weighted, relative * total * largest_value);
        }
        EXPECT_NEAR(output.view()[b][h][t][3], weighted / total, 2 * relative * largest_value);
      }
    }
  }
}

TEST_F(OnlineAttention, NeedsNoRowOfScores) {
  // Four times as many keys take four times the memory for packing, and nothing else grows.
  const auto peak = [&](Index tokens, AttentionMethod method) {
    Buffer<float, 4> x({1, 1, tokens, 16}), out({1, 1, tokens, 16});
    Scratch own;
    Parallel one;
    attention(x, x, x, {.method = method}, out, own, one);
    return static_cast<double>(own.peak());
  };
  const double small = peak(512, AttentionMethod::online),
               large = peak(2048, AttentionMethod::online);
  EXPECT_LE(large, 4.1 * small);
  // Keys 16 wide, values padded to a panel; 64 rows of 128 scores, a panel and two cache lines
  // more; and for each row two numbers of its state, a factor, and a range of keys.
  const Index panel = tile_kernels().panel_cols;
  const Index floats = 2048 * (16 + panel) + 64 * (128 + panel + 32) + 64 * (3 + 4);
  EXPECT_LE(large, static_cast<double>(floats) * sizeof(float));
  EXPECT_GE(peak(2048, AttentionMethod::full), 2048 * 2048 * sizeof(float));
  RecordProperty("online_peak_bytes_T2048", std::to_string(large));
}

TEST_F(OnlineAttention, RejectsWhatDoesNotFit) {
  std::fill_n(output.data(), output.view().count(), -7.0f);
  const auto message = [&](const OnlineBlocks& blocks, const OnlineTrace& trace = {}) {
    return error_of([&] {
      online_attention(query, key, value, {}, blocks, output, {scratch, parallel}, trace);
    });
  };
  EXPECT_EQ(message({0, 1}), "online_attention: blocks.queries: must be at least 1, is 0");
  EXPECT_EQ(message({1, -1}), "online_attention: blocks.keys: must be at least 1, is -1");
  Buffer<float, 4> wrong({2, 2, kQueries, 2});
  EXPECT_EQ(
      message({64, 50}, {.maximum = wrong}),
      "online_attention: trace.maximum: shape must be [2, 2, 150, 4], is [2, 2, 150, 2]; query "
      "is [2, 2, 150, 8], key is [2, 1, 170, 8], in 4 steps");
  EXPECT_NE(message({64, 50}, {.visited = wrong}).find("trace.visited: shape must be [2, 2, 3, 4]"),
            std::string::npos);
  EXPECT_NE(message({64, 100}, {.sum = {query.data(), {2, 2, kQueries, 2}}}).find("shares memory"),
            std::string::npos);
  for (Index i = 0; i < output.view().count(); ++i) ASSERT_EQ(output.data()[i], -7.0f);
  online_attention(query, key, value, {}, {}, output, {scratch, parallel});
  EXPECT_LT(testing::max_abs(output.view()), 7);
}

}  // namespace
}  // namespace tril
