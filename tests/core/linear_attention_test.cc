// Linear attention, its plain product, attention of low rank: against PyTorch, against each other,
// and wrong input.
#include <gtest/gtest.h>
#include <tril/attention/linear_attention.h>
#include <tril/attention/low_rank_attention.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/attention_reference.h"
#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::golden;
using testing::kPyTorchAbsolute;
using testing::kPyTorchRelative;

class LinearAttention : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(301);
    for (Buffer<float, 4>* each : {&query, &key, &value}) fill_normal(each->view(), random);
  }

  void run(const LinearAttentionOptions& options, TensorView<float, 4> weights = {}) {
    std::fill_n(output.data(), output.view().count(), -7.0f);
    linear_attention(query, key, value, options, output, {scratch, parallel}, weights);
  }

  Buffer<float, 4> query{{2, 4, 13, 6}}, key{{2, 2, 13, 6}}, value{{2, 2, 13, 5}};
  Buffer<float, 4> output{{2, 4, 13, 5}};
  Scratch scratch;
  Parallel parallel{2};
};

TEST_F(LinearAttention, IsPyTorchsInEitherOrder) {
  for (const ProductOrder order : {ProductOrder::values_first, ProductOrder::scores_first}) {
    run({.order = order});
    EXPECT_TRUE(close(golden<4>("efficient/linear"), output, kPyTorchAbsolute, kPyTorchRelative));
    run({.order = order, .causal = true});
    EXPECT_TRUE(
        close(golden<4>("efficient/linear_causal"), output, kPyTorchAbsolute, kPyTorchRelative));
    run({.feature_map = FeatureMap::identity, .order = order, .normalise = false});
    // A sum of 13 * 6 products of up to three normal numbers.
    EXPECT_TRUE(
        close(golden<4>("efficient/plain"), output, 3 * kPyTorchAbsolute, kPyTorchRelative));
  }
}

// The output is a weighted mean of the values, and lies between them: intermediate products too
// large or too small for float change nothing.
TEST(LinearAttentionOfExtremes, IsWithinItsValues) {
  struct Case {
    float feature, value;
  };
  Scratch scratch;
  Parallel parallel{2};
  for (const auto& [feature, number] : {Case{1e13f, 1e20f}, Case{1e13f, 3e38f}, Case{-30, 1e-20f},
                                        Case{-30, 3e38f}, Case{1e13f, 1e-30f}}) {
    for (const bool causal : {false, true}) {
      for (const ProductOrder order : {ProductOrder::values_first, ProductOrder::scores_first}) {
        Buffer<float, 4> x({1, 1, 3, 2}), value({1, 1, 3, 2}), out({1, 1, 3, 2});
        std::fill_n(x.data(), 6, feature);
        std::fill_n(value.data(), 6, number);
        linear_attention(x, x, value, {.order = order, .causal = causal}, out, {scratch, parallel});
        for (Index i = 0; i < 6; ++i) {
          EXPECT_NEAR(out.data()[i] / number, 1, 1e-6) << feature << ", " << number;
        }
      }
    }
  }
}

TEST_F(LinearAttention, WeightsAreWhatValuesAreWeightedWith) {
  Buffer<float, 4> weights({2, 4, 13, 13});
  run({.order = ProductOrder::scores_first, .causal = true}, weights);
  for (Index b = 0; b < 2; ++b) {
    for (Index h = 0; h < 4; ++h) {
      for (Index t = 0; t < 13; ++t) {
        double total = 0, weighted = 0;
        for (Index s = 0; s < 13; ++s) {
          const double weight = static_cast<double>(weights.view()[b][h][t][s]);
          EXPECT_TRUE(s <= t || weight == 0);
          total += weight;
          weighted += weight * static_cast<double>(value.view()[b][h / 2][s][2]);
        }
        // Positive products of 6 features over the product with their sum over up to 13 keys.
        EXPECT_NEAR(total, 1, 2 * testing::sum_bound(6 + 13));
        // 13 products are added up; the weights behind the output, and the traced ones, are each
        // divided by such a sum. Their sum is 1, so the values give the magnitude.
        EXPECT_NEAR(output.view()[b][h][t][2], weighted,
                    (testing::sum_bound(13) + 2 * testing::sum_bound(6 + 13)) *
                        testing::max_abs(value.view()));
      }
    }
  }
}

