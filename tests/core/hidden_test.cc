// Masked numbers, and numbers without a gradient, change no bit of anything else: outputs and
// gradients with NaN, infinities or huge numbers there equal those with any other numbers there.
#include <gtest/gtest.h>
#include <tril/attention/additive_attention.h>
#include <tril/attention/attention_backward.h>
#include <tril/attention/linear_attention.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/block_weights.h"
#include "core/compare.h"
#include "core/hidden_masks.h"
#include "core/multi_head_module.h"

namespace tril {
namespace {

using testing::append, testing::expect_hidden, testing::kInfinity, testing::Masks,
    testing::NamedMask, testing::normal, testing::normal4, testing::visibility;

struct Sizes {
  Index queries, keys;
};

// Queries in place, a few packed, and more than a block; the poisoned key of each batch.
constexpr Sizes kSizes[] = {{3, 9}, {12, 12}, {70, 70}};

class HiddenTest : public ::testing::TestWithParam<AttentionMethod> {};

TEST_P(HiddenTest, KeysAndValuesChangeNothing) {
  Scratch scratch;
  Parallel parallel{2};
  for (const Sizes& sizes : kSizes) {
    const Index queries = sizes.queries, keys = sizes.keys;
    const Masks masks(queries, keys);
    for (NamedMask& mask : masks.all()) {
      const Buffer<float, 4> seen = visibility(mask.options, queries, keys);
      mask.options.method = GetParam();
      for (const Index hidden : {Index{1}, keys / 2, keys - 1}) {
        for (const bool extras : {false, true}) {
          if (extras) mask.options.softcap = 2, mask.options.dropout = DropoutOptions{0.3, 5};
          if (!extras) mask.options.softcap = 0, mask.options.dropout = {};
          Random random(11);
          const Buffer<float, 4> query = normal4({2, 4, queries, 5}, random);
          Buffer<float, 4> key = normal4({2, 2, keys, 5}, random);
          Buffer<float, 4> value = normal4({2, 2, keys, 19}, random);
          Buffer<float, 4> d_out = normal4({2, 4, queries, 19}, random);
          const auto sees = [&](Index b, Index t) {
            return seen.view()[b][0][t][hidden] != -kInfinity;
          };
          for (Index b = 0; b < 2; ++b) {
            for (Index t = 0; t < queries; ++t) {
              for (Index h = 0; h < 4 && sees(b, t); ++h) {
                std::fill_n(d_out.view()[b][h][t].data(), 19, 0.0f);
              }
            }
          }
          expect_hidden(mask.name + " of " + std::to_string(queries), [&](float garbage) {
            for (Index b = 0; b < 2; ++b) {
              for (Index h = 0; h < 2; ++h) {
                std::fill_n(key.view()[b][h][hidden].data(), 5, garbage);
                std::fill_n(value.view()[b][h][hidden].data(), 19, garbage);
              }
            }
            Buffer<float, 4> out(d_out.shape()), d_query(query.shape()), d_key(key.shape());
            Buffer<float, 4> d_value(value.shape()), d_mask({2, 4, queries, keys});
            Buffer<float, 3> log_sum_exp({2, 4, queries});
            attention(query, key, value, mask.options, out, {scratch, parallel},
                      {.log_sum_exp = log_sum_exp});
            attention_backward(d_out, query, key, value, out, log_sum_exp, mask.options,
                               {d_query, d_key, d_value, d_mask}, {scratch, parallel});
            std::vector<float> all;
            for (Index b = 0; b < 2; ++b) {
              for (Index t = 0; t < queries; ++t) {
                for (Index h = 0; h < 4 && !sees(b, t); ++h) {
                  append<1>(out.view()[b][h][t], all);
                }
              }
              for (Index h = 0; h < 2; ++h) {
                EXPECT_EQ(testing::max_abs(d_key.view()[b][h][hidden]), 0);
                EXPECT_EQ(testing::max_abs(d_value.view()[b][h][hidden]), 0);
              }
            }
            for (const auto* d : {&d_query, &d_key, &d_value, &d_mask}) append<4>(d->view(), all);
            return all;
          });
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, HiddenTest,
                         ::testing::Values(AttentionMethod::full, AttentionMethod::blocked,
                                           AttentionMethod::online));

// Keys that a query does not see get no gradient from it, whatever the query and its gradient are.
TEST(Hidden, QueriesDoNotReachKeysTheyDoNotSee) {
  Scratch scratch;
  Parallel parallel{2};
  Random random(12);
  const Index tokens = 70;
  Buffer<float, 4> query = normal4({1, 2, tokens, 5}, random);
  Buffer<float, 4> d_out = normal4({1, 2, tokens, 5}, random);
  const Buffer<float, 4> key = normal4({1, 2, tokens, 5}, random);
  const Buffer<float, 4> value = normal4({1, 2, tokens, 5}, random);
  for (const bool gradient : {false, true}) {
    expect_hidden(gradient ? "d_out" : "query", [&](float garbage) {
      for (Index h = 0; h < 2; ++h) {
        std::fill_n((gradient ? d_out : query).view()[0][h][20].data(), 5, garbage);
      }
      Buffer<float, 4> out(d_out.shape()), d_key(key.shape()), d_value(value.shape());
      Buffer<float, 3> log_sum_exp({1, 2, tokens});
      AttentionOptions options;
      options.causal = true;
      attention(query, key, value, options, out, {scratch, parallel}, {.log_sum_exp = log_sum_exp});
      attention_backward(d_out, query, key, value, out, log_sum_exp, options,
                         {{}, d_key, d_value, {}}, {scratch, parallel});
      std::vector<float> all;
      for (Index h = 0; h < 2; ++h) {
        for (Index s = 21; s < tokens; ++s) {
          append<1>(d_key.view()[0][h][s], all);
          append<1>(d_value.view()[0][h][s], all);
        }
      }
      return all;
    });
    std::fill_n(query.view()[0][0][20].data(), 5, 1.0f);
    std::fill_n(query.view()[0][1][20].data(), 5, 1.0f);
  }
}

TEST(Hidden, AdditiveAttention) {
  Scratch scratch;
  Parallel parallel{2};
  const Index queries = 9, keys = 13, hidden = 11;
  const Masks masks(queries, keys);
  for (const NamedMask& mask : masks.all()) {
    if (!mask.options.key_lengths.empty()) continue;
    const Buffer<float, 4> seen = visibility(mask.options, queries, keys);
    const Mask whole = mask.options.causal ? mask.options.mask & Mask::causal() : mask.options.mask;
    Random random(13);
    const Buffer<float, 3> query = normal({2, queries, 5}, random);
    Buffer<float, 3> key = normal({2, keys, 6}, random), value = normal({2, keys, 4}, random);
    Buffer<float, 3> d_out = normal({2, queries, 4}, random);
    Buffer<float, 2> w_query({7, 5}), w_key({7, 6});
    Buffer<float, 1> w_score({7});
    fill_normal(w_query.view(), random), fill_normal(w_key.view(), random);
    fill_normal(w_score.view(), random);
    const AdditiveWeights weights{w_query, w_key, w_score};
    const auto sees = [&](Index b, Index t) { return seen.view()[b][0][t][hidden] != -kInfinity; };
    for (Index b = 0; b < 2; ++b) {
      for (Index t = 0; t < queries; ++t) {
        if (sees(b, t)) std::fill_n(d_out.view()[b][t].data(), 4, 0.0f);
      }
    }
    expect_hidden(mask.name, [&](float garbage) {
      for (Index b = 0; b < 2; ++b) {
        std::fill_n(key.view()[b][hidden].data(), 6, garbage);
        std::fill_n(value.view()[b][hidden].data(), 4, garbage);
      }
      Buffer<float, 1> memory;
      const AdditiveTrace trace = saved_in(memory, [&](SavedMemory& place) {
        return additive_attention_saved(query.shape(), key.shape(), weights, place);
      });
      Buffer<float, 3> out({2, queries, 4}), d_query(query.shape()), d_key(key.shape());
      Buffer<float, 3> d_value(value.shape());
      Buffer<float, 2> d_w_query({7, 5}), d_w_key({7, 6});
      Buffer<float, 1> d_w_score({7});
      additive_attention(query, key, value, weights, whole, out, {scratch, parallel}, trace);
      additive_attention_backward(d_out, query, key, value, weights, trace,
                                  {d_query, d_key, d_value, {d_w_query, d_w_key, d_w_score}},
                                  {scratch, parallel});
      std::vector<float> all;
      for (Index b = 0; b < 2; ++b) {
        for (Index t = 0; t < queries; ++t) {
          if (!sees(b, t)) append<1>(out.view()[b][t], all);
        }
        EXPECT_EQ(testing::max_abs(d_key.view()[b][hidden]), 0);
        EXPECT_EQ(testing::max_abs(d_value.view()[b][hidden]), 0);
      }
      for (const auto* d : {&d_query, &d_key, &d_value}) append<3>(d->view(), all);
      append<2>(d_w_query.view(), all), append<2>(d_w_key.view(), all);
      append<1>(d_w_score.view(), all);
      return all;
    });
    if (HasFatalFailure()) return;
  }
}

// The same for additive attention: neither weights nor gradients of such keys become NaN.
TEST(Hidden, AdditiveQueriesDoNotReachKeysTheyDoNotSee) {
  Scratch scratch;
  Parallel parallel{2};
  const Index queries = 9, keys = 13, poisoned = 4;
  const Masks masks(queries, keys);
  for (const NamedMask& mask : masks.all()) {
    if (!mask.options.key_lengths.empty()) continue;
    const Buffer<float, 4> seen = visibility(mask.options, queries, keys);
    const Mask whole = mask.options.causal ? mask.options.mask & Mask::causal() : mask.options.mask;
    for (const bool gradient : {false, true}) {
      Random random(18);
      Buffer<float, 3> query = normal({2, queries, 5}, random);
      Buffer<float, 3> d_out = normal({2, queries, 4}, random);
      const Buffer<float, 3> key = normal({2, keys, 6}, random);
      const Buffer<float, 3> value = normal({2, keys, 4}, random);
      Buffer<float, 2> w_query({7, 5}), w_key({7, 6});
      Buffer<float, 1> w_score({7});
      fill_normal(w_query.view(), random), fill_normal(w_key.view(), random);
      fill_normal(w_score.view(), random);
      const AdditiveWeights weights{w_query, w_key, w_score};
      expect_hidden(mask.name + (gradient ? ", d_out" : ", query"), [&](float garbage) {
        Buffer<float, 3>& from = gradient ? d_out : query;
        for (Index b = 0; b < 2; ++b) {
          std::fill_n(from.view()[b][poisoned].data(), from.shape()[2], garbage);
        }
        Buffer<float, 1> memory;
        AdditiveTrace trace = saved_in(memory, [&](SavedMemory& place) {
          return additive_attention_saved(query.shape(), key.shape(), weights, place);
        });
        Buffer<float, 3> out(d_out.shape()), again(d_out.shape()), masked({2, queries, keys});
        Buffer<float, 3> d_query(query.shape()), d_key(key.shape()), d_value(value.shape());
        additive_attention(query, key, value, weights, whole, out, {scratch, parallel}, trace);
        additive_attention_backward(d_out, query, key, value, weights, trace,
                                    {d_query, d_key, d_value, {}}, {scratch, parallel});
        std::vector<float> all;
        for (Index b = 0; b < 2; ++b) {
          for (Index t = 0; t < queries; ++t) {
            if (t != poisoned)
              append<1>(out.view()[b][t], all), append<1>(d_query.view()[b][t], all);
          }
          for (Index s = 0; s < keys; ++s) {
            if (seen.view()[b][0][poisoned][s] != -kInfinity) continue;
            EXPECT_EQ(trace.weights[b][poisoned][s], 0.0f);
            append<1>(d_key.view()[b][s], all), append<1>(d_value.view()[b][s], all);
          }
        }
        // Tracing the scores changes no output.
        trace.masked = masked;
        additive_attention(query, key, value, weights, whole, again, {scratch, parallel}, trace);
        EXPECT_TRUE(testing::equal(out, again));
        return all;
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Hidden, LinearAttention) {
  Scratch scratch;
  Parallel parallel{2};
  Random random(14);
  const Index tokens = 20, hidden = 13;
  const Buffer<float, 4> query = normal4({1, 4, tokens, 5}, random);
  Buffer<float, 4> key = normal4({1, 2, tokens, 5}, random);
  Buffer<float, 4> value = normal4({1, 2, tokens, 6}, random);
  for (const auto order : {ProductOrder::values_first, ProductOrder::scores_first}) {
    for (const auto map : {FeatureMap::elu_plus_one, FeatureMap::identity}) {
      for (const bool normalise : {false, true}) {
        expect_hidden(std::string(name_of(kProductOrders, order)), [&](float garbage) {
          for (Index h = 0; h < 2; ++h) {
            std::fill_n(key.view()[0][h][hidden].data(), 5, garbage);
            std::fill_n(value.view()[0][h][hidden].data(), 6, garbage);
          }
          Buffer<float, 4> out({1, 4, tokens, 6});
          linear_attention(query, key, value, {map, order, true, normalise}, out,
                           {scratch, parallel});
          std::vector<float> all;
          for (Index h = 0; h < 4; ++h) {
            for (Index t = 0; t < hidden; ++t) append<1>(out.view()[0][h][t], all);
          }
          return all;
        });
      }
    }
  }
}

}  // namespace
}  // namespace tril
