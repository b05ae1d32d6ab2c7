// The cache of keys and values: its contents, wrong input, and that decoding with it gives the
// results of a single attention call.
#include <gtest/gtest.h>
#include <tril/attention/key_value_cache.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/foundation/random.h>
#include <tril/layers/linear.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/block_weights.h"
#include "core/compare.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;
using testing::WeightSource;

class Cache : public ::testing::Test {
 protected:
  template <int Rank>
  Buffer<float, Rank> normal(const Shape<Rank>& shape) {
    Buffer<float, Rank> buffer(shape);
    fill_normal(buffer.view(), random);
    return buffer;
  }

  Random random{1};
  Scratch scratch;
  Parallel parallel{2};
};

// Tokens [first, first + count) of [B, H, T, D].
TensorView<const float, 4> tokens(const Buffer<float, 4>& all, Index first, Index count) {
  const auto view = all.view();
  return {view.data() + first * view.stride(2),
          {view.size(0), view.size(1), count, view.size(3)},
          view.strides()};
}

// Tokens [first, first + count) of [B, T, C].
TensorView<const float, 3> tokens(const Buffer<float, 3>& all, Index first, Index count) {
  const auto view = all.view();
  return {
      view.data() + first * view.stride(1), {view.size(0), count, view.size(2)}, view.strides()};
}

TEST_F(Cache, HoldsWhatWasAppendedWhereItWas) {
  const Buffer<float, 4> key = normal<4>({2, 3, 7, 4}), value = normal<4>({2, 3, 7, 5});
  KeyValueCache cache({.batches = 2, .heads = 3, .capacity = 9, .width = 4, .value_width = 5});
  EXPECT_EQ(cache.length(), 0);
  EXPECT_EQ(cache.capacity(), 9);
  EXPECT_EQ(cache.bytes(), 2 * 3 * 9 * (4 + 5) * sizeof(float));
  EXPECT_FALSE(cache.keys());
  cache.append(tokens(key, 0, 4), tokens(value, 0, 4));
  const float* const first = cache.keys().data();
  cache.append(tokens(key, 4, 1), tokens(value, 4, 1));
  cache.append(tokens(key, 5, 2), tokens(value, 5, 2));
  EXPECT_EQ(cache.length(), 7);
  EXPECT_EQ(cache.keys().data(), first);
  const auto expect_holds = [&](Index length) {
    ASSERT_EQ(cache.keys().shape(), (Shape<4>{2, 3, length, 4}));
    ASSERT_EQ(cache.values().shape(), (Shape<4>{2, 3, length, 5}));
    for (Index b = 0; b < 2; ++b) {
      for (Index h = 0; h < 3; ++h) {
        for (Index t = 0; t < length; ++t) {
          for (Index i = 0; i < 4; ++i) {
            EXPECT_EQ(cache.keys()[b][h][t][i], key.view()[b][h][t][i]);
          }
          for (Index i = 0; i < 5; ++i) {
            EXPECT_EQ(cache.values()[b][h][t][i], value.view()[b][h][t][i]);
          }
        }
      }
    }
  };
  expect_holds(7);
  cache.set_length(3);
  expect_holds(3);
  cache.append(tokens(key, 3, 4), tokens(value, 3, 4));
  expect_holds(7);
  cache.set_length(0);
  EXPECT_FALSE(cache.values());
}

