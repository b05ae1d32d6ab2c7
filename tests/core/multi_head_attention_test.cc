// Multi-head attention against torch.nn.MultiheadAttention in float64, its trace against itself,
// and wrong input.
#include <gtest/gtest.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/layers/linear.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"
#include "core/multi_head_module.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::golden;
using testing::kPyTorchAbsolute;
using testing::kPyTorchRelative;
using testing::MultiHeadModule;
using testing::normal;

// The Frobenius norm of the difference of the first `count` elements.
double distance(const float* a, const float* b, Index count) {
  double squares = 0;
  for (Index i = 0; i < count; ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    squares += difference * difference;
  }
  return std::sqrt(squares);
}

struct Norms {
  double output, weights;
};

// Runs the classic module, d = 64, T = 100, causal, no biases, on x, and compares with golden
// files: output [B, T, C], and the averaged weights, of which the files have [B, 5050], for each
// query those of the keys up to its own; the others must be exactly 0. Returns the Frobenius norms
// of the differences; precision_test.cc tests their size over many draws.
Norms classic(const MultiHeadModule& module, Index heads, TensorView<const float, 3> x,
              const Buffer<float, 3>& output, const Buffer<float, 2>& average) {
  const Index batches = x.size(0), tokens = x.size(1), seen = tokens * (tokens + 1) / 2;
  Buffer<float, 3> actual(x.shape()), weights({batches, tokens, tokens});
  multi_head_attention(x, module.weights(), {.heads = heads, .attention = {.causal = true}}, actual,
                       {}, {.average_weights = weights});
  Buffer<float, 2> lower({batches, seen});
  for (Index b = 0; b < batches; ++b) {
    float* to = lower.view()[b].data();
    for (Index t = 0; t < tokens; ++t) {
      const VectorView<float> row = weights.view()[b][t];
      to = std::copy_n(row.data(), t + 1, to);
      for (Index s = t + 1; s < tokens; ++s) EXPECT_EQ(row[s], 0.0f);
    }
  }
  const TensorView<const float, 3> wanted(output.data(), x.shape());
  EXPECT_TRUE(close(wanted, actual, kPyTorchAbsolute, kPyTorchRelative));
  const MatrixView<const float> wanted_weights(average.data(), {batches, seen});
  EXPECT_TRUE(close(wanted_weights, lower, kPyTorchAbsolute, kPyTorchRelative));
  return {distance(output.data(), actual.data(), actual.view().count()),
          distance(average.data(), lower.data(), lower.view().count())};
}

void record(const std::string& name, const Norms& norms) {
  ::testing::Test::RecordProperty("output_norm_" + name,
                                  std::to_string(norms.output * 1e6) + "e-6");
  ::testing::Test::RecordProperty("weights_norm_" + name,
                                  std::to_string(norms.weights * 1e6) + "e-6");
}

TEST(MultiHeadAttention, PassesTheClassicCheck) {
  for (const Index heads : {1, 4}) {
    Random random(7);
    const MultiHeadModule module(random, 64, false);
    const Buffer<float, 3> x = testing::uniform<3>({10, 100, 64}, random);
    const std::string suffix = "_h" + std::to_string(heads);
    const Buffer<float, 3> output = golden<3>("multi_head/output" + suffix);
    const Buffer<float, 2> average = golden<2>("multi_head/average" + suffix);
    for (const Index batches : {1, 10}) {
      const Norms norms = classic(module, heads, {x.data(), {batches, 100, 64}}, output, average);
      record((batches == 1 ? "b1" : "b10") + suffix, norms);
    }
  }
}

TEST(MultiHeadAttention, IsPyTorchsOnNormalInputs) {
  for (const Index heads : {1, 4}) {
    Random random(7);
    const MultiHeadModule module(random, 64, false);
    testing::uniform<3>({10, 100, 64}, random);
    const Buffer<float, 3> x = normal({1, 100, 64}, random);
    const std::string suffix = "_h" + std::to_string(heads);
    const Norms norms = classic(module, heads, x, golden<3>("multi_head/normal/output" + suffix),
                                golden<2>("multi_head/normal/average" + suffix));
    record("normal" + suffix, norms);
  }
}

