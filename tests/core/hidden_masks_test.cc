// What an additive mask has for a key that another rule hides changes nothing, in whichever order
// the rules stand: it may be NaN, an infinity or huge.
#include <gtest/gtest.h>
#include <tril/attention/additive_attention.h>
#include <tril/attention/attention_backward.h>

#include <string>
#include <vector>

#include "core/hidden.h"

namespace tril {
namespace {

using testing::append, testing::expect_hidden, testing::kInfinity, testing::normal4;

struct Hiding {
  const char* name;
  AttentionOptions options;  // without the additive mask
  bool first;                // whether its mask stands before the additive one
};

// Options that hide keys of 2 batches, by masks and without.
std::vector<Hiding> ways_to_hide(Index queries, Index keys, const Buffer<std::uint8_t, 4>& seen,
                                 const Buffer<float, 4>& shifts) {
  std::vector<Hiding> all;
  const auto add = [&](const char* name, const Mask& mask) {
    for (const bool first : {true, false}) {
      AttentionOptions options;
      options.mask = mask;
      all.push_back({name, options, first});
    }
  };
  add("causal mask", Mask::causal());
  add("window", Mask::window(2, 1));
  add("strided", Mask::strided(2, 3));
  add("padding", Mask::padding({keys - 2, 1}));
  add("boolean", Mask::boolean(seen));
  add("another additive one", Mask::additive(shifts));
  AttentionOptions causal, lengths;
  causal.causal = true;
  all.push_back({"causal", causal, true});
  lengths.key_lengths = {keys - 1, queries}, lengths.causal = true;
  if (queries < keys) all.push_back({"key lengths", lengths, true});
  return all;
}

Buffer<float, 4> hidden_of(const AttentionOptions& options, Index queries, Index keys) {
  Buffer<float, 4> values({2, 1, queries, keys});
  const Mask whole = options.causal ? options.mask & Mask::causal() : options.mask;
  mask_values(whole, 0, values);
  for (std::size_t b = 0; b < options.key_lengths.size(); ++b) {
    for (Index t = 0; t < queries; ++t) {
      for (Index s = 0; s < keys; ++s) {
        const bool sees = s <= t + options.key_lengths[b] - queries;
        values.view()[static_cast<Index>(b)][0][t][s] = sees ? 0 : -kInfinity;
      }
    }
  }
  return values;
}

class HiddenMasks : public ::testing::Test {
 protected:
  // run(options, what the additive mask adds) for each way to hide; `added` has garbage where keys
  // are hidden.
  template <typename Run>
  void for_each_way(Index queries, Index keys, const Run& run) {
    Buffer<std::uint8_t, 4> seen({1, 1, queries, keys});
    Buffer<float, 4> shifts({2, 1, queries, keys}), added({2, 1, queries, keys});
    for (Index t = 0; t < queries; ++t) {
      for (Index s = 0; s < keys; ++s) {
        seen.view()[0][0][t][s] = (t * 7 + s * 5) % 3 != 0;
        for (Index b = 0; b < 2; ++b) {
          shifts.view()[b][0][t][s] = (t + s * 3 + b) % 4 == 0 ? -kInfinity : 0.25f;
        }
      }
    }
    for (Hiding& way : ways_to_hide(queries, keys, seen, shifts)) {
      const Buffer<float, 4> hidden = hidden_of(way.options, queries, keys);
      const Mask additive = Mask::additive(added);
      way.options.mask = way.first ? way.options.mask & additive : additive & way.options.mask;
      expect_hidden(std::string(way.name) + " of " + std::to_string(queries), [&](float garbage) {
        for (Index i = 0; i < added.view().count(); ++i) {
          const float shift = static_cast<float>(i % 5) / 4;
          added.data()[i] = hidden.data()[i] == -kInfinity ? garbage : shift;
        }
        return run(way.options);
      });
      if (HasFatalFailure()) return;
    }
  }

  Scratch scratch_;
  Parallel parallel_{2};
};

TEST_F(HiddenMasks, OfAttentionAndItsBackwardPass) {
  struct Sizes {
    Index queries, keys;
  };
  // Queries in place, a few packed, and more than a block.
  for (const auto& [queries, keys] : {Sizes{3, 9}, Sizes{12, 12}, Sizes{70, 70}}) {
    Random random(31);
    const Buffer<float, 4> query = normal4({2, 4, queries, 5}, random);
    const Buffer<float, 4> key = normal4({2, 2, keys, 5}, random);
    const Buffer<float, 4> value = normal4({2, 2, keys, 7}, random);
    const Buffer<float, 4> d_out = normal4({2, 4, queries, 7}, random);
    for (const AttentionMethod method :
         {AttentionMethod::full, AttentionMethod::blocked, AttentionMethod::online}) {
      for_each_way(queries, keys, [&](AttentionOptions options) {
        options.method = method;
        Buffer<float, 4> out(d_out.shape()), d_query(query.shape()), d_key(key.shape());
        Buffer<float, 4> d_value(value.shape()), d_mask({2, 4, queries, keys});
        Buffer<float, 3> log_sum_exp({2, 4, queries});
        attention(query, key, value, options, out, {scratch_, parallel_},
                  {.log_sum_exp = log_sum_exp});
        attention_backward(d_out, query, key, value, out, log_sum_exp, options,
                           {d_query, d_key, d_value, d_mask}, {scratch_, parallel_});
        std::vector<float> all;
        for (const auto* found : {&out, &d_query, &d_key, &d_value, &d_mask}) {
          append<4>(found->view(), all);
        }
        return all;
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(HiddenMasks, OfAdditiveAttention) {
  const Index queries = 9, keys = 13;
  Random random(32);
  Buffer<float, 3> query({2, queries, 5}), key({2, keys, 6}), value({2, keys, 4});
  for (Buffer<float, 3>* each : {&query, &key, &value}) fill_normal(each->view(), random);
  Buffer<float, 2> w_query({7, 5}), w_key({7, 6});
  Buffer<float, 1> w_score({7});
  fill_normal(w_query.view(), random), fill_normal(w_key.view(), random);
  fill_normal(w_score.view(), random);
  for_each_way(queries, keys, [&](const AttentionOptions& options) {
    std::vector<float> all;
    if (!options.key_lengths.empty()) return all;
    const Mask whole = options.causal ? Mask::causal() & options.mask : options.mask;
    Buffer<float, 3> out({2, queries, 4});
    additive_attention(query, key, value, {w_query, w_key, w_score}, whole, out,
                       {scratch_, parallel_});
    append<3>(out.view(), all);
    return all;
  });
}

TEST_F(HiddenMasks, OfTheValuesOfAMask) {
  for_each_way(9, 13, [&](const AttentionOptions& options) {
    Buffer<float, 4> values({2, 1, 9, 13});
    mask_values(options.causal ? Mask::causal() & options.mask : options.mask, 0, values);
    std::vector<float> all;
    if (!options.key_lengths.empty()) return all;
    append<4>(values.view(), all);
    for (float& each : all) each = each == -kInfinity ? -1 : each;  // the comparison wants numbers
    return all;
  });
}

}  // namespace
}  // namespace tril