TEST_F(Cache, RefusesWhatDoesNotFitAndStaysAsItWas) {
  const Buffer<float, 4> key = normal<4>({2, 3, 4, 5});
  KeyValueCache cache({.batches = 2, .heads = 3, .capacity = 9, .width = 5});
  cache.append(key, key);
  const auto refuses = [&](TensorView<const float, 4> k, TensorView<const float, 4> v,
                           const std::string& says) {
    const std::string message = error_of([&] { cache.append(k, v); });
    EXPECT_NE(message.find(says), std::string::npos) << message;
    EXPECT_EQ(cache.length(), 4);
  };
  refuses({}, key, "key_value_cache: key: no tensor given");
  refuses(key, {}, "key_value_cache: value: no tensor given");
  const Buffer<float, 4> six = normal<4>({2, 3, 6, 5}), heads = normal<4>({2, 2, 4, 5});
  refuses(six, six, "capacity of 9 tokens and holds 4; 6 more do not fit");
  refuses(heads, heads, "holds keys [2, 3, 4, 5], those to append are [2, 2, 4, 5]");
  refuses(key, tokens(key, 0, 3), "holds values [2, 3, 4, 5], those to append are [2, 3, 3, 5]");
  EXPECT_NE(error_of([&] { cache.set_length(5); }).find("from 0 to the 4 tokens"),
            std::string::npos);
  EXPECT_NE(error_of([&] { cache.set_length(-1); }).find("is -1"), std::string::npos);
  EXPECT_EQ(cache.length(), 4);
  cache.append(key, key);
  EXPECT_EQ(cache.length(), 8);

  const auto refuses_sizes = [&](const KeyValueCacheSizes& sizes, const std::string& says) {
    const std::string message = error_of([&] { KeyValueCache wrong(sizes); });
    EXPECT_NE(message.find("key_value_cache: " + says), std::string::npos) << message;
  };
  refuses_sizes({.batches = 0}, "batches: must be at least 1, is 0");
  refuses_sizes({.heads = -1}, "heads: must be at least 1, is -1");
  refuses_sizes({.capacity = 0}, "capacity: must be at least 1, is 0");
  refuses_sizes({.width = 0}, "width: must be at least 1, is 0");
  refuses_sizes({.value_width = -2}, "value_width: must be at least 0, is -2");
  refuses_sizes({.capacity = PTRDIFF_MAX / 8, .width = 64}, "capacity: ");
}

// A stacked in_proj is one product for a single input, and each row's sums have the same order as
// in three products: the same bits as with a context that is a copy of x.
TEST_F(Cache, AStackedProjectionGivesTheBitsOfThree) {
  for (const Index width : {24, 64}) {
    for (const Index length : {2, 7, 70}) {
      WeightSource source(random, false);
      const MultiHeadWeights weights = source.attention(width);
      const Buffer<float, 3> x = normal<3>({2, length, width});
      Buffer<float, 3> same(x.shape()), one(x.shape()), three(x.shape());
      std::copy_n(x.data(), x.view().count(), same.data());
      MultiHeadOptions options{.heads = 4, .attention = {.causal = true}};
      multi_head_attention(x, weights, options, one, {scratch, parallel});
      options.context = same;
      multi_head_attention(x, weights, options, three, {scratch, parallel});
      EXPECT_TRUE(equal(one, three)) << width << " " << length;
    }
  }
}

double largest(const float* values, Index count) {
  double largest = 0;
  for (Index i = 0; i < count; ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(values[i])));
  }
  return largest;
}

// Decoding in steps of any size gives the results of all tokens at once. Only the order of sums
// differs, which depends on the number of queries. To first order in the rounding unit u, with q,
// k, v and x the largest elements of queries, keys, values and inputs, and W and O the largest sums
// of absolute values in a row of Win and Wo:
//
//   d = C u x W                            the error of queries, keys and values
//   s = scale D (d k + q d + D u q k)      the error of a score
//   (v (2 s + S u) + d) O + C u v O        the error of an output, since weights sum to 1
//
// Each of the two compared results may have this error.
TEST_F(Cache, DecodesWhatAllTokensAtOnceGive) {
  constexpr Index B = 2, T = 23, C = 32, H = 4, D = C / H;
  constexpr double u = 0x1p-24;
  for (const bool rotates : {false, true}) {
    for (const Index kv_heads : {4, 2}) {
      WeightSource source(random, true);
      MultiHeadWeights weights = source.attention(C);
      Buffer<float, 2> stacked = normal<2>({C + 2 * kv_heads * D, C});
      for (Index i = 0; i < stacked.view().count(); ++i) stacked.data()[i] *= 0.09375f;
      weights.in_proj_weight = stacked;
      const Buffer<float, 3> x = normal<3>({B, T, C});
      Buffer<float, 3> expected(x.shape()), actual(x.shape());
      Buffer<float, 4> queries({B, H, T, D}), keys({B, kv_heads, T, D}), values(keys.shape());
      MultiHeadOptions options{.heads = H, .kv_heads = kv_heads, .attention = {.causal = true}};
      if (rotates) options.rotary = MultiHeadRotary{.base = 100, .width = 6};
      multi_head_attention(x, weights, options, expected, {scratch, parallel},
                           {.queries = queries, .keys = keys, .values = values});

      const auto largest_row = [](const MatrixView<const float>& weight) {
        double most = 0;
        for (Index i = 0; i < weight.size(0); ++i) {
          double sum = 0;
          for (Index j = 0; j < weight.size(1); ++j) {
            sum += std::abs(static_cast<double>(weight[i][j]));
          }
          most = std::max(most, sum);
        }
        return most;
      };
      const double q = largest(queries.data(), B * H * T * D);
      const double k = largest(keys.data(), B * kv_heads * T * D);
      const double v = largest(values.data(), B * kv_heads * T * D);
      const double d =
          C * u * largest(x.data(), B * T * C) * largest_row(weights.in_proj_weight.floats());
      const double s = std::sqrt(double{D}) * (d * k + q * d + D * u * q * k);
      const double O = largest_row(weights.out_proj_weight.floats());
      const double bound = 2 * ((v * (2 * s + T * u) + d) * O + C * u * v * O);
      EXPECT_LT(bound, 0.02 * largest(expected.data(), B * T * C));  // a useful bound

      KeyValueCache cache({.batches = B, .heads = kv_heads, .capacity = T + 1, .width = D});
      options.past = &cache;
      for (const std::vector<Index>& steps : {std::vector<Index>(T, 1), {5, 1, 2, 15}, {T}}) {
        cache.set_length(0);
        Index done = 0;
        for (const Index count : steps) {
          Buffer<float, 3> out({B, count, C});
          multi_head_attention(tokens(x, done, count), weights, options, out, {scratch, parallel});
          for (Index b = 0; b < B; ++b) {
            std::copy_n(out.view()[b].data(), count * C, actual.view()[b][done].data());
          }
          done += count;
          EXPECT_EQ(cache.length(), done);
        }
        for (Index i = 0; i < B * T * C; ++i) {
          ASSERT_NEAR(expected.data()[i], actual.data()[i], bound) << i << " " << steps.size();
        }
        if (steps.size() == 1) {
          EXPECT_TRUE(equal(expected, actual));
        }
      }
    }
  }
}

