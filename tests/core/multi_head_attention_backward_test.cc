// The gradients of multi_head_attention: its reference against the complex step through the
// definition, and then the floats against the reference, within the bounds that it computes
// (bounded.h), for every option.
#include <gtest/gtest.h>
#include <tril/attention/multi_head_attention.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/backward_case.h"
#include "core/compare.h"
#include "core/golden.h"
#include "core/multi_head_gradient_case.h"
#include "core/multi_head_gradient_reference.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::Complex;
using testing::elements;
using testing::equal;
using testing::error_of;
using testing::input_gradient;
using testing::kUnseen;
using testing::multi_head_reference;
using testing::MultiHeadCase;
using testing::MultiHeadReferenceGradients;
using testing::MultiHeadSizes;
using testing::MultiHeadTables;
using testing::Source;
using testing::Table;
using testing::uniform;
using testing::Values;

testing::Bias causal(Index offset = 0) {
  return [offset](Index, Index, Index t, Index s) { return s <= t + offset ? 0 : kUnseen; };
}

TEST(MultiHeadAttentionBackward, ItsReferenceAgreesWithTheComplexStep) {
  for (const bool capped : {false, true}) {
    MultiHeadCase c({1, 3, 4, 4, 2, 1, 2}, Source::both);
    c.setting.rotary = MultiHeadRotary{.base = 30};
    c.setting.bias = [](Index, Index h, Index t, Index s) {
      return s == 3 && t == 1 ? kUnseen : 0.25 * static_cast<double>(h + t) - 0.5 * (s == 2);
    };
    if (capped) c.setting.softcap = 0.7;
    const Values<double> d_out = elements(c.d_out);
    struct All {
      Table<Complex> x, context, values;
      MultiHeadTables<Complex> w;
    } at{Table<Complex>(c.x.view()), Table<Complex>(c.context.view()),
         Table<Complex>(c.value_context.view()), c.tables<Complex>()};
    const MultiHeadReferenceGradients e = c.expected();
    const auto w = c.tables<Bounded>();
    const auto check = [&](Table<Complex>& part, const Values<Bounded>& expected) {
      testing::expect_complex_step(part, expected, d_out, [&] {
        return multi_head_reference(at.x, at.context, at.values, at.w, c.setting).out.values;
      });
    };
    check(at.x, input_gradient({{&e.query, &w.query}}).values);
    check(at.context, input_gradient({{&e.key, &w.key}}).values);
    check(at.values, input_gradient({{&e.value, &w.value}}).values);
    check(at.w.query, e.weights.query.values);
    check(at.w.key, e.weights.key.values);
    check(at.w.value, e.weights.value.values);
    check(at.w.query_bias, e.weights.query_bias.values);
    check(at.w.key_bias, e.weights.key_bias.values);
    check(at.w.value_bias, e.weights.value_bias.values);
    check(at.w.out, e.weights.out.values);
    check(at.w.out_bias, e.weights.out_bias.values);
  }
}

TEST(MultiHeadAttentionBackward, AgreesWhereverKeysAndValuesComeFrom) {
  for (const Source source : {Source::self, Source::self_apart, Source::context, Source::both}) {
    for (const bool biased : {true, false}) {
      SCOPED_TRACE(static_cast<int>(source));
      const Index keys = source == Source::self || source == Source::self_apart ? 5 : 9;
      MultiHeadCase({2, 5, keys, 7, 2, 2, 3}, source, biased).run();
      MultiHeadCase({1, 1, keys == 5 ? 1 : 3, 1, 1, 1, 1}, source, biased).run();
      MultiHeadCase({3, 5, keys, 8, 4, 2, 4}, source, biased).run();
    }
  }
}

TEST(MultiHeadAttentionBackward, AgreesForSizesAroundItsBlocks) {
  MultiHeadCase self({2, 66, 66, 12, 3, 1, 5}, Source::self);
  self.options.attention.causal = true;
  self.setting.bias = causal();
  self.run();
  MultiHeadCase across({1, 67, 130, 12, 2, 2, 8}, Source::context);
  across.run();
}