TEST_F(LinearAttention, TheFutureCannotLeakAndLengthsMayDiffer) {
  // With more queries than keys the last queries see all keys. With more keys than queries the
  // queries see the first keys.
  for (const auto& [queries, keys] : {std::pair<Index, Index>{13, 5}, {5, 13}}) {
    const TensorView<const float, 4> q(query.data(), {2, 4, queries, 6}, query.view().strides());
    const TensorView<const float, 4> k(key.data(), {2, 2, keys, 6}, key.view().strides());
    const TensorView<const float, 4> v(value.data(), {2, 2, keys, 5}, value.view().strides());
    Buffer<float, 4> running({2, 4, queries, 5}), written({2, 4, queries, 5});
    linear_attention(q, k, v, {.causal = true}, running, {scratch, parallel});
    linear_attention(q, k, v, {.order = ProductOrder::scores_first, .causal = true}, written,
                     {scratch, parallel});
    EXPECT_TRUE(close(written, running, kPyTorchAbsolute, kPyTorchRelative));
  }
  run({.causal = true});
  const Buffer<float, 4> before = std::move(output);
  output = Buffer<float, 4>(before.shape());
  for (Index h = 0; h < 2; ++h) {
    for (Index s = 8; s < 13; ++s) {
      std::fill_n(key.view()[1][h][s].data(), 6, 100.0f);
      std::fill_n(value.view()[1][h][s].data(), 5, -100.0f);
    }
  }
  run({.causal = true});
  for (Index h = 0; h < 4; ++h) {
    for (Index t = 0; t < 8; ++t) {
      EXPECT_TRUE(equal(before.view()[1][h][t], output.view()[1][h][t]));
    }
  }
}

TEST_F(LinearAttention, DividesNothingByZero) {
  std::fill_n(query.data(), query.view().count(), -std::numeric_limits<float>::infinity());
  for (const ProductOrder order : {ProductOrder::values_first, ProductOrder::scores_first}) {
    for (const bool causal : {false, true}) {
      run({.order = order, .causal = causal});
      EXPECT_EQ(testing::max_abs(output.view()), 0);
    }
  }
}

// Products of features beyond the range of float, even of double: the weights are those of e^(q +
// k), which may be computed relative to the largest.
TEST_F(LinearAttention, IsRightWhateverTheSizeOfFeatures) {
  const auto log_feature = [](float x) {
    return x > 0 ? std::log(static_cast<double>(x) + 1) : static_cast<double>(x);
  };
  const Buffer<float, 4> queries = std::move(query), keys = std::move(key);
  query = Buffer<float, 4>(queries.shape()), key = Buffer<float, 4>(keys.shape());
  Buffer<float, 4> weights({2, 4, 13, 13});
  for (const float factor : {1.0f, 1e15f, 3e37f}) {
    for (const float offset : {0.0f, -45.0f, -50.0f, -100.0f, -900.0f, -1e5f}) {
      if (factor != 1 && offset != 0) continue;
      for (Index i = 0; i < query.view().count(); ++i) {
        query.data()[i] = factor * queries.data()[i] + offset;
      }
      for (Index i = 0; i < key.view().count(); ++i)
        key.data()[i] = factor * keys.data()[i] + offset;
      for (const ProductOrder order : {ProductOrder::values_first, ProductOrder::scores_first}) {
        for (const bool causal : {false, true}) {
          const bool scores = order == ProductOrder::scores_first;
          run({.order = order, .causal = causal}, scores ? weights.view() : TensorView<float, 4>());
          for (Index b = 0; b < 2; ++b) {
            for (Index h = 0; h < 4; ++h) {
              for (Index t = 0; t < 13; ++t) {
                double most = -1e300, total = 0, sum = 0;
                const Index last = causal ? t : 12;
                double largest_query = -1e300, largest_key = -1e300;
                for (Index d = 0; d < 6; ++d) {
                  largest_query = std::max(largest_query, log_feature(query.view()[b][h][t][d]));
                  for (Index s = 0; s <= last; ++s) {
                    largest_key = std::max(largest_key, log_feature(key.view()[b][h / 2][s][d]));
                  }
                }
                const auto each = [&](const auto& body) {
                  for (Index s = 0; s <= last; ++s) {
                    for (Index d = 0; d < 6; ++d) {
                      body(s, (log_feature(query.view()[b][h][t][d]) - largest_query) +
                                  (log_feature(key.view()[b][h / 2][s][d]) - largest_key));
                    }
                  }
                };
                each([&](Index, double x) { most = std::max(most, x); });
                each([&](Index s, double x) {
                  total += std::exp(x - most);
                  sum += std::exp(x - most) * static_cast<double>(value.view()[b][h / 2][s][2]);
                });
                EXPECT_NEAR(output.view()[b][h][t][2], sum / total, kPyTorchAbsolute)
                    << factor << " " << offset << " " << scores << causal << " " << t;
                if (!scores) continue;
                double first = 0;
                each([&](Index s, double x) { first += s == 0 ? std::exp(x - most) : 0; });
                EXPECT_NEAR(weights.view()[b][h][t][0], first / total, kPyTorchAbsolute);
              }
            }
          }
        }
      }
    }
  }
}