// The trace has the rotated queries and keys, whose products depend on the distance of positions
// alone.
TEST_F(Cache, AttentionRotatesQueriesAndKeys) {
  constexpr Index T = 9, C = 16, H = 2;
  WeightSource source(random, true);
  const MultiHeadWeights weights = source.attention(C);
  const Buffer<float, 3> x = normal<3>({1, T, C});
  Buffer<float, 3> out(x.shape());
  for (const RotaryPairs pairs : {RotaryPairs::halves, RotaryPairs::interleaved}) {
    Buffer<float, 4> plain({1, H, T, C / H}), turned(plain.shape()), expected(plain.shape());
    Buffer<float, 4> plain_keys(plain.shape()), turned_keys(plain.shape());
    multi_head_attention(x, weights, {.heads = H}, out, {scratch, parallel},
                         {.queries = plain, .keys = plain_keys});
    multi_head_attention(x, weights, {.heads = H, .rotary = MultiHeadRotary{.pairs = pairs}}, out,
                         {scratch, parallel}, {.queries = turned, .keys = turned_keys});
    std::vector<std::int32_t> positions(T);
    for (std::size_t t = 0; t < positions.size(); ++t) positions[t] = static_cast<std::int32_t>(t);
    Buffer<float, 2> cosine({T, C / H / 2}), sine({T, C / H / 2});
    rotary_angles({positions.data(), {T}}, 10000, cosine, sine);
    const auto table = [](const Buffer<float, 2>& all) {
      return TensorView<const float, 3>(all.data(), {1, T, C / H / 2});
    };
    rotary_positions(plain, table(cosine), table(sine), pairs, expected, parallel);
    EXPECT_TRUE(equal(expected, turned));
    rotary_positions(plain_keys, table(cosine), table(sine), pairs, expected, parallel);
    EXPECT_TRUE(equal(expected, turned_keys));
  }
}

// A context passed once to cross-attention is in the cache for all later queries: the results equal
// those of passing it each time, with every kind of method.
TEST_F(Cache, AttentionProjectsAContextOnce) {
  constexpr Index T = 5, S = 7, C = 16, H = 2;
  WeightSource source(random, true);
  const MultiHeadWeights weights = source.attention(C);
  const Buffer<float, 3> x = normal<3>({2, T, C}), context = normal<3>({2, S, C});
  const TensorView<const float, 3> no_more(context.data(), {2, 0, C});
  for (const AttentionMethod method : {AttentionMethod::full, AttentionMethod::online}) {
    MultiHeadOptions options{.heads = H, .context = context, .attention = {.method = method}};
    KeyValueCache cache({.batches = 2, .heads = H, .capacity = S, .width = C / H});
    for (Index t = 0; t < T; ++t) {
      Buffer<float, 3> query({2, 1, C}), expected({2, 1, C}), out({2, 1, C});
      for (Index b = 0; b < 2; ++b)
        std::copy_n(x.view()[b][t].data(), C, query.view()[b][0].data());
      options.past = nullptr, options.context = context;
      multi_head_attention(query, weights, options, expected, {scratch, parallel});
      options.past = &cache;
      if (t > 0) options.context = no_more;
      multi_head_attention(query, weights, options, out, {scratch, parallel});
      EXPECT_EQ(cache.length(), S);
      EXPECT_TRUE(equal(expected, out)) << t;
    }
  }
}

