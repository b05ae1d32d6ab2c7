// Additive attention against PyTorch and against its definition in double, and its cost against
// counted loops; triangles of matrices.
#include <gtest/gtest.h>
#include <tril/attention/additive_attention.h>
#include <tril/attention/triangular.h>
#include <tril/lessons/attention_cost.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/counted.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::close;
using testing::Counted;
using testing::equal;
using testing::error_of;
using testing::flops_of;
using testing::golden;
using testing::kPyTorchAbsolute;
using testing::kPyTorchRelative;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class AdditiveAttention : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(300);
    for (Buffer<float, 3>* each : {&query, &key, &value}) fill_normal(each->view(), random);
    fill_normal(w_query.view(), random);
    fill_normal(w_key.view(), random);
    fill_normal(w_score.view(), random);
    std::fill_n(output.data(), output.view().count(), -7.0f);
  }

  AdditiveWeights weights() const { return {w_query, w_key, w_score}; }

  Buffer<float, 3> query{{2, 7, 5}}, key{{2, 9, 6}}, value{{2, 9, 4}}, output{{2, 7, 4}};
  Buffer<float, 2> w_query{{11, 5}}, w_key{{11, 6}};
  Buffer<float, 1> w_score{{11}};
  Scratch scratch;
  Parallel parallel{2};
};

TEST_F(AdditiveAttention, IsPyTorchs) {
  Buffer<float, 3> each({2, 7, 9});
  additive_attention(query, key, value, weights(), Mask::window(2, 1), output, {scratch, parallel},
                     {.weights = each});
  EXPECT_TRUE(close(golden<3>("efficient/additive"), output, kPyTorchAbsolute, kPyTorchRelative));
  EXPECT_TRUE(
      close(golden<3>("efficient/additive_weights"), each, kPyTorchAbsolute, kPyTorchRelative));
}

TEST_F(AdditiveAttention, TracesEveryStage) {
  Buffer<float, 3> queries({2, 7, 11}), keys({2, 9, 11}), scores({2, 7, 9}), masked({2, 7, 9});
  Buffer<float, 3> each({2, 7, 9});
  additive_attention(query, key, value, weights(), Mask::causal() & Mask::padding({9, 0}), output,
                     {scratch, parallel}, {queries, keys, scores, masked, each});
  for (Index b = 0; b < 2; ++b) {
    for (Index t = 0; t < 7; ++t) {
      double total = 0;
      for (Index s = 0; s < 9; ++s) {
        double score = 0;
        for (Index a = 0; a < 11; ++a) {
          double q = 0, k = 0;
          for (Index i = 0; i < 5; ++i) {
            q += static_cast<double>(w_query.view()[a][i]) *
                 static_cast<double>(query.view()[b][t][i]);
          }
          for (Index i = 0; i < 6; ++i) {
            k += static_cast<double>(w_key.view()[a][i]) * static_cast<double>(key.view()[b][s][i]);
          }
          EXPECT_NEAR(queries.view()[b][t][a], q, kPyTorchAbsolute);
          EXPECT_NEAR(keys.view()[b][s][a], k, kPyTorchAbsolute);
          score += static_cast<double>(w_score.data()[a]) * std::tanh(q + k);
        }
        EXPECT_NEAR(scores.view()[b][t][s], score, kPyTorchAbsolute);
        const bool seen = b == 0 && s <= t;
        EXPECT_EQ(masked.view()[b][t][s], seen ? scores.view()[b][t][s] : -HUGE_VALF);
        total += static_cast<double>(each.view()[b][t][s]);
      }
      EXPECT_NEAR(total, b == 0, testing::sum_bound(9));
      EXPECT_EQ(testing::max_abs(output.view()[b][t]) > 0, b == 0) << "batch 1 sees nothing";
    }
  }
}

