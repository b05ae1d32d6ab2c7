// Traces of models: the traced values against the model in training, whose passes save the same;
// heads and layers switched off against weights that are 0; activations replaced; the logit lens.
#include <gtest/gtest.h>
#include <tril/foundation/copy.h>
#include <tril/foundation/random.h>
#include <tril/model/decoding_session.h>
#include <tril/model/language_model.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "core/compare.h"
#include "core/model_trace_case.h"

namespace tril {
namespace {

using testing::close;
using testing::close_by_rows;
using testing::equal;
using testing::error_of;
using testing::kTokens;
using testing::kVocabulary;
using testing::share_of_weights;
using testing::Traced;

class ModelTraceTest : public ::testing::TestWithParam<ModelFamily> {
 protected:
  testing::TraceCase c{GetParam()};
};

TEST_P(ModelTraceTest, HasWhatTheModelComputes) {
  DecodingSession session = c.session();
  const Traced traced(c, session, c.ids);
  std::vector<Buffer<float, 4>> weights;
  for (int n = 0; n < 3; ++n) weights.emplace_back(Shape<4>{1, 4, kTokens, kTokens});
  const std::vector<TensorView<float, 4>> views(weights.begin(), weights.end());
  const MatrixView<const float> expected =
      c.model.logits({c.ids.data(), {1, kTokens}}, {c.scratch, c.parallel}, views);
  EXPECT_TRUE(close_by_rows(expected, traced.logits));
  EXPECT_TRUE(close_by_rows(c.logits(), traced.logits));
  MatrixView<const float> x = traced.trace.embedded;
  for (std::size_t n = 0; n < 3; ++n) {
    const ModelLayerTrace& layer = traced.trace.layers[n];
    const AttentionTrace& attention = layer.attention.attention;
    EXPECT_TRUE(close(weights[n], attention.weights, 0, share_of_weights(attention))) << n;
    // All members are filled; the logits above depend on those that are inputs of later steps.
    for (const MatrixView<float>& each :
         {layer.ln1, layer.resid_mid, layer.ln2, layer.resid_post, layer.feed_forward.hidden}) {
      EXPECT_GT(testing::max_abs(each), 0.01) << n;
    }
    for (Index i = 0; i < x.count(); ++i) {
      const float between = layer.resid_mid.data()[i];
      EXPECT_EQ(x.data()[i] + layer.attn_out.data()[i], between);
      EXPECT_EQ(between + layer.mlp_out.data()[i], layer.resid_post.data()[i]);
    }
    EXPECT_GT(testing::max_abs(layer.attention.heads), 0.01);
    EXPECT_FALSE(equal(x, layer.resid_post));
    x = layer.resid_post;
  }
  // The logit lens of the last layer gives the model's logits.
  Buffer<float, 2> lens({kTokens, kVocabulary});
  session.read_out(x, lens, {c.scratch, c.parallel});
  EXPECT_TRUE(equal(traced.logits, lens));
  session.read_out(traced.trace.layers[0].resid_post, lens, {c.scratch, c.parallel});
  EXPECT_FALSE(equal(traced.logits, lens));
}

TEST_P(ModelTraceTest, HasWhatASublayerIsGivenWithoutTheRest) {
  DecodingSession session = c.session(), other = c.session();
  const Traced traced(c, session, c.ids);
  Buffer<float, 2> ln1({kTokens, 16}), ln2({kTokens, 16}), logits({kTokens, kVocabulary});
  ModelTrace trace;
  trace.layers.resize(3);
  trace.layers[1].ln1 = ln1, trace.layers[2].ln2 = ln2;
  other.append(c.ids, logits, {c.scratch, c.parallel}, trace);
  EXPECT_TRUE(equal(traced.trace.layers[1].ln1, ln1));
  EXPECT_TRUE(equal(traced.trace.layers[2].ln2, ln2));
  EXPECT_TRUE(equal(traced.logits, logits));
}

// The second part of a text, with the keys of the first in the cache.
TEST_P(ModelTraceTest, GoesOnBehindACache) {
  DecodingSession whole = c.session(), parts = c.session();
  const Traced expected(c, whole, c.ids);
  parts.append(std::span(c.ids).first(5), {c.scratch, c.parallel});
  const Traced traced(c, parts, {c.ids.begin() + 5, c.ids.end()});
  for (std::size_t n = 0; n < 3; ++n) {
    const auto all = expected.trace.layers[n].attention.attention.weights;
    const AttentionTrace& attention = traced.trace.layers[n].attention.attention;
    const auto last = attention.weights;
    ASSERT_EQ(last.shape(), (Shape<4>{1, 4, 4, kTokens}));
    for (Index h = 0; h < 4; ++h) {
      for (Index t = 0; t < 4; ++t) {
        EXPECT_TRUE(close(all[0][h][5 + t], last[0][h][t], 0, share_of_weights(attention)));
      }
    }
  }
}

// The result equals that with 0 in the head's columns of the output projection.
TEST_P(ModelTraceTest, HeadsAreSwitchedOff) {
  const Buffer<float, 2> before = c.logits();
  const Buffer<float, 2> off = c.logits({.heads = {{1, 2}, {2, 0}}});
  for (const auto& [layer, head] : std::vector<std::pair<std::size_t, Index>>{{1, 2}, {2, 0}}) {
    const MatrixView<float> projection = c.model.weights().layers[layer].attention.out_proj_weight;
    for (Index n = 0; n < 16; ++n) std::fill_n(projection[n].data() + 4 * head, 4, 0.0f);
  }
  EXPECT_FALSE(equal(before, off));
  EXPECT_TRUE(equal(c.logits(), off));
}

// The result equals that with zeros in the last matrices of the layer's sublayers.
TEST_P(ModelTraceTest, LayersAreSwitchedOff) {
  const Buffer<float, 2> before = c.logits();
  const Buffer<float, 2> off = c.logits({.without_layers = {1}});
  const BasicModelLayerWeights<float>& layer = c.model.weights().layers[1];
  for (const MatrixView<float>& each : {layer.attention.out_proj_weight, layer.linear2.weight}) {
    std::fill_n(each.data(), each.count(), 0.0f);
  }
  for (const VectorView<float>& each : {layer.attention.out_proj_bias, layer.linear2.bias}) {
    if (each) std::fill_n(each.data(), each.count(), 0.0f);
  }
  EXPECT_FALSE(equal(before, off));
  EXPECT_TRUE(equal(c.logits(), off));
}

// Heads replaced by their own outputs change nothing; outputs for another text change everything
// after them.
TEST_P(ModelTraceTest, HeadsAreReplaced) {
  DecodingSession session = c.session();
  const Traced own(c, session, c.ids);
  session.set_length(0);
  const Traced other(c, session, c.others);
  const auto patched = [&](const Traced& from) {
    Interventions changes;
    for (Index head = 0; head < 4; ++head) {
      changes.heads.push_back({1, head, 6, from.trace.layers[1].attention.heads[0][head][6]});
    }
    return c.logits(changes);
  };
  EXPECT_TRUE(equal(c.logits(), patched(own)));
  const Buffer<float, 2> changed = patched(other), before = c.logits();
  EXPECT_FALSE(equal(before.view()[6], changed.view()[6]));
  EXPECT_FALSE(equal(before.view()[8], changed.view()[8]));  // it looks back
  for (Index t = 0; t < 6; ++t) EXPECT_TRUE(equal(before.view()[t], changed.view()[t])) << t;
}

// The result equals that with zeros in the last matrices of the parts.
TEST_P(ModelTraceTest, PartsOfLayersAreSwitchedOff) {
  const Buffer<float, 2> before = c.logits();
  const Buffer<float, 2> off =
      c.logits({.sublayers = {{0, LayerPart::attention}, {2, LayerPart::feed_forward}}});
  const BasicModelWeights<float>& weights = c.model.weights();
  const auto zero = [](const auto& view) {
    if (view) std::fill_n(view.data(), view.count(), 0.0f);
  };
  zero(weights.layers[0].attention.out_proj_weight);
  zero(weights.layers[0].attention.out_proj_bias);
  zero(weights.layers[2].linear2.weight);
  zero(weights.layers[2].linear2.bias);
  EXPECT_FALSE(equal(before, off));
  EXPECT_TRUE(equal(c.logits(), off));
}

// Parts replaced by their own outputs change nothing; then by those for another text.
TEST_P(ModelTraceTest, PartsOfLayersAreReplaced) {
  DecodingSession session = c.session();
  const Traced own(c, session, c.ids);
  session.set_length(0);
  const Traced other(c, session, c.others);
  const auto patched = [&](const Traced& from, LayerPart sublayer, Index first, Index layer) {
    const ModelLayerTrace& at = from.trace.layers[static_cast<std::size_t>(layer)];
    const bool is_attention = sublayer == LayerPart::attention;
    const MatrixView<float> values = is_attention ? at.attn_out : at.mlp_out;
    Interventions changes;
    for (Index t = first; t < kTokens; ++t) {
      changes.sublayers.push_back({layer, sublayer, t, values[t]});
    }
    return changes;
  };
  const Buffer<float, 2> before = c.logits();
  for (const LayerPart sublayer : {LayerPart::attention, LayerPart::feed_forward}) {
    for (Index layer = 0; layer < 3; ++layer) {
      EXPECT_TRUE(equal(before, c.logits(patched(own, sublayer, 0, layer))));
    }
    const Buffer<float, 2> changed = c.logits(patched(other, sublayer, 6, 1));
    for (Index t = 0; t < 6; ++t) EXPECT_TRUE(equal(before.view()[t], changed.view()[t])) << t;
    EXPECT_FALSE(equal(before.view()[6], changed.view()[6]));
  }
  // All heads together give the output of attention.
  Interventions heads;
  for (Index head = 0; head < 4; ++head) {
    for (Index t = 0; t < kTokens; ++t) {
      heads.heads.push_back({1, head, t, other.trace.layers[1].attention.heads[0][head][t]});
    }
  }
  const Buffer<float, 2> by_heads = c.logits(heads);
  EXPECT_TRUE(close_by_rows(by_heads, c.logits(patched(other, LayerPart::attention, 0, 1))));
}

// With all of the residual stream of another text after a layer, the model gives that text's
// logits.
TEST_P(ModelTraceTest, TheResidualStreamIsReplaced) {
  DecodingSession session = c.session();
  const Traced other(c, session, c.others);
  for (Index layers = 0; layers <= 3; ++layers) {
    const MatrixView<float> from =
        layers == 0 ? other.trace.embedded
                    : other.trace.layers[static_cast<std::size_t>(layers) - 1].resid_post;
    Interventions changes;
    for (Index t = 0; t < kTokens; ++t) changes.residual.push_back({layers, t, from[t]});
    EXPECT_TRUE(equal(other.logits, c.logits(changes))) << layers;
  }
}

// One token at a time gives the same as all at once.
TEST_P(ModelTraceTest, ChangesHoldInDecoding) {
  const std::vector<float> value(16, 0.5f);
  const Interventions changes{.without_layers = {2},
                              .heads = {{0, 1}, {1, 3, 4}},
                              .sublayers = {{0, LayerPart::feed_forward, 3},
                                            {1, LayerPart::attention, 5, {value.data(), {16}}}},
                              .residual = {{1, 2, {value.data(), {16}}}}};
  const Buffer<float, 2> expected = c.logits(changes);
  Buffer<float, 2> found(expected.shape());
  DecodingSession session = c.session();
  session.set_changes(changes);
  for (Index t = 0; t < kTokens; ++t) {
    detail::copy(session.append({c.ids.data() + t, 1}, {c.scratch, c.parallel}), found.view()[t]);
  }
  EXPECT_TRUE(close_by_rows(expected, found));
}

TEST_P(ModelTraceTest, RefusesWhatDoesNotFit) {
  DecodingSession session = c.session();
  const std::vector<float> value(5);
  const auto refused = [&](const Interventions& changes) {
    return error_of([&] { session.set_changes(changes); });
  };
  EXPECT_EQ(refused({.without_layers = {3}}),
            "DecodingSession: without_layers: must be from 0 to below 3, is 3");
  EXPECT_EQ(refused({.heads = {{3, 0}}}),
            "DecodingSession: heads.layer: must be from 0 to below 3, is 3");
  EXPECT_EQ(refused({.heads = {{0, 4}}}),
            "DecodingSession: heads.head: must be from 0 to below 4, is 4");
  EXPECT_EQ(refused({.heads = {{0, 0, -2}}}),
            "DecodingSession: heads.value: position must be at least -1, is -2");
  EXPECT_EQ(refused({.heads = {{0, 0, -1, {value.data(), {5}}}}}),
            "DecodingSession: heads.value: shape must be [4], is [5]; the width of what is "
            "replaced");
  EXPECT_EQ(refused({.sublayers = {{3, LayerPart::attention}}}),
            "DecodingSession: sublayers.layer: must be from 0 to below 3, is 3");
  EXPECT_EQ(refused({.sublayers = {{0, LayerPart::attention, 0, {value.data(), {5}}}}}),
            "DecodingSession: sublayers.value: shape must be [16], is [5]; the width of what is "
            "replaced");
  EXPECT_EQ(refused({.without_layers = {1}, .heads = {{1, 0, 0, {value.data(), {4}}}}}),
            "DecodingSession: heads.layer: has a value, and layer 1 is left out");
  EXPECT_EQ(refused({.residual = {{4}}}),
            "DecodingSession: residual.layers: must be from 0 to below 4, is 4");
  session.append(std::span(c.ids).first(2), {c.scratch, c.parallel});
  EXPECT_EQ(refused({}), "DecodingSession: changes: there are 2 tokens, of the model as it was");
  Buffer<float, 2> wrong({3, 16}), logits({2, kVocabulary});
  const auto traced = [&](const ModelTrace& trace) {
    const std::string text = error_of([&] {
      session.append(std::span(c.ids).first(2), logits, {c.scratch, c.parallel}, trace);
    });
    EXPECT_EQ(session.length(), 2);
    return text;
  };
  EXPECT_EQ(traced({.embedded = wrong}),
            "DecodingSession: trace.embedded: shape must be [2, 16], is [3, 16]; as model_trace "
            "says");
  EXPECT_EQ(traced({.layers = {{}, {}}}), "DecodingSession: trace.layers: must be 3, are 2");
  EXPECT_EQ(
      traced({.layers = {{}, {.resid_post = wrong}, {}}}),
      "DecodingSession: trace.resid_post: shape must be [2, 16], is [3, 16]; as model_trace says");
  // Every member of a layer's trace: none may have a shape of its own.
  const TensorView<float, 4> four(wrong.data(), {1, 1, 1, 48});
  const TensorView<float, 3> three(wrong.data(), {1, 1, 48});
  ModelLayerTrace members;
  int count = 0;
  ModelLayerTrace::for_each_member(
      [&](const char* name, auto& member) {
        if constexpr (std::is_same_v<decltype(member), MatrixView<float>&>) member = wrong;
        if constexpr (std::is_same_v<decltype(member), TensorView<float, 3>&>) member = three;
        if constexpr (std::is_same_v<decltype(member), TensorView<float, 4>&>) member = four;
        EXPECT_EQ(traced({.layers = {{}, members, {}}})
                      .find(std::string("DecodingSession: ") + name + ": shape must be ["),
                  0u);
        member = {};
        ++count;
      },
      members);
  EXPECT_EQ(count, 24);
  EXPECT_EQ(error_of([&] {
              session.read_out(logits, logits, {c.scratch, c.parallel});
            }),
            "DecodingSession: residual: shape must be [2, 16], is [2, 13]; the model's width");
  SavedMemory size;
  EXPECT_EQ(error_of([&] { model_trace(session.config(), 0, 0, size); }),
            "model_trace: tokens: must be at least 1, is 0");
  EXPECT_EQ(error_of([&] { model_trace(session.config(), 1, -1, size); }),
            "model_trace: past: must be at least 0, is -1");
}

INSTANTIATE_TEST_SUITE_P(Families, ModelTraceTest,
                         ::testing::Values(ModelFamily::gpt2, ModelFamily::qwen2,
                                           ModelFamily::qwen3, ModelFamily::olmo2),
                         [](const auto& tested) {
                           return std::string(name_of(kModelFamilies, tested.param));
                         });

}  // namespace
}  // namespace tril
