// Dropout of attention weights: with the unit matrix as values, the output of attention is its
// weights.
#include <gtest/gtest.h>
#include <tril/attention/attention.h>

#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"
#include "core/gradient.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;
using testing::kRounding;
using testing::uniform;

struct Case {
  Index B, H, Hk, T, S;
  Buffer<float, 4> query, key, unit, weights, out;
  Scratch scratch;

  Case(Index batches, Index heads, Index kv_heads, Index queries, Index keys)
      : B(batches), H(heads), Hk(kv_heads), T(queries), S(keys) {
    Random random(131);
    query = uniform<4>({B, H, T, 8}, random), key = uniform<4>({B, Hk, S, 8}, random);
    unit = Buffer<float, 4>({B, Hk, S, S});
    for (Index b = 0; b < B; ++b) {
      for (Index h = 0; h < Hk; ++h) {
        for (Index s = 0; s < S; ++s) unit.view()[b][h][s][s] = 1;
      }
    }
    weights = Buffer<float, 4>({B, H, T, S}), out = Buffer<float, 4>(weights.shape());
  }
  MatrixView<float> rows(Buffer<float, 4>& buffer) const { return {buffer.data(), {B * H * T, S}}; }
  void run(const AttentionOptions& options, int threads = 1, const AttentionTrace& trace = {}) {
    Parallel parallel(threads);
    attention(query, key, unit, options, out, {scratch, parallel}, trace);
  }
};

TEST(AttentionDropout, LeavesOutWeightsAsDropoutDoesByEveryMethod) {
  const DropoutOptions dropout{.probability = 0.4, .seed = 3, .first_row = 5};
  for (const Index queries : {3, 70, 130}) {  // read in place, and packed
    for (const auto& [name, method] : kAttentionMethods) {
      SCOPED_TRACE(std::to_string(queries) + " " + std::string(name));
      Case c(2, 4, 2, queries, 140);
      AttentionOptions options{.causal = true, .mask = Mask::window(90, 0), .past = 140 - queries};
      options.method = AttentionMethod::blocked;
      c.run(options, 1, {.weights = c.weights});
      tril::dropout(c.rows(c.weights), dropout, c.rows(c.weights));
      options.method = method, options.dropout = dropout;
      c.run(options);
      // Scores are sums of 8 products, together at most sqrt(8): they err by at most 9 sqrt(8) < 26
      // roundings, in numerator and denominator, in both results. Sums of 91 positive weights
      // differ by 2 91 roundings. The rest: exponentials, factors, steps that rescale, the
      // quotient.
      for (Index i = 0; i < c.out.view().count(); ++i) {
        const double expected = c.weights.data()[i];
        ASSERT_NEAR(c.out.data()[i], expected, (2 * 91 + 4 * 26 + 16) * kRounding * expected) << i;
      }
    }
  }
}

TEST(AttentionDropout, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const auto& [name, method] : kAttentionMethods) {
    for (const Index queries : {3, 70}) {
      Case one(2, 3, 3, queries, 70), three(2, 3, 3, queries, 70);
      AttentionOptions options{.method = method, .dropout = {{.probability = 0.2, .seed = 8}}};
      one.run(options), three.run(options, 3);
      EXPECT_TRUE(equal(one.out, three.out));
      options.dropout->seed = 9;
      three.run(options);
      EXPECT_FALSE(equal(one.out, three.out));
    }
  }
}

TEST(AttentionDropout, OfNothingChangesNothingAndTheTraceIsFromBeforeIt) {
  Case c(1, 2, 2, 70, 70), none(1, 2, 2, 70, 70);
  none.run({}, 1, {.weights = none.weights});
  c.run({.dropout = {{.probability = 0}}});
  EXPECT_TRUE(equal(c.out, none.out));
  c.run({.dropout = {{.probability = 0.5}}}, 1, {.weights = c.weights});
  EXPECT_TRUE(equal(c.weights, none.weights));
  EXPECT_FALSE(equal(c.out, none.out));
}

TEST(AttentionDropout, RejectsWhatIsOutOfRangeAndWritesNothing) {
  Case c(1, 1, 1, 4, 5);
  c.out.data()[0] = 7;
  EXPECT_EQ(error_of([&] { c.run({.dropout = {{.probability = 1}}}); }),
            "attention: probability: must be at least 0 and below 1, is 1");
  EXPECT_EQ(error_of([&] { c.run({.dropout = {{.first_row = -1}}}); }),
            "attention: first_row: must be at least 0, is -1");
  EXPECT_EQ(c.out.data()[0], 7);
  c.run({});
  EXPECT_NE(c.out.data()[0], 7);
}

}  // namespace
}  // namespace tril