TEST(MultiHeadAttention, GivesPyTorchsWeightsAHead) {
  const Buffer<float, 3> x = golden<3>("multi_head/small/x");
  const Buffer<float, 2> in_proj = golden<2>("multi_head/small/in_proj_weight");
  const Buffer<float, 1> in_bias = golden<1>("multi_head/small/in_proj_bias");
  const Buffer<float, 2> out_proj = golden<2>("multi_head/small/out_proj_weight");
  const Buffer<float, 1> out_bias = golden<1>("multi_head/small/out_proj_bias");
  const Buffer<float, 4> weights = golden<4>("multi_head/small/weights");
  const Buffer<float, 3> output = golden<3>("multi_head/small/output");
  MultiHeadWeights module;
  module.in_proj_weight = in_proj;
  module.in_proj_bias = in_bias;
  module.out_proj_weight = out_proj;
  module.out_proj_bias = out_bias;
  Buffer<float, 3> actual(output.shape());
  Buffer<float, 4> actual_weights(weights.shape());
  multi_head_attention(x, module, {.heads = 2, .attention = {.causal = true}}, actual, {},
                       {.attention = {.weights = actual_weights}});
  EXPECT_TRUE(close(output, actual, kPyTorchAbsolute, kPyTorchRelative));
  EXPECT_TRUE(close(weights, actual_weights, kPyTorchAbsolute, kPyTorchRelative));
}

TEST(MultiHeadAttention, AttendsAcrossWithWidthsOfItsOwn) {
  Random random(9);
  const MultiHeadModule module(random, 12, true, 5, 7);
  const Buffer<float, 3> x = normal({3, 7, 12}, random), key = normal({3, 9, 5}, random),
                         value = normal({3, 9, 7}, random);
  Buffer<float, 3> output({3, 7, 12}), average({3, 7, 9});
  multi_head_attention(x, module.weights(), {.heads = 3, .context = key, .value_context = value},
                       output, {}, {.average_weights = average});
  EXPECT_TRUE(close(golden<3>("multi_head/cross"), output, kPyTorchAbsolute, kPyTorchRelative));
  EXPECT_TRUE(
      close(golden<3>("multi_head/cross_average"), average, kPyTorchAbsolute, kPyTorchRelative));
}

// key_padding_mask and float attn_mask, [T, S] for all or [B H, T, S] for each head of each batch.
TEST(MultiHeadAttention, MasksAsPyTorchDoes) {
  Random random(10);
  const MultiHeadModule module(random, 12, true);
  const Buffer<float, 3> x = normal({3, 7, 12}, random), additive = normal({1, 7, 7}, random),
                         by_head = normal({9, 7, 7}, random);
  const Mask padding = Mask::padding({7, 4, 1});
  const std::pair<const char*, Mask> cases[] = {
      {"padding", padding},
      {"additive", Mask::additive({additive.data(), {1, 1, 7, 7}})},
      {"heads", Mask::additive({by_head.data(), {3, 3, 7, 7}}) & padding}};
  Buffer<float, 3> output({3, 7, 12}), average({3, 7, 7});
  for (const auto& [name, mask] : cases) {
    SCOPED_TRACE(name);
    multi_head_attention(x, module.weights(), {.heads = 3, .attention = {.mask = mask}}, output, {},
                         {.average_weights = average});
    const std::string path = std::string("multi_head/masked/") + name;
    EXPECT_TRUE(close(golden<3>(path), output, kPyTorchAbsolute, kPyTorchRelative));
    EXPECT_TRUE(close(golden<3>(path + "_average"), average, kPyTorchAbsolute, kPyTorchRelative));
  }
}