TEST_F(LinearAttention, RejectsWhatDoesNotFit) {
  Buffer<float, 4> weights({2, 4, 13, 13}), wrong({2, 3, 13, 6});
  std::fill_n(output.data(), output.view().count(), -7.0f);
  EXPECT_EQ(error_of([&] {
              linear_attention(query, key, value, {}, output, {scratch, parallel}, weights);
            }),
            "linear_attention: weights: multiplied values first, there are no weights to fill");
  EXPECT_NE(error_of([&] {
              linear_attention(query, wrong, value, {}, output, {scratch, parallel});
            }).find("linear_attention: key: its number of heads must divide that of query"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              linear_attention(query, key, value, {}, wrong, {scratch, parallel});
            }).find("linear_attention: out: shape must be [2, 4, 13, 5], is [2, 3, 13, 6]"),
            std::string::npos);
  for (Index i = 0; i < output.view().count(); ++i) ASSERT_EQ(output.data()[i], -7.0f);
}

class LowRankAttention : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(302);
    for (Buffer<float, 4>* each : {&query, &key, &value}) fill_normal(each->view(), random);
    for (Buffer<float, 2>* each : {&e, &f}) fill_normal(each->view(), random);
  }

  Buffer<float, 4> query{{2, 4, 13, 6}}, key{{2, 2, 17, 6}}, value{{2, 2, 17, 5}};
  Buffer<float, 4> output{{2, 4, 13, 5}};
  Buffer<float, 2> e{{5, 17}}, f{{5, 17}};
  Scratch scratch;
  Parallel parallel{2};
};

TEST_F(LowRankAttention, IsPyTorchs) {
  Buffer<float, 4> weights({2, 4, 13, 5});
  low_rank_attention(query, key, value, e, f, {.scale = 0.25f}, output, {scratch, parallel},
                     {.weights = weights});
  // The projected keys are about sqrt(17) times as large as one operation's usual inputs.
  EXPECT_TRUE(
      close(golden<4>("efficient/low_rank"), output, 5 * kPyTorchAbsolute, kPyTorchRelative));
  for (Index t = 0; t < 13; ++t) {
    double total = 0;
    for (Index r = 0; r < 5; ++r) total += static_cast<double>(weights.view()[1][3][t][r]);
    EXPECT_NEAR(total, 1, testing::sum_bound(5));
  }
}

TEST_F(LowRankAttention, OfFullRankIsAttention) {
  Buffer<float, 2> identity({17, 17});
  for (Index i = 0; i < 17; ++i) identity.view()[i][i] = 1;
  Buffer<float, 4> expected(output.shape());
  low_rank_attention(query, key, value, identity, identity, {}, output, {scratch, parallel});
  attention(query, key, value, {}, expected, {scratch, parallel});
  EXPECT_TRUE(equal(expected, output));
}

TEST_F(LowRankAttention, RejectsWhatDoesNotFit) {
  std::fill_n(output.data(), output.view().count(), -7.0f);
  const auto message = [&](MatrixView<const float> left, MatrixView<const float> right) {
    return error_of([&] {
      low_rank_attention(query, key, value, left, right, {}, output, {scratch, parallel});
    });
  };
  EXPECT_EQ(message({e.data(), {5, 16}}, f),
            "low_rank_attention: e: shape must be [5, 17], is [5, 16]; key is [2, 2, 17, 6], e is "
            "[5, 16]");
  EXPECT_NE(message(e, {f.data(), {4, 17}}).find("low_rank_attention: f: shape must be [5, 17]"),
            std::string::npos);
  EXPECT_EQ(message({}, f), "low_rank_attention: e: no tensor given");
  EXPECT_NE(message({output.data(), {5, 17}}, f).find("out: shares memory with an input"),
            std::string::npos);
  // The trace may not overlap the inputs of projections either, not only the projections.
  const auto traced = [&](float* data) {
    const AttentionTrace trace{.log_sum_exp = {data, {2, 4, 13}}};
    return error_of([&] {
      low_rank_attention(query, key, value, e, f, {}, output, {scratch, parallel}, trace);
    });
  };
  for (float* const input : {query.data(), key.data(), value.data(), e.data(), f.data()}) {
    const float first = *input;
    EXPECT_NE(traced(input).find("low_rank_attention: trace.log_sum_exp: shares memory"),
              std::string::npos);
    EXPECT_EQ(*input, first);
  }
  EXPECT_NE(traced(output.data()).find("trace.log_sum_exp: shares memory"), std::string::npos);
  EXPECT_NE(error_of([&] {
              low_rank_attention(query, key, value, e, f, {.scale = std::nanf("")}, output,
                                 {scratch, parallel});
            }).find("low_rank_attention: scale: must be finite"),
            std::string::npos);
  for (Index i = 0; i < output.view().count(); ++i) ASSERT_EQ(output.data()[i], -7.0f);
  low_rank_attention(query, key, value, e, f, {}, output, {scratch, parallel});
  EXPECT_NE(output.data()[0], -7.0f);
}

}  // namespace
}  // namespace tril
