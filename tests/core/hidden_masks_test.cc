// An additive mask's number for a key that another rule hides changes nothing, in any order of the
// rules: it may be NaN, an infinity or huge.
#include "core/hidden_masks.h"

#include <gtest/gtest.h>
#include <tril/attention/additive_attention.h>
#include <tril/attention/attention_backward.h>

#include <string>
#include <vector>

namespace tril {
namespace {

using testing::append, testing::expect_hidden, testing::kInfinity, testing::Masks,
    testing::NamedMask, testing::normal4, testing::visibility;

class HiddenMasks : public ::testing::Test {
 protected:
  // Calls run(options) for each mask, with an additive one before or after it that has garbage for
  // hidden keys.
  template <typename Run>
  void for_each_way(Index queries, Index keys, const Run& run) {
    const Masks masks(queries, keys);
    Buffer<float, 4> added({2, 1, queries, keys});
    const Mask additive = Mask::additive(added);
    for (const NamedMask& way : masks.all()) {
      const Buffer<float, 4> seen = visibility(way.options, queries, keys);
      for (const bool first : {true, false}) {
        AttentionOptions options = way.options;
        options.mask = first ? options.mask & additive : additive & options.mask;
        expect_hidden(way.name + " of " + std::to_string(queries), [&](float garbage) {
          for (Index i = 0; i < added.view().count(); ++i) {
            const float shift = static_cast<float>(i % 5) / 4;
            added.data()[i] = seen.data()[i] == -kInfinity ? garbage : shift;
          }
          return run(options);
        });
        if (HasFatalFailure()) return;
      }
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
    for (float& each : all) each = each == -kInfinity ? -1 : each;  // to compare numbers
    return all;
  });
}

}  // namespace
}  // namespace tril
