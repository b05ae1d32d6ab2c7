// The Transformer layer in the forms of today's families (block/layer.h): outputs and gradients
// against their plain definition, whose gradients by reverse mode agree with the complex step.
#include <gtest/gtest.h>
#include <tril/block/layer.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/layer_case.h"

namespace tril {
namespace {

using detail::Layer;
using detail::LayerGradients;
using testing::Bounded;
using testing::Complex;
using testing::elements;
using testing::equal;
using testing::error_of;
using testing::kLayerFamilies;
using testing::LayerForm;
using testing::Values;
using Case = testing::LayerCase;
using Expected = testing::LayerExpected;
using Family = testing::LayerFamily;

TEST(Layer, AgreesWithTheDefinitionOfEveryFamily) {
  for (const Family& family : kLayerFamilies) {
    SCOPED_TRACE(family.name);
    Case c(family);
    c.forward();
    c.backward();
    const Expected expected(c);
    testing::expect_bounded(expected.out, c.out.view(), "out");
    const auto computed = c.computed();
    ASSERT_EQ(computed.size(), expected.gradients.size());
    for (const auto& [name, bounds] : expected.gradients) {
      testing::expect_bounded(bounds, computed.at(name), name.c_str());
      const auto largest =
          std::ranges::max(bounds, {}, [](const Bounded& b) { return std::fabs(b.value); });
      EXPECT_GT(std::fabs(largest.value), 100 * largest.error) << name;
    }
  }
}

TEST(Layer, TheDefinitionsGradientsAgreeWithTheComplexStep) {
  for (const Family& family : kLayerFamilies) {
    SCOPED_TRACE(family.name);
    const Case c(family);
    const Expected expected(c);
    const Values<double> d_out = elements(c.d_out);
    auto reference = c.reference<Complex>();
    for (const auto& [name, part] : Case::variables(reference)) {
      SCOPED_TRACE(name);
      testing::expect_complex_step(*part, expected.gradients.at(name), d_out,
                                   [&] { return reference.run().values; });
    }
  }
}

// A trace changes no bit, and without one out may be x.
TEST(Layer, GivesTheSameWithAndWithoutATraceAndInPlace) {
  for (const Family& family : kLayerFamilies) {
    SCOPED_TRACE(family.name);
    Case c(family), plain(family);
    c.forward();
    Parallel parallel;
    plain.layer.run(plain.x, plain.out, {plain.scratch, parallel});
    EXPECT_TRUE(equal(c.out, plain.out));
    plain.layer.run(plain.x, plain.x, {plain.scratch, parallel});
    EXPECT_TRUE(equal(c.out, plain.x));
  }
}

// Token by token, with the keys and values of earlier tokens in a cache.
TEST(Layer, DecodesWithACache) {
  for (const Family& family : kLayerFamilies) {
    if (family.form == LayerForm::across || family.dropout > 0) continue;
    SCOPED_TRACE(family.name);
    Case c(family, 1, 4);
    KeyValueCache cache({.heads = family.kv_heads, .capacity = 4, .width = Case::D});
    c.layer.self_attention.past = &cache;
    Parallel parallel;
    for (Index t = 0; t < 4; ++t) {
      const Shape<3> one = {1, 1, Case::C};
      c.layer.check("layer", {c.x.view()[0][t].data(), one}, {c.out.view()[0][t].data(), one});
      c.layer.run({c.x.view()[0][t].data(), one}, {c.out.view()[0][t].data(), one},
                  {c.scratch, parallel});
    }
    cache.set_length(3);
    c.layer.change_branch = [](LayerPart part, const TensorView<float, 3>&) {
      if (part == LayerPart::feed_forward) throw 1;
    };
    const TensorView<const float, 3> last(c.x.view()[0][3].data(), {1, 1, Case::C});
    Buffer<float, 3> other({1, 1, Case::C});
    EXPECT_THROW(c.layer.run(last, other, {c.scratch, parallel}), int);
    EXPECT_EQ(cache.length(), 3);  // unchanged
    c.layer.change_branch = {};
    c.layer.self_attention.past = nullptr;
    testing::expect_bounded(Expected(c).out, c.out.view(), "out");
  }
}

TEST(Layer, DoesNotDependOnThreadsOrOnWhatElseIsAskedFor) {
  for (const Family& family : kLayerFamilies) {
    SCOPED_TRACE(family.name);
    testing::expect_independent([&] { return Case(family, 3, 70); },
                                [](const LayerGradients& all) {
                                  return std::vector<LayerGradients>{
                                      {.d_x = all.d_x, .d_memory = all.d_memory},
                                      {.weights = all.weights}};
                                });
  }
}

TEST(Layer, ItsGradientMayTakeThePlaceOfTheOutputs) {
  for (const Family& family : kLayerFamilies) {
    SCOPED_TRACE(family.name);
    Case c(family), in_place(family);
    c.forward(), in_place.forward();
    c.backward();
    in_place.gradients.d_x = in_place.d_out;
    Parallel parallel;
    in_place.layer.backward(in_place.d_out, in_place.x, in_place.gradients,
                            {in_place.scratch, parallel});
    EXPECT_TRUE(equal(c.d_x, in_place.d_out));
    EXPECT_TRUE(equal(c.d_values, in_place.d_values));
  }
}

// The functions change the sublayers' outputs: if they are 0, the layer returns its input.
TEST(Layer, ChangesWhatIsAdded) {
  for (const Family& family : kLayerFamilies) {
    SCOPED_TRACE(family.name);
    Case c(family);
    c.layer.change_branch = [](LayerPart, const TensorView<float, 3>& branch) {
      std::fill_n(branch.data(), branch.count(), 0.0f);
    };
    c.forward();
    EXPECT_TRUE(equal(c.x, c.out));
  }
}

TEST(Layer, RefusesWhatDoesNotFitAndGoesOnWorking) {
  Case c(kLayerFamilies[2]), parallel(kLayerFamilies[4]);
  c.forward(), parallel.forward();
  const auto message = [](Case& of, auto change) {
    Layer layer = of.layer;
    change(layer);
    return error_of([&] { layer.check("layer", of.x, of.out); });
  };
  EXPECT_EQ(message(parallel, [](Layer& l) { l.order = NormOrder::post; }),
            "layer: parallel: has no norm of the sums between, so that norms cannot be post");
  EXPECT_EQ(message(c, [](Layer& l) { l.branch_norms = false; }),
            "layer: branch_norm1: there is no such norm");
  EXPECT_EQ(message(c, [](Layer& l) { l.order.reset(); }), "layer: norm1: there is no such norm");
  EXPECT_EQ(
      message(c, [](Layer& l) { l.weights.branch_norm2.weight = l.weights.self_attn.q_norm; }),
      "layer: branch_norm2.weight: shape must be [6], is [4]; x has width 6");
  EXPECT_EQ(
      message(c, [](Layer& l) { l.weights.self_attn.k_norm = l.weights.norm1.weight; }),
      "layer: self_attn.k_norm.weight: shape must be [4], for each head by itself, or [4], for "
      "all together, is [6]");
  EXPECT_EQ(message(c, [](Layer& l) { l.self_attention.norm_eps = -1; }),
            "layer: self_attn.eps: must be finite and at least 0, is -1");
  EXPECT_NE(
      message(c, [](Layer& l) { l.trace.sublayers[1].unnormed = l.trace.sublayers[0].normed; })
          .find("layer: trace.unnormed2: shares memory"),
      std::string::npos);

  const Values<double> before = c.written();
  const auto backward = [&](auto change) {
    Layer layer = c.layer;
    change(layer);
    return error_of([&] { layer.check_backward("layer", c.d_out, c.x, c.gradients); });
  };
  EXPECT_EQ(backward([](Layer& l) { l.trace.sublayers[0].unnormed = {}; }),
            "layer: trace.unnormed1: no tensor given");
  EXPECT_EQ(backward([](Layer& l) { l.trace.sublayers[1].branch_norm.rstd = {}; }),
            "layer: trace.branch_rstd2: no tensor given");
  EXPECT_EQ(backward([](Layer& l) { l.trace.self_attn.unnormed_keys = {}; }),
            "layer: self_attn.trace.unnormed_keys: no tensor given");
  EXPECT_EQ(backward([](Layer& l) { l.trace.self_attn.query_rstd = {}; }),
            "layer: self_attn.trace.query_rstd: no tensor given");
  EXPECT_EQ(c.written(), before);
  c.backward();
  EXPECT_NE(c.written(), before);
}

}  // namespace
}  // namespace tril