// Every tensor of the trace follows from the ones before it, by the functions of its stage.
TEST(MultiHeadAttention, TracesEveryStage) {
  constexpr Index B = 2, T = 6, S = 8, H = 4, Hk = 2, D = 3, C = 10, K = 11;
  Random random(3);
  Buffer<float, 2> wq({H * D, C}), wk({Hk * D, K}), wv({Hk * D, K}), wo({C, H * D});
  Buffer<float, 1> bias({(H + 2 * Hk) * D}), out_bias({C});
  for (Buffer<float, 2>* each : {&wq, &wk, &wv, &wo}) fill_normal(each->view(), random);
  fill_normal(bias.view(), random);
  fill_normal(out_bias.view(), random);
  const Buffer<float, 3> x = normal({B, T, C}, random), context = normal({B, S, K}, random);
  MultiHeadWeights weights;
  weights.q_proj_weight = wq;
  weights.k_proj_weight = wk;
  weights.v_proj_weight = wv;
  weights.in_proj_bias = bias;
  weights.out_proj_weight = wo;
  weights.out_proj_bias = out_bias;

  Buffer<float, 4> queries({B, H, T, D}), keys({B, Hk, S, D}), values({B, Hk, S, D});
  Buffer<float, 4> scores({B, H, T, S}), capped({B, H, T, S}), masked({B, H, T, S});
  Buffer<float, 4> each({B, H, T, S});
  Buffer<float, 3> average({B, T, S}), output({B, T, C}), heads({B, T, H * D});
  // The heads side by side, as the last projection reads them.
  const TensorView<float, 4> split(heads.data(), {B, H, T, D}, {T * H * D, D, H * D, 1});
  const MultiHeadOptions options = {
      .heads = H, .kv_heads = Hk, .context = context, .attention = {.causal = true}};
  Scratch scratch;
  Parallel parallel(2);
  multi_head_attention(x, weights, options, output, {scratch, parallel},
                       {.queries = queries,
                        .keys = keys,
                        .values = values,
                        .attention = {scores, capped, masked, each},
                        .average_weights = average,
                        .heads = split});

  Buffer<float, 3> joined({B, T, H * D}), projected({B, S, Hk * D}), last({B, T, C});
  const auto side_by_side = [](const Buffer<float, 4>& tensor, Buffer<float, 3>& out) {
    const auto view = tensor.view();
    for (Index b = 0; b < view.size(0); ++b) {
      for (Index h = 0; h < view.size(1); ++h) {
        for (Index t = 0; t < view.size(2); ++t) {
          std::copy_n(view[b][h][t].data(), D, out.view()[b][t].data() + h * D);
        }
      }
    }
  };
  const auto project = [&](const Buffer<float, 3>& from, const Buffer<float, 2>& weight,
                           VectorView<const float> shift, Buffer<float, 3>& to) {
    for (Index b = 0; b < B; ++b) {
      linear(from.view()[b], weight, shift, to.view()[b], {scratch, parallel});
    }
  };
  project(x, wq, {bias.data(), {H * D}}, joined);
  Buffer<float, 3> traced(joined.shape());
  side_by_side(queries, traced);
  EXPECT_TRUE(equal(joined, traced));
  Buffer<float, 3> traced_keys(projected.shape());
  project(context, wk, {bias.data() + H * D, {Hk * D}}, projected);
  side_by_side(keys, traced_keys);
  EXPECT_TRUE(equal(projected, traced_keys));
  project(context, wv, {bias.data() + (H + Hk) * D, {Hk * D}}, projected);
  side_by_side(values, traced_keys);
  EXPECT_TRUE(equal(projected, traced_keys));

  Buffer<float, 4> again({B, H, T, D}), again_scores({B, H, T, S}), again_weights({B, H, T, S});
  attention(queries, keys, values, {.causal = true}, again, {scratch, parallel},
            {.scores = again_scores, .weights = again_weights});
  EXPECT_TRUE(equal(again_scores, scores));
  EXPECT_TRUE(equal(again_scores, capped));
  EXPECT_TRUE(equal(again_weights, each));
  EXPECT_TRUE(equal(again.view(), split));
  for (Index b = 0; b < B; ++b) {
    for (Index t = 0; t < T; ++t) {
      for (Index s = 0; s < S; ++s) {
        EXPECT_EQ(masked.view()[b][1][t][s], s <= t ? scores.view()[b][1][t][s] : -HUGE_VALF);
        double sum = 0;
        for (Index h = 0; h < H; ++h) sum += static_cast<double>(each.view()[b][h][t][s]);
        EXPECT_NEAR(average.view()[b][t][s], sum / H, H * testing::kEpsilon * sum / H);
      }
    }
  }
  project(heads, wo, out_bias, last);
  EXPECT_TRUE(equal(last, output));
}