TEST_F(AdditiveAttention, RejectsWhatDoesNotFit) {
  const auto message = [&](const AdditiveWeights& w, const Mask& mask = {},
                           const AdditiveTrace& trace = {}) {
    return error_of([&] {
      additive_attention(query, key, value, w, mask, output, {scratch, parallel}, trace);
    });
  };
  EXPECT_EQ(message({}), "additive_attention: w_q: no tensor given");
  EXPECT_EQ(message({w_key, w_key, w_score}),
            "additive_attention: w_q: shape must be [11, 5], is [11, 6]; query is [2, 7, "
            "5], key is [2, 9, 6], w_q is [11, 6]");
  EXPECT_NE(message({w_query, w_query, w_score}).find("w_k: shape must be [11, 6]"),
            std::string::npos);
  EXPECT_NE(message({w_query, w_key, {w_score.data(), {10}}}).find("v: shape must be"),
            std::string::npos);
  EXPECT_EQ(message(weights(), Mask::padding({1})),
            "additive_attention: mask: 1 lengths for 2 batches; scores are [2, 1, 7, 9]");
  Buffer<float, 3> wrong({2, 7, 8});
  EXPECT_NE(message(weights(), {}, {.scores = wrong}).find("trace.scores: shape must be [2, 7, 9]"),
            std::string::npos);
  // The trace is computed in place, so two of its views may not share memory.
  Buffer<float, 3> same({2, 7, 9}), wide({2, 9, 11});
  EXPECT_NE(message(weights(), {}, {.scores = same, .weights = same})
                .find("trace.weights: shares memory"),
            std::string::npos);
  EXPECT_NE(message(weights(), {}, {.queries = {wide.data(), {2, 7, 11}}, .keys = wide})
                .find("trace.keys: shares memory"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              additive_attention(query, key, value, weights(), {}, wrong, {scratch, parallel});
            }).find("out: shape must be [2, 7, 4]"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              additive_attention(query, {key.data(), {1, 9, 6}}, value, weights(), {}, output,
                                 {scratch, parallel});
            }).find("key: shape must be [2, 9, 6], is [1, 9, 6]"),
            std::string::npos);
  for (Index i = 0; i < output.view().count(); ++i) ASSERT_EQ(output.data()[i], -7.0f);
  additive_attention(query, key, value, weights(), {}, output, {scratch, parallel});
  EXPECT_LT(testing::max_abs(output.view()), 7);
}

// x [rows, in] W^T
void linear(Index rows, Index in, Index out) {
  for (Index i = 0; i < rows * in * out; ++i) Counted(0) + Counted(1) * Counted(2);
}

// score[t, s] = w_score . tanh(q_t + k_s), softmax of its row, and its share of value [S, Dv]
void attend(Index queries, Index keys, Index units, Index value_width) {
  for (Index t = 0; t < queries; ++t) {
    std::vector<Counted> scores(static_cast<std::size_t>(keys));
    for (Counted& score : scores) {
      for (Index a = 0; a < units; ++a) {
        score = score + Counted(0.1) * tanh(Counted(0.2) + Counted(0.3));
      }
    }
    Counted largest = -1, sum;
    for (const Counted each : scores) largest = largest < each ? each : largest;
    for (const Counted each : scores) sum = sum + exp(each - largest);
    for (const Counted each : scores) each / sum;
    for (Index i = 0; i < keys * value_width; ++i) Counted(0) + Counted(1) * Counted(2);
  }
}

TEST_F(AdditiveAttention, CostsWhatItsLoopsDo) {
  constexpr Index B = 2, T = 7, S = 9, Dq = 5, Dk = 6, Dv = 4, A = 11;  // the sizes of the fixture
  const AttentionCost cost = additive_attention_cost({.batches = B,
                                                      .queries = T,
                                                      .keys = S,
                                                      .width = Dq,
                                                      .key_width = Dk,
                                                      .value_width = Dv,
                                                      .units = A});
  EXPECT_EQ(cost.flops, B * flops_of([] {
                          linear(T, Dq, A), linear(S, Dk, A);
                          attend(T, S, A, Dv);
                        }));
  EXPECT_EQ(cost.scores, B * T * S);
  const Index given = query.view().count() + key.view().count() + value.view().count() +
                      w_query.view().count() + w_key.view().count() + w_score.view().count();
  EXPECT_EQ(cost.input_bytes, 4 * given);
  EXPECT_EQ(cost.output_bytes, 4 * output.view().count());
  EXPECT_EQ(cost.held_bytes, 4 * (T * A + S * A + T * S));
  additive_attention(query, key, value, weights(), {}, output, {scratch, parallel});
  EXPECT_GE(static_cast<double>(scratch.peak()), cost.held_bytes);
}

