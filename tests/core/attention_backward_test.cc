// The gradients of attention. A plain reference in double is checked against the complex step
// through the definition, then attention_backward against the reference, for every option and for
// sizes around its blocks. The bounds are derived in attention_gradient_case.h.
#include <gtest/gtest.h>
#include <tril/attention/attention_backward.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/attention_gradient_case.h"
#include "core/golden_gradients.h"

namespace tril {
namespace {

using testing::AttentionLossGradients;
using testing::AttentionShape;
using testing::Bias;
using testing::causal;
using testing::elements;
using testing::equal;
using testing::error_of;
using testing::kHidden;
using testing::kRounding;
using testing::max_abs;
using testing::no_bias;
using testing::uniform;
using testing::Values;

using Case = testing::AttentionGradientCase;

TEST(AttentionBackward, ItsReferenceAgreesWithTheComplexStep) {
  const Bias added = [](Index, Index h, Index t, Index s) {
    return s == 3 && t == 1 ? kHidden : 0.25 * static_cast<double>(h + t) - 0.5 * (s == 2);
  };
  for (const double softcap : {0.0, 0.7}) {
    Case({2, 4, 2, 5, 6, 3, 2}, softcap, added).expect_complex_step(7 * 0.25);
  }
}

TEST(AttentionBackward, AgreesForSizesAroundItsBlocks) {
  for (const Index T : {1, 2, 63, 64, 65, 130}) {
    for (const Index S : {1, 3, 64, 65, 129}) {
      SCOPED_TRACE(shape_text<2>({T, S}));
      Case c({1, 2, 2, T, S, 5, 7});
      c.run({});
      c.expect_all();
    }
  }
  for (const Index D : {1, 8, 16, 33, 64, 80}) {
    SCOPED_TRACE(D);
    Case c({2, 1, 1, 70, 66, D, 81 - D});
    c.run({});
    c.expect_all();
  }
}

TEST(AttentionBackward, AgreesUnderACausalMask) {
  for (const Index T : {1, 5, 64, 130}) {
    SCOPED_TRACE(T);
    Case c({1, 3, 3, T, T, 8, 8}, 0, causal());
    c.run({.causal = true});
    c.expect_all();
    Case past({1, 2, 2, T, T + 70, 8, 8}, 0, causal(70));
    past.run({.causal = true, .past = 70});
    past.expect_all();
  }
}

TEST(AttentionBackward, SumsOverTheHeadsThatShareKeys) {
  Case c({2, 6, 2, 70, 70, 8, 4}, 0, causal());
  c.run({.causal = true}, 2);
  c.expect_all();
}

TEST(AttentionBackward, AgreesWithASoftCapAndAScale) {
  Case c({1, 2, 1, 66, 70, 16, 8}, 1.5, causal(4), 0.8f);
  c.run({.causal = true, .scale = 0.8f, .softcap = 1.5f, .past = 4});
  c.expect_all();
}

TEST(AttentionBackward, AgreesUnderWindowsLengthsAndDenseMasks) {
  {
    Case c({1, 2, 2, 140, 140, 8, 8}, 0,
           [](Index, Index, Index t, Index s) { return s <= t && s >= t - 20 ? 0 : kHidden; });
    c.run({.mask = Mask::window(20, 0)});
    c.expect_all();
  }
  {
    Case c({2, 2, 2, 70, 90, 8, 8}, 0, [](Index b, Index, Index t, Index s) {
      const Index length = b == 0 ? 90 : 33;  // shorter than the queries: some see nothing
      return s < length && s <= t + length - 70 ? 0 : kHidden;
    });
    c.run({.causal = true, .key_lengths = {90, 33}});
    c.expect_all();
  }
  {
    Random random(121);
    Buffer<float, 4> mask = uniform<4>({1, 2, 70, 70}, random);
    for (Index i = 0; i < mask.view().count(); i += 3) {
      mask.data()[i] = -std::numeric_limits<float>::infinity();
    }
    const auto view = mask.view();
    Case c({2, 2, 1, 70, 70, 8, 8}, 0, [view](Index, Index h, Index t, Index s) {
      return static_cast<double>(view[0][h][t][s]);
    });
    c.run({.mask = Mask::additive(mask)});
    c.expect_all(1);
  }
}

TEST(AttentionBackward, LeavesOutWhatTheForwardPassDid) {
  const DropoutOptions dropout{.probability = 0.3, .seed = 5, .first_row = 17};
  Case({1, 2, 1, 4, 5, 3, 2}, 0, no_bias, {}, dropout).expect_complex_step();
  for (const Index T : {1, 5, 64, 130}) {
    SCOPED_TRACE(T);
    Case c({2, 4, 2, T, T + 3, 8, 6}, 0, causal(3), {}, dropout);
    c.run({.causal = true, .past = 3, .dropout = dropout}, 2);
    c.expect_all();
    Case capped({1, 2, 2, T, T, 8, 8}, 1.5, no_bias, 0.8f, dropout);
    capped.run({.scale = 0.8f, .softcap = 1.5f, .dropout = dropout});
    capped.expect_all();
    EXPECT_GT(max_abs(c.d_v.view()), 0);
  }
}

TEST(AttentionBackward, AQueryThatSawNothingGivesAndGetsZeros) {
  Case c({1, 1, 1, 3, 5, 4, 4}, 0,
         [](Index, Index, Index t, Index) { return t == 1 ? kHidden : 0; });
  Buffer<std::uint8_t, 4> visible({1, 1, 3, 5});
  for (Index i = 0; i < 15; ++i) visible.data()[i] = i / 5 != 1;
  c.run({.mask = Mask::boolean(visible)});
  c.expect_all();
  for (Index d = 0; d < 4; ++d) EXPECT_EQ(c.d_q.view()[0][0][1][d], 0);
}

TEST(AttentionBackward, HiddenKeysChangeNothingWhateverTheyHold) {
  const AttentionShape n{1, 2, 2, 100, 100, 8, 8};
  Case clean(n, 0, causal()), dirty(n, 0, causal());
  for (Index h = 0; h < 2; ++h) {
    for (Index d = 0; d < 8; ++d) {
      dirty.k.view()[0][h][99][d] = 1e30f;
      dirty.v.view()[0][h][99][d] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  // All queries but the last, which sees the last key.
  for (Case* c : {&clean, &dirty}) {
    c->run({.causal = true, .mask = Mask::padding({99})});
    for (Index h = 0; h < 2; ++h) {
      for (Index t = 0; t < 99; ++t) {
        for (Index d = 0; d < 8; ++d) ASSERT_FALSE(std::isnan(c->d_q.view()[0][h][t][d]));
      }
    }
  }
  EXPECT_TRUE(equal(clean.d_q, dirty.d_q));
  EXPECT_TRUE(equal(clean.d_k, dirty.d_k));
  EXPECT_TRUE(equal(clean.d_v, dirty.d_v));
}

// Its gradient is exactly 0, at any position in a block and with any kind of mask.
TEST(AttentionBackward, AHiddenKeyGetsNoGradient) {
  const Index T = 70, S = 130;
  Buffer<float, 4> added({1, 1, T, S});
  Buffer<std::uint8_t, 4> visible({1, 1, T, S});
  const auto is_hidden = [](Index s) { return s == 0 || s == 37 || s == 64 || s >= 127; };
  for (Index t = 0; t < T; ++t) {
    for (Index s = 0; s < S; ++s) {
      added.view()[0][0][t][s] = is_hidden(s) ? -std::numeric_limits<float>::infinity() : 0.5f;
      visible.view()[0][0][t][s] = !is_hidden(s);
    }
  }
  const auto check = [&](const AttentionOptions& options, const auto& hides) {
    Case c({1, 4, 2, T, S, 8, 6}, 0,
           [&](Index, Index, Index, Index s) { return hides(s) ? kHidden : 0; });
    c.run(options, 2);
    for (Index h = 0; h < 2; ++h) {
      for (Index s = 0; s < S; ++s) {
        const double largest =
            std::fmax(max_abs(c.d_k.view()[0][h][s]), max_abs(c.d_v.view()[0][h][s]));
        ASSERT_EQ(largest == 0, hides(s)) << "key " << s;
      }
    }
  };
  check({.mask = Mask::additive(added)}, is_hidden);
  check({.mask = Mask::boolean(visible)}, is_hidden);
  check({.mask = Mask::padding({99})}, [](Index s) { return s >= 99; });
  check({.key_lengths = {99}}, [](Index s) { return s >= 99; });
  // The last query has position 69 and sees no later key.
  check({.causal = true, .past = 0}, [](Index s) { return s > 69; });
}

TEST(AttentionBackward, WorkingMemoryGrowsWithQueriesAloneAndNotWithKeys) {
  const auto peak = [](Index queries, Index keys) {
    const Index D = 8;
    const auto zeros = [&](Index length) { return Buffer<float, 4>({1, 2, length, D}); };
    const Buffer<float, 4> q = zeros(queries), k = zeros(keys), v = zeros(keys),
                           out = zeros(queries);
    Buffer<float, 4> d_q = zeros(queries), d_k = zeros(keys), d_v = zeros(keys);
    const Buffer<float, 3> log_sum_exp({1, 2, queries});
    Scratch scratch;
    Parallel parallel;
    attention_backward(out, q, k, v, out, log_sum_exp, {}, {d_q, d_k, d_v}, {scratch, parallel});
    return scratch.peak();
  };
  const std::size_t small = peak(256, 1024);
  EXPECT_GT(small, 0u);
  for (const Index keys : {2048, 4096}) EXPECT_EQ(peak(256, keys), small) << keys;
  // Blocks have a fixed size; memory per query is constant.
  const std::size_t twice = peak(512, 1024), fourfold = peak(1024, 1024);
  EXPECT_EQ(fourfold - twice, 2 * (twice - small));
  EXPECT_LT(fourfold, 1024 * 1024 * sizeof(float)) << "the scores of one head";
}

// Every participating thread has its own working memory.
TEST(AttentionBackward, LittleIsForOneThread) {
  const auto peak = [](const AttentionShape& sizes, int threads) {
    Case c(sizes);
    c.run({}, threads);
    Scratch scratch;
    Parallel parallel(threads);
    attention_backward(c.d_output, c.q, c.k, c.v, c.output, c.log_sum_exp, {},
                       {c.d_q, c.d_k, c.d_v}, {scratch, parallel});
    return scratch.peak();
  };
  const AttentionShape little{1, 4, 4, 16, 16, 8, 8}, much{1, 4, 4, 256, 256, 8, 8};
  EXPECT_EQ(peak(little, 4), peak(little, 1));
  if (Parallel(4).threads() > 1) {  // a module without threads has only one
    EXPECT_GT(peak(much, 4), peak(much, 1));
  }
  Case one(little), four(little);
  one.run({}, 1), four.run({}, 4);
  EXPECT_TRUE(equal(one.d_q, four.d_q));
  EXPECT_TRUE(equal(one.d_k, four.d_k));
}

TEST(AttentionBackward, DoesNotDependOnThreadsOrOnWhatElseIsAskedFor) {
  const AttentionShape n{1, 2, 1, 200, 300, 8, 8};
  Case one(n, 0, causal(100)), three(n, 0, causal(100)), alone(n, 0, causal(100));
  const AttentionOptions options{.causal = true, .past = 100};
  one.run(options, 1);
  three.run(options, 3);
  EXPECT_TRUE(equal(one.d_q, three.d_q));
  EXPECT_TRUE(equal(one.d_k, three.d_k));
  EXPECT_TRUE(equal(one.d_v, three.d_v));
  const auto only = [&](const AttentionGradients& gradients) {
    attention_backward(alone.d_output, alone.q, alone.k, alone.v, alone.output, alone.log_sum_exp,
                       options, gradients);
  };
  only({.d_query = alone.d_q});
  only({.d_key = alone.d_k});
  only({.d_value = alone.d_v});
  only({.d_mask = alone.d_mask});
  EXPECT_TRUE(equal(one.d_q, alone.d_q));
  EXPECT_TRUE(equal(one.d_k, alone.d_k));
  EXPECT_TRUE(equal(one.d_v, alone.d_v));
  EXPECT_TRUE(equal(one.d_mask, alone.d_mask));
}

TEST(AttentionBackward, TakesHeadsWhereTheyLie) {
  const Index T = 70, H = 3, D = 8;
  Case c({1, H, H, T, T, D, D}, 0, causal());
  c.run({.causal = true});
  // The same tensors as [1, T, H * D], with the heads side by side.
  const auto joined = [&](const Buffer<float, 4>& heads) {
    Buffer<float, 3> out({1, T, H * D});
    for (Index h = 0; h < H; ++h) {
      for (Index t = 0; t < T; ++t) {
        std::copy_n(heads.view()[0][h][t].data(), D, &out.view()[0][t][h * D]);
      }
    }
    return out;
  };
  const auto split = [&](auto& buffer) {
    return TensorView<float, 4>(buffer.data(), {1, H, T, D}, {T * H * D, D, H * D, 1});
  };
  Buffer<float, 3> q = joined(c.q), k = joined(c.k), v = joined(c.v), output = joined(c.output);
  Buffer<float, 3> d_output = joined(c.d_output), d_q({1, T, H * D}), d_k({1, T, H * D});
  attention_backward(split(d_output), split(q), split(k), split(v), split(output), c.log_sum_exp,
                     {.causal = true}, {.d_query = split(d_q), .d_key = split(d_k)});
  EXPECT_TRUE(equal(joined(c.d_q), d_q));
  EXPECT_TRUE(equal(joined(c.d_k), d_k));
}

// The same table is in tests/golden/make_gradients.py, which draws the same inputs: PyTorch agrees
// with the reference, and so do the floats.
TEST(AttentionBackward, IsPyTorchs) {
  const auto window = [](Index, Index, Index t, Index s) {
    return s >= t - 3 && s <= t + 1 ? 0 : kHidden;
  };
  const auto lengths = [](Index b, Index, Index, Index s) {
    return s < (b == 0 ? 7 : 3) ? 0 : kHidden;
  };
  Random random(122);
  const Buffer<float, 4> mask = uniform<4>({2, 4, 5, 7}, random);
  const auto added = [&](Index b, Index h, Index t, Index s) {
    return static_cast<double>(mask.view()[b][h][t][s]);
  };
  struct Golden {
    const char* name;
    AttentionShape n;
    AttentionOptions options = {};
    Bias bias = no_bias;
    double largest_bias = 0;
  };
  const Golden cases[] = {
      {"plain", {2, 2, 2, 5, 7, 4, 3}},
      {"causal", {1, 3, 3, 9, 9, 4, 4}, {.causal = true}, causal()},
      {"grouped", {2, 4, 2, 6, 6, 4, 4}, {.causal = true}, causal()},
      {"past", {1, 2, 1, 4, 9, 4, 4}, {.causal = true, .past = 5}, causal(5)},
      {"window", {1, 2, 2, 12, 12, 4, 4}, {.mask = Mask::window(3, 1)}, window},
      {"lengths", {2, 2, 2, 5, 7, 4, 4}, {.key_lengths = {7, 3}}, lengths},
      {"softcap", {1, 2, 2, 6, 7, 4, 4}, {.scale = 0.75f, .softcap = 1.5f}},
      {"additive", {2, 4, 2, 5, 7, 4, 3}, {.mask = Mask::additive(mask)}, added, 1},
      {"long", {1, 1, 1, 70, 66, 4, 4}, {.causal = true}, causal()}};
  for (const Golden& each : cases) {
    SCOPED_TRACE(each.name);
    const std::optional<double> scale =
        each.options.scale ? std::optional<double>(*each.options.scale) : std::nullopt;
    Case c(each.n, each.options.softcap, each.bias, scale);
    testing::GoldenGradients expected(std::string("attention_") + each.name);
    const bool with_mask = each.n.T < 64;
    const auto most = c.bounds();
    for (const auto& [part, bound] :
         {std::pair(&c.expected.q, most.q), std::pair(&c.expected.k, most.k),
          std::pair(&c.expected.v, most.v), std::pair(&c.expected.mask, most.mask)}) {
      if (part == &c.expected.mask && !with_mask) continue;
      const Values<double> golden = expected.take(part->size());
      for (std::size_t i = 0; i < golden.size(); ++i) {
        ASSERT_NEAR((*part)[i], golden[i],
                    kRounding * std::fabs(golden[i]) + testing::two_in_double(bound))
            << i;
      }
    }
    c.run(each.options, 2);
    c.expect_all(each.largest_bias);
  }
}

TEST(AttentionBackward, RejectsWhatDoesNotFitAndWritesNothing) {
  Case c({1, 2, 2, 3, 4, 5, 6});
  const auto message = [&](const AttentionOptions& options, const AttentionGradients& gradients,
                           VectorView<const float> = {}) {
    return error_of([&] {
      attention_backward(c.d_output, c.q, c.k, c.v, c.output, c.log_sum_exp, options, gradients);
    });
  };
  EXPECT_EQ(message({}, {.d_query = c.d_k}),
            "attention_backward: d_query: shape must be [1, 2, 3, 5], is [1, 2, 4, 5]; query is "
            "[1, 2, 3, 5], key is [1, 2, 4, 5], value is [1, 2, 4, 6]");
  EXPECT_NE(message({}, {.d_query = c.q}).find("shares memory"), std::string::npos);
  EXPECT_NE(message({.past = 9}, {.d_query = c.d_q}).find("past"), std::string::npos);
  EXPECT_EQ(message({.dropout = {{.probability = 1}}}, {.d_query = c.d_q}),
            "attention_backward: probability: must be at least 0 and below 1, is 1");
  EXPECT_NE(error_of([&] {
              attention_backward(c.d_output, c.q, c.k, c.v, c.output, {}, {}, {c.d_q});
            }).find("log_sum_exp: no tensor given"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              attention_backward(c.q, c.q, c.k, c.v, c.output, c.log_sum_exp, {}, {c.d_q});
            }).find("d_out: shape must be [1, 2, 3, 6]"),
            std::string::npos);
  EXPECT_EQ(c.d_q.data()[0], 7);
  EXPECT_EQ(c.d_k.data()[0], 7);
  c.run({});
  c.expect_all();
}

}  // namespace
}  // namespace tril