// Batches at uneven distances are projected one by one, with the same results.
TEST(MultiHeadAttention, TakesBatchesFromAnywhere) {
  Random random(4);
  const MultiHeadModule module(random, 8, true);
  const Buffer<float, 3> wide = normal({3, 9, 8}, random);
  const TensorView<const float, 3> x(wide.data(), {3, 5, 8}, {9 * 8, 8, 1});
  Buffer<float, 3> even({3, 5, 8}), output({3, 5, 8}), expected({3, 5, 8});
  for (Index b = 0; b < 3; ++b) std::copy_n(x[b].data(), 5 * 8, even.view()[b].data());
  multi_head_attention(x, module.weights(), {.heads = 2}, output);
  multi_head_attention(even, module.weights(), {.heads = 2}, expected);
  EXPECT_TRUE(equal(expected, output));
}

TEST(MultiHeadAttention, TakesTablesOfRotaryPositions) {
  Random random(91);
  const MultiHeadModule module(random, 24, true);
  const Buffer<float, 3> x = normal({2, 7, 24}, random);
  Buffer<float, 2> cos({9, 4}), sin({9, 4});
  std::vector<std::int32_t> positions = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  rotary_angles({positions.data(), {9}}, 100, cos, sin);
  Buffer<float, 3> expected(x.shape()), actual(x.shape());
  MultiHeadOptions options{.heads = 3, .rotary = MultiHeadRotary{.base = 100}};
  multi_head_attention(x, module.weights(), options, expected);
  options.rotary = MultiHeadRotary{.cos = cos, .sin = sin};
  const auto run = [&] { multi_head_attention(x, module.weights(), options, actual); };
  run();
  EXPECT_TRUE(equal(expected, actual));

  options.rotary->cos = MatrixView<const float>(cos.data(), {6, 4});
  EXPECT_EQ(error_of(run),
            "multi_head_attention: rotary.cos: must have 7 rows or more of 4 columns; shape is "
            "[6, 4]");
  options.rotary->cos = MatrixView<const float>(cos.data(), {9, 3});
  EXPECT_EQ(error_of(run),
            "multi_head_attention: rotary.cos: must have 7 rows or more of 4 columns; shape is "
            "[9, 3]");
  options.rotary = MultiHeadRotary{.cos = cos};
  EXPECT_EQ(error_of(run), "multi_head_attention: rotary.sin: no tensor given");
}

// Heads that are set to 0 add nothing: the output is that of the others.
TEST(MultiHeadAttention, ChangesHeadsBeforeTheyAreJoined) {
  Random random(92);
  const MultiHeadModule module(random, 24, true);
  const Buffer<float, 3> x = normal({2, 5, 24}, random);
  const auto run = [&](const MultiHeadOptions& options, const MultiHeadWeights& weights) {
    Buffer<float, 3> out(x.shape());
    multi_head_attention(x, weights, options, out);
    return out;
  };
  MultiHeadOptions options{.heads = 3};
  options.change_heads = [](const TensorView<float, 4>& heads) {
    EXPECT_EQ(heads.shape(), (Shape<4>{2, 3, 5, 8}));
    for (Index b = 0; b < 2; ++b) {
      for (Index t = 0; t < 5; ++t) std::fill_n(heads[b][1][t].data(), 8, 0.0f);
    }
  };
  // The columns of Wo for head 1.
  MultiHeadWeights weights = module.weights();
  Buffer<float, 2> without({24, 24});
  std::copy_n(weights.out_proj_weight.floats().data(), 24 * 24, without.data());
  for (Index n = 0; n < 24; ++n) std::fill_n(without.view()[n].data() + 8, 8, 0.0f);
  const Buffer<float, 3> changed = run(options, weights);
  weights.out_proj_weight = without;
  EXPECT_TRUE(equal(run({.heads = 3}, weights), changed));

  // An exception passes through, and a cache stays unchanged.
  KeyValueCache cache({.batches = 2, .heads = 3, .capacity = 5, .width = 8});
  options.past = &cache;
  options.change_heads = [](const TensorView<float, 4>&) { throw std::runtime_error("no"); };
  EXPECT_THROW(run(options, module.weights()), std::runtime_error);
  EXPECT_EQ(cache.length(), 0);
}