TEST_F(Cache, AttentionRefusesWhatDoesNotFitAndLeavesTheCacheAsItWas) {
  constexpr Index C = 16;
  WeightSource source(random, true);
  const MultiHeadWeights weights = source.attention(C);
  const Buffer<float, 3> x = normal<3>({2, 3, C});
  Buffer<float, 3> out(x.shape());
  out.data()[0] = 7;
  KeyValueCache cache({.batches = 2, .heads = 4, .capacity = 7, .width = 4});
  MultiHeadOptions good{.heads = 4, .attention = {.causal = true}};
  good.past = &cache;
  multi_head_attention(x, weights, good, out, {scratch, parallel});
  out.data()[0] = 7;
  const auto refuses = [&](const auto& change, const std::string& says) {
    MultiHeadOptions options = good;
    change(options);
    const std::string message = error_of([&] {
      multi_head_attention(x, weights, options, out, {scratch, parallel});
    });
    EXPECT_NE(message.find("multi_head_attention: " + says), std::string::npos) << message;
    EXPECT_EQ(cache.length(), 3);
    EXPECT_EQ(out.data()[0], 7);
  };
  using O = MultiHeadOptions;
  refuses([&](O& o) { o.context = x, o.rotary.emplace(); }, "rotary: has no positions");
  refuses([](O& o) { o.attention.past = 2; }, "past: is given by the length of the cache");
  refuses([](O& o) { o.attention.key_lengths = {3, 4}; }, "key_lengths: ");
  refuses([](O& o) { o.attention.mask = Mask::padding({3}); }, "mask: ");
  refuses([](O& o) { o.rotary = MultiHeadRotary{.width = 6}; }, "rotary.width: must be even");
  refuses([](O& o) { o.rotary = MultiHeadRotary{.base = 0}; }, "rotary.base: must be finite");
  // Two pairs, the second faster by 1 / sqrt(base).
  refuses([](O& o) { o.rotary = MultiHeadRotary{.base = 1e-20}; },
          "rotary.base: position 5 times 1e+10 radians");
  KeyValueCache other({.batches = 2, .heads = 2, .capacity = 7, .width = 4});
  refuses([&](O& o) { o.past = &other; }, "past: holds keys [2, 2, 3, 4]");
  KeyValueCache full({.batches = 2, .heads = 4, .capacity = 2, .width = 4});
  refuses([&](O& o) { o.past = &full; }, "past: has a capacity of 2");
  // The trace may not lie in the cache, nor ask for rows of scores that the method does not have.
  Buffer<float, 4> queries({2, 4, 3, 4}), scores({2, 4, 3, 6});
  const TensorView<float, 4> held(const_cast<float*>(cache.keys().data()), {2, 4, 3, 4});
  const auto refuses_trace = [&](AttentionMethod method, const MultiHeadTrace& trace,
                                 const std::string& says) {
    MultiHeadOptions options = good;
    options.attention.method = method;
    const std::string message = error_of([&] {
      multi_head_attention(x, weights, options, out, {scratch, parallel}, trace);
    });
    EXPECT_NE(message.find("multi_head_attention: " + says), std::string::npos) << message;
    EXPECT_EQ(cache.length(), 3);
    EXPECT_EQ(queries.data()[0], 0);
  };
  refuses_trace(AttentionMethod::automatic, {.queries = held}, "trace.queries: shares memory");
  refuses_trace(AttentionMethod::online, {.queries = queries, .attention = {.scores = scores}},
                "trace: the method online never holds a whole row of scores");
  multi_head_attention(x, weights, good, out, {scratch, parallel});
  EXPECT_EQ(cache.length(), 6);
  EXPECT_NE(out.data()[0], 7);
}

}  // namespace
}  // namespace tril