TEST(MultiHeadAttentionBackward, AgreesWithEveryOption) {
  for (const RotaryPairs pairs : {RotaryPairs::halves, RotaryPairs::interleaved}) {
    for (const Index turned : {0, 4}) {
      MultiHeadCase c({2, 6, 6, 8, 4, 2, 6}, Source::self);
      c.setting.rotary = c.options.rotary = MultiHeadRotary{100, turned, pairs};
      c.options.attention.causal = true;
      c.setting.bias = causal();
      c.run();
    }
  }
  {
    MultiHeadCase c({2, 6, 9, 8, 2, 2, 4}, Source::context);
    c.options.attention.softcap = 0.75f, c.setting.softcap = 0.75;
    c.options.attention.scale = 0.375f, c.setting.scale = 0.375;
    c.options.attention.key_lengths = {9, 2};
    c.options.attention.causal = true;
    c.setting.bias = [](Index b, Index, Index t, Index s) {
      const Index length = b == 0 ? 9 : 2;  // queries before the first key see nothing
      return s < length && s <= t + length - 6 ? 0 : kUnseen;
    };
    c.run();
  }
  {
    Random random(151);
    Buffer<float, 4> mask = uniform<4>({1, 2, 6, 6}, random);
    for (Index i = 0; i < mask.view().count(); i += 3) mask.data()[i] = -HUGE_VALF;
    MultiHeadCase c({2, 6, 6, 8, 2, 2, 4}, Source::self);
    c.options.attention.mask = Mask::additive(mask);
    const auto view = mask.view();
    c.setting.bias = [view](Index, Index h, Index t, Index s) {
      return static_cast<double>(view[0][h][t][s]);
    };
    c.run();
  }
}

// Computed directly in the trace, or copied there: the same bits.
TEST(MultiHeadAttentionBackward, TakesATraceInAnyLayout) {
  MultiHeadCase c({2, 7, 7, 12, 4, 2, 3}, Source::self);
  c.forward();
  c.backward();
  MultiHeadCase apart({2, 7, 7, 12, 4, 2, 3}, Source::self);
  Buffer<float, 4> queries({2, 4, 7, 3}), keys({2, 2, 7, 3}), values({2, 2, 7, 3});
  Buffer<float, 4> heads({2, 4, 7, 3});
  Buffer<float, 3> log_sum_exp({2, 4, 7});
  apart.trace.queries = queries, apart.trace.keys = keys, apart.trace.values = values;
  apart.trace.heads = heads, apart.trace.attention.log_sum_exp = log_sum_exp;
  Parallel parallel;
  multi_head_attention(apart.x, apart.weights, apart.options, apart.out, {apart.scratch, parallel},
                       apart.trace);
  EXPECT_TRUE(equal(c.out, apart.out));
  EXPECT_TRUE(equal(c.trace.queries, queries));
  EXPECT_TRUE(equal(c.trace.values, values));
  apart.backward();
  EXPECT_TRUE(equal(c.d_x, apart.d_x));
  EXPECT_TRUE(equal(c.d_memory, apart.d_memory));
}

TEST(MultiHeadAttentionBackward, DoesNotDependOnThreadsOrOnWhatElseIsAskedFor) {
  for (const Source source : {Source::self, Source::both}) {
    testing::expect_independent(
        [&] {
          return MultiHeadCase({3, 70, 70, 16, 4, 2, 8}, source);
        },
        [](const MultiHeadGradients& all) {
          return std::vector<MultiHeadGradients>{{.d_x = all.d_x},
                                                 {.d_context = all.d_context},
                                                 {.d_value_context = all.d_value_context},
                                                 {.d_mask = all.d_mask},
                                                 {.weights = all.weights}};
        });
  }
}

TEST(MultiHeadAttentionBackward, AddsUpOverBatchesInTheSameMemory) {
  MultiHeadCase c({2, 7, 7, 12, 3, 3, 4}, Source::self);  // few enough rows for one sum
  testing::expect_adds_up(c, c.d_memory);
}