TEST(MultiHeadAttention, RejectsWhatDoesNotFit) {
  Random random(5);
  const MultiHeadModule module(random, 6, true);
  const Buffer<float, 3> x = normal({2, 4, 6}, random);
  const Buffer<float, 3> context = normal({3, 4, 6}, random), narrow = normal({2, 4, 5}, random);
  Buffer<float, 3> output({2, 4, 6});
  std::fill_n(output.data(), 48, -7.0f);
  const auto rejects = [&](const MultiHeadWeights& weights, const MultiHeadOptions& options,
                           const std::string& text, const MultiHeadTrace& trace = {}) {
    const std::string message =
        error_of([&] { multi_head_attention(x, weights, options, output, {}, trace); });
    EXPECT_NE(message.find("multi_head_attention: " + text), std::string::npos) << message;
    EXPECT_EQ(error_of([&] { check_multi_head_attention(x, weights, options, output, trace); }),
              message);
  };
  const MultiHeadWeights good = module.weights();
  rejects(good, {.heads = 0}, "heads: must be at least 1, is 0");
  rejects(good, {.heads = 4}, "in_proj_weight: its 18 rows do not divide into 4 heads");
  rejects(good, {.heads = 3, .kv_heads = 2}, "kv_heads: 2 does not divide the 3 heads");
  rejects(good, {.heads = 3, .kv_heads = -1}, "kv_heads: -1 does not divide");
  rejects(good, {.heads = 2, .context = context}, "context: must have x's batches");
  rejects(good, {.heads = 2, .context = narrow}, "in_proj_weight: shape must be [6, 5]");
  rejects(good, {.heads = 2, .value_context = context}, "value_context: must have the batches");
  rejects(good, {.heads = 2, .attention = {.scale = NAN}}, "scale: must be finite");
  rejects(good, {.heads = 2, .attention = {.mask = Mask::padding({1})}}, "mask: 1 lengths");
  MultiHeadWeights bad = good;
  bad.in_proj_weight = {};
  rejects(bad, {.heads = 2}, "q_proj_weight: no tensor given");
  bad.q_proj_weight = module.out_proj_weight;
  rejects(bad, {.heads = 2}, "k_proj_weight: no tensor given");
  bad = good;
  bad.in_proj_bias = module.out_proj_bias;
  rejects(bad, {.heads = 2}, "in_proj_bias: shape must be [18], is [6]");
  bad = good;
  bad.out_proj_weight = {};
  rejects(bad, {.heads = 2}, "out_proj.weight: no tensor given");
  bad.out_proj_weight = module.in_proj_weight;  // [18, 6] would fit, but not for this output
  rejects(bad, {.heads = 2}, "out_proj.bias: shape must be [18], is [6]");
  bad.out_proj_bias = {};
  rejects(bad, {.heads = 2}, "out: shape must be [2, 4, 18], is [2, 4, 6]");
  Buffer<float, 4> wrong({2, 2, 4, 5});
  rejects(good, {.heads = 2}, "trace.queries: shape must be [2, 2, 4, 3]", {.queries = wrong});
  rejects(good, {.heads = 2}, "trace.weights: shape must be [2, 2, 4, 4]",
          {.attention = {.weights = wrong}});
  rejects(good, {.heads = 2}, "trace.average_weights: shares memory",
          {.average_weights = {output.data(), {2, 4, 4}}});
  for (Index i = 0; i < 48; ++i) ASSERT_EQ(output.data()[i], -7.0f);
  multi_head_attention(x, good, {.heads = 2}, output);
  EXPECT_LT(testing::max_abs(output.view()), 7);
}

}  // namespace
}  // namespace tril