TEST(AdditiveCost, IsExactWhereAnIndexOf32BitsIsNotEnough) {
  constexpr Index kMany = 2000000000;
  constexpr double kMost = 2e9;
  EXPECT_EQ(additive_attention_cost({.queries = kMany, .keys = kMany}).scores, kMost * kMost);
  EXPECT_EQ(additive_attention_cost({.queries = kMany, .keys = kMany}).held_bytes,
            4 * (2 * kMost + kMost * kMost));
}

TEST(AdditiveCost, RejectsASizeBelowOne) {
  const auto expect = [](const AdditiveSizes& sizes, const std::string& name) {
    EXPECT_EQ(error_of([&] { additive_attention_cost(sizes); }),
              "additive_attention_cost: " + name + ": must be at least 1, is 0");
  };
  expect({.batches = 0}, "batches");
  expect({.queries = 0}, "queries");
  expect({.keys = 0}, "keys");
  expect({.width = 0}, "width");
  expect({.key_width = 0}, "key_width");
  expect({.value_width = 0}, "value_width");
  expect({.units = 0}, "units");
  EXPECT_EQ(additive_attention_cost({}).flops, 4 + 4 + 5 + 2);
}

TEST(Triangular, KeepsOneSideOfTheDiagonal) {
  Random random(1);
  Buffer<float, 3> x({2, 5, 8}), out({2, 5, 8});
  fill_normal(x.view(), random);
  for (const Index diagonal : {-100, -5, -4, -1, 0, 1, 3, 7, 8, 100}) {
    for (const Triangle part : {Triangle::lower, Triangle::upper}) {
      std::fill_n(out.data(), 80, kNaN);
      triangular(x, {part, diagonal}, out);
      for (Index n = 0; n < 2; ++n) {
        for (Index i = 0; i < 5; ++i) {
          for (Index j = 0; j < 8; ++j) {
            const bool kept = part == Triangle::lower ? j <= i + diagonal : j >= i + diagonal;
            EXPECT_EQ(out.view()[n][i][j], kept ? x.view()[n][i][j] : 0.0f) << diagonal;
          }
        }
      }
    }
  }
}

TEST(Triangular, WorksInPlaceAndDropsNaN) {
  Buffer<float, 2> x({2, 2});
  std::fill_n(x.data(), 4, 3.0f);
  x.view()[0][1] = kNaN;
  triangular(x, {}, x);
  EXPECT_EQ(x.view()[0][0], 3.0f);
  EXPECT_EQ(x.view()[0][1], 0.0f);
  EXPECT_EQ(x.view()[1][1], 3.0f);
}

TEST(Triangular, RejectsWhatDoesNotFit) {
  Buffer<float, 2> x({2, 3}), wrong({3, 2});
  EXPECT_EQ(error_of([&] { triangular(x, {}, wrong); }),
            "triangular: out: shape must be [2, 3], is [3, 2]; that of x");
  EXPECT_EQ(error_of([&] { triangular(MatrixView<const float>(), {}, wrong); }),
            "triangular: x: no tensor given");
  const MatrixView<float> shifted(x.data() + 1, {1, 3});
  EXPECT_NE(error_of([&] {
              triangular(MatrixView<const float>(x.data(), {1, 3}), {}, shifted);
            }).find("shares memory"),
            std::string::npos);
}

}  // namespace
}  // namespace tril