TEST(MultiHeadAttentionBackward, TakesBatchesFromAnywhere) {
  for (const Source source : {Source::self, Source::context}) {
    testing::expect_any_batches(
        [&] {
          return MultiHeadCase({3, 5, 5, 8, 2, 2, 4}, source);
        },
        [](MultiHeadCase& c, const auto& d_out, const auto& x) {
          Parallel parallel;
          multi_head_attention_backward(d_out, x, c.weights, c.options, c.trace, c.gradients,
                                        {c.scratch, parallel});
        },
        &MultiHeadCase::d_memory);
  }
}

TEST(MultiHeadAttentionBackward, RejectsWhatDoesNotFitAndWritesNothing) {
  MultiHeadCase c({2, 4, 4, 6, 2, 2, 3}, Source::self);
  c.forward();
  const testing::Values<double> before = c.written();
  Parallel parallel;
  const auto rejects = [&](const MultiHeadOptions& options, const MultiHeadTrace& trace,
                           const MultiHeadGradients& gradients, const std::string& text) {
    const std::string message = error_of([&] {
      multi_head_attention_backward(c.d_out, c.x, c.weights, options, trace, gradients,
                                    {c.scratch, parallel});
    });
    EXPECT_NE(message.find("multi_head_attention_backward: " + text), std::string::npos) << message;
  };
  MultiHeadOptions bad = c.options;
  bad.heads = 5;
  rejects(bad, c.trace, c.gradients, "kv_heads: 2 does not divide the 5 heads");
  bad = c.options;
  bad.attention.past = 9;
  rejects(bad, c.trace, c.gradients, "past: must be from 0 to the 4 keys");
  bad = c.options;
  bad.rotary = MultiHeadRotary{.width = 5};
  rejects(bad, c.trace, c.gradients, "rotary.width: must be even");
  KeyValueCache cache({2, 2, 8, 3, 3});
  bad = c.options;
  bad.past = &cache;
  rejects(bad, c.trace, c.gradients, "past: decoding with a cache has no gradients");
  bad = c.options;
  bad.change_heads = [](const TensorView<float, 4>&) {};
  rejects(bad, c.trace, c.gradients, "change_heads: heads that were changed have no gradients");
  rejects(c.options, {}, c.gradients, "trace.queries: no tensor given");
  MultiHeadTrace trace = c.trace;
  trace.attention.log_sum_exp = {};
  rejects(c.options, trace, c.gradients, "trace.log_sum_exp: no tensor given");
  MultiHeadGradients gradients = c.gradients;
  gradients.d_context = c.d_context;
  rejects(c.options, c.trace, gradients, "d_context: there is no context");
  rejects(c.options, c.trace, {.d_x = {c.d_x.data(), {2, 4, 5}}},
          "d_x: shape must be [2, 4, 6], is [2, 4, 5]");
  rejects(c.options, c.trace, {.d_x = c.x}, "d_x: shares memory");
  gradients = c.gradients;
  gradients.weights.out_proj_weight = gradients.weights.in_proj_weight;
  rejects(c.options, c.trace, gradients, "d_out_proj.weight: shape must be [6, 6], is [18, 6]");
  gradients = c.gradients;
  gradients.weights.q_proj_weight = {c.d_value_context.data(), {6, 6}};
  rejects(c.options, c.trace, gradients,
          "d_q_proj_weight: is the gradient of a weight that is not given");
  const TensorView<const float, 3> narrow(c.d_out.data(), {2, 4, 5});
  EXPECT_NE(error_of([&] {
              multi_head_attention_backward(narrow, c.x, c.weights, c.options, c.trace, c.gradients,
                                            {c.scratch, parallel});
            }).find("d_out: shape must be [2, 4, 6], is [2, 4, 5]"),
            std::string::npos);
  expect_unharmed(c, before);
}

// The trace may not lie where something else is computed.
TEST(MultiHeadAttentionBackward, TheForwardPassRefusesATraceInItsOwnWay) {
  MultiHeadCase c({2, 4, 4, 6, 2, 2, 3}, Source::self);
  c.forward();
  MultiHeadTrace trace = c.trace;
  trace.heads = trace.queries;
  Parallel parallel;
  EXPECT_NE(error_of([&] {
              multi_head_attention(c.x, c.weights, c.options, c.out, {c.scratch, parallel}, trace);
            }).find("multi_head_attention: trace.heads: shares memory"),
            std::string::npos);
}

}  // namespace
}  // namespace tril
