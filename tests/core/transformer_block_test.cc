// The Transformer block against torch.nn.TransformerEncoderLayer in float64, its trace against its
// parts, invariances, and wrong input.
#include <gtest/gtest.h>
#include <tril/block/transformer_block.h>
#include <tril/layers/activations.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/layer_norm.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "core/block_weights.h"
#include "core/compare.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::golden;
using testing::kNormOrders;
using testing::kPyTorchAbsolute;
using testing::kPyTorchRelative;
using testing::nth_options;
using testing::rows;
using testing::shrinking_padding;
using testing::uniform;
using testing::WeightSource;

double frobenius(const TensorView<const float, 3>& a, const TensorView<const float, 3>& b) {
  double sum = 0;
  for (Index i = 0; i < a.count(); ++i) {
    sum += std::pow(static_cast<double>(a.data()[i]) - b.data()[i], 2);
  }
  return std::sqrt(sum);
}

std::string text(double value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

// Every number of heads, length and batch size; the n-th case takes the other options in turn.
TEST(TransformerBlock, AgreesWithPyTorch) {
  Scratch scratch;
  Parallel parallel(2);
  const Index widths[][2] = {{1, 7}, {2, 10}, {3, 9}, {8, 24}};  // heads, C
  unsigned n = 0;
  for (const auto& [heads, width] : widths) {
    for (const Index tokens : {1, 2, 7, 64, 100, 129}) {
      for (const Index batches : {1, 3}) {
        std::string name = "h";
        name.append(std::to_string(heads));
        name.append("_t").append(std::to_string(tokens));
        name.append("_b").append(std::to_string(batches));
        SCOPED_TRACE(name);
        Random random(1000 + n);
        WeightSource source(random, n % 5 == 0);
        const TransformerBlockWeights weights = source.block(width, 2 * width + 1);
        const Buffer<float, 3> x = uniform<3>({batches, tokens, width}, random);
        auto options = nth_options<TransformerBlockOptions>(n, heads);
        options.attention.causal = n % 3 == 0;
        if (n % 3 == 1) options.attention.mask = shrinking_padding(batches, tokens);
        Buffer<float, 3> output({batches, tokens, width});
        transformer_block(x, weights, options, output, {scratch, parallel});
        EXPECT_TRUE(close(golden<3>("block/transformer_block_" + name), output, kPyTorchAbsolute,
                          kPyTorchRelative));
        ++n;
      }
    }
  }
}

// d = 64, 4 heads, ff = 128, T = 100, causal: the block without scales and biases, and the one with
// all of them. precision_test.cc tests the error over many draws.
TEST(TransformerBlock, PassesTheClassicCheck) {
  for (const bool plain : {true, false}) {
    for (const NormOrder order : kNormOrders) {
      Random random(plain ? 7 : 8);
      WeightSource source(random, plain);
      const TransformerBlockWeights weights = source.block(64, 128);
      const Buffer<float, 3> x = uniform<3>({1, 100, 64}, random);
      Buffer<float, 3> output({1, 100, 64});
      transformer_block(x, weights, {.heads = 4, .norm = order, .attention = {.causal = true}},
                        output);
      const std::string name =
          std::string(plain ? "plain" : "full") + (order == NormOrder::pre ? "_pre" : "_post");
      const Buffer<float, 3> expected = golden<3>("block/classic_" + name);
      RecordProperty("classic_norm_" + name, text(frobenius(expected, output)));
      EXPECT_TRUE(close(expected, output, kPyTorchAbsolute, kPyTorchRelative)) << name;
    }
  }
}

struct Example {
  explicit Example(bool plain = false, Index batches = 2, Index tokens = 9)
      : source(random, plain),
        weights(source.block(12, 20)),
        x(uniform<3>({batches, tokens, 12}, random)),
        output({batches, tokens, 12}) {}

  void run(const TransformerBlockTrace& trace = {}) {
    transformer_block(x, weights, options, output, {}, trace);
  }

  Random random{51};
  WeightSource source;
  TransformerBlockWeights weights;
  TransformerBlockOptions options{
      .heads = 3, .activation = Activation::gelu, .attention = {.causal = true}};
  Buffer<float, 3> x, output;
};

TEST(TransformerBlock, TheTraceChangesNothingAndIsWhatItSays) {
  for (const NormOrder order : kNormOrders) {
    Example e;
    e.options.norm = order;
    e.run();
    const Shape<3> shape = e.x.shape(), inner = {shape[0], shape[1], 20};
    Buffer<float, 3> plain(shape), attention(shape), residual1(shape), normed1(shape),
        hidden(inner), activated(inner), fed(shape), residual2(shape), normed2(shape);
    Buffer<float, 4> weights({2, 3, 9, 9});
    std::copy_n(e.output.data(), e.output.view().count(), plain.data());
    TransformerBlockTrace trace;
    trace.self_attn.attention.weights = weights;
    trace.attention = attention, trace.residual1 = residual1, trace.normed1 = normed1;
    trace.hidden = hidden, trace.activated = activated, trace.feed_forward = fed;
    trace.residual2 = residual2, trace.normed2 = normed2;
    e.run(trace);
    EXPECT_TRUE(equal(plain, e.output));

    // Each tensor from those before it, by the functions themselves: the same bits.
    const bool post = order == NormOrder::post;
    Buffer<float, 3> expected(shape), expected_hidden(inner);
    const MultiHeadOptions options = {.heads = 3, .attention = e.options.attention};
    const auto expect_norm = [&](const Buffer<float, 3>& x, const NormWeights& norm,
                                 const Buffer<float, 3>& actual) {
      layer_norm(rows(x), norm.weight, norm.bias, {}, rows(expected));
      EXPECT_TRUE(equal(expected, actual));
    };
    const auto expect_sum = [&](const Buffer<float, 3>& x, const Buffer<float, 3>& y,
                                const Buffer<float, 3>& actual) {
      add(rows(x), rows(y), rows(expected));
      EXPECT_TRUE(equal(expected, actual));
    };
    multi_head_attention(post ? e.x : normed1, e.weights.self_attn, options, expected);
    EXPECT_TRUE(equal(expected, attention));
    expect_sum(e.x, attention, residual1);
    expect_norm(post ? residual1 : e.x, e.weights.norm1, normed1);
    activate(Activation::gelu, rows(hidden), rows(expected_hidden));
    EXPECT_TRUE(equal(expected_hidden, activated));
    feed_forward(rows(post ? normed1 : normed2), {e.weights.linear1, e.weights.linear2},
                 Activation::gelu, rows(expected));
    EXPECT_TRUE(equal(expected, fed));
    expect_sum(post ? normed1 : residual1, fed, residual2);
    expect_norm(post ? residual2 : residual1, e.weights.norm2, normed2);
    EXPECT_TRUE(equal(post ? normed2 : residual2, e.output));
    for (Index t = 0; t < 9; ++t) EXPECT_GT(weights.view()[1][2][t][0], 0);
  }
}

TEST(TransformerBlock, ResidualsAndNormsCanBeLeftOut) {
  for (const NormOrder order : kNormOrders) {
    for (const bool residuals : {true, false}) {
      Example e;
      e.options.norm = order;
      e.options.residuals = residuals;
      e.options.norms = false;
      const Shape<3> shape = e.x.shape();
      Buffer<float, 3> normed1(shape), residual2(shape), between(shape), expected(shape);
      e.run({.normed1 = normed1, .residual2 = residual2});
      // Without norms both orders are y = x + attention(x), y + feed_forward(y).
      multi_head_attention(e.x, e.weights.self_attn, {.heads = 3, .attention = e.options.attention},
                           between);
      if (residuals) add(rows(e.x), rows(between), rows(between));
      feed_forward(rows(between), {e.weights.linear1, e.weights.linear2}, Activation::gelu,
                   rows(expected));
      if (residuals) add(rows(between), rows(expected), rows(expected));
      EXPECT_TRUE(equal(expected, e.output));
      EXPECT_TRUE(equal(expected, residual2));
      EXPECT_TRUE(equal(order == NormOrder::post ? between : e.x, normed1));
    }
  }
  // With norms and without residuals, post-norm.
  Example e;
  e.options.residuals = false;
  Buffer<float, 3> attention(e.x.shape()), normed1(e.x.shape()), expected(e.x.shape());
  e.run({.attention = attention, .normed1 = normed1});
  layer_norm(rows(attention), e.weights.norm1.weight, e.weights.norm1.bias, {}, rows(expected));
  EXPECT_TRUE(equal(expected, normed1));
}

TEST(TransformerBlock, TheFutureCannotLeak) {
  for (const NormOrder order : kNormOrders) {
    Example e(false, 1, 70);
    e.options.norm = order;
    e.run();
    Buffer<float, 3> before({1, 70, 12});
    std::copy_n(e.output.data(), 70 * 12, before.data());
    for (Index t = 33; t < 70; ++t) {
      for (Index c = 0; c < 12; ++c) e.x.view()[0][t][c] = 1e3f * static_cast<float>(c - t);
    }
    e.run();
    for (Index t = 0; t < 33; ++t)
      EXPECT_TRUE(equal(before.view()[0][t], e.output.view()[0][t])) << t;
    EXPECT_FALSE(equal(before.view()[0][33], e.output.view()[0][33]));
  }
}

TEST(TransformerBlock, WithoutAMaskTheOrderOfTokensMeansNothing) {
  Example e;
  e.options.attention.causal = false;
  e.run();
  Buffer<float, 3> turned({2, 9, 12}), expected({2, 9, 12});
  for (Index b = 0; b < 2; ++b) {
    for (Index t = 0; t < 9; ++t) {
      std::copy_n(e.x.view()[b][8 - t].data(), 12, turned.view()[b][t].data());
      std::copy_n(e.output.view()[b][8 - t].data(), 12, expected.view()[b][t].data());
    }
  }
  transformer_block(turned, e.weights, e.options, e.output);
  // Each is within PyTorch's tolerance of the exact block, like the golden cases.
  EXPECT_TRUE(close(expected, e.output, 2e-5, 2.6e-6));
}

TEST(TransformerBlock, ANaNStaysInItsBatch) {
  for (const NormOrder order : kNormOrders) {
    Example e;
    e.options.norm = order;
    e.run();
    Buffer<float, 3> clean({2, 9, 12});
    std::copy_n(e.output.data(), 2 * 9 * 12, clean.data());
    e.x.view()[0][4][5] = std::numeric_limits<float>::quiet_NaN();
    e.run();
    EXPECT_TRUE(equal(clean.view()[1], e.output.view()[1]));
    EXPECT_TRUE(std::isnan(e.output.view()[0][4][0]));
  }
}

TEST(TransformerBlock, ThreadsAndGapsChangeNothing) {
  Example e(false, 3, 65);
  e.run();
  Parallel three(3);
  Buffer<float, 3> again({3, 65, 12});
  transformer_block(e.x, e.weights, e.options, again, three);
  EXPECT_TRUE(equal(e.output, again));

  // Rows 15 apart, batches 70 rows apart.
  Buffer<float, 3> wide({3, 70, 15}), wide_output({3, 70, 15});
  const Shape<3> strides = {70 * 15, 15, 1};
  const TensorView<float, 3> x(wide.data() + 2, {3, 65, 12}, strides);
  const TensorView<float, 3> output(wide_output.data() + 1, {3, 65, 12}, strides);
  for (Index b = 0; b < 3; ++b) {
    for (Index t = 0; t < 65; ++t) std::copy_n(e.x.view()[b][t].data(), 12, x[b][t].data());
  }
  for (const unsigned n : {0u, 1u, 2u, 3u}) {
    e.options.norm = kNormOrders[n % 2];
    if (n >= 2) e.options.dropout = DropoutPlaces{.probability = 0.3, .seed = 4};
    e.run();
    transformer_block(x, e.weights, e.options, output, three);
    EXPECT_TRUE(equal(e.output, output));
    for (Index b = 0; b < 3; ++b) {
      for (Index t = 0; t < 70; ++t) {
        ASSERT_EQ(wide_output.view()[b][t][0], 0);
        ASSERT_EQ(wide_output.view()[b][t][13], 0);
      }
    }
  }
}

// Token by token with a cache it equals the whole causal block, up to the order of sums.
TEST(TransformerBlock, DecodesWithACache) {
  for (const NormOrder order : kNormOrders) {
    for (const bool rotates : {false, true}) {
      Example e;
      e.options.norm = order;
      if (rotates) e.options.rotary = MultiHeadRotary{.base = 100};
      e.run();
      KeyValueCache cache({.batches = 2, .heads = 3, .capacity = 9, .width = 4});
      TransformerBlockOptions options = e.options;
      options.past = &cache;
      Buffer<float, 3> decoded(e.x.shape());
      const Shape<3> one = {2, 1, 12}, strides = e.x.view().strides();
      for (Index t = 0; t < 9; ++t) {
        Buffer<float, 4> weights({2, 3, 1, t + 1});
        transformer_block({e.x.view()[0][t].data(), one, strides}, e.weights, options,
                          {decoded.view()[0][t].data(), one, strides}, {},
                          {.self_attn = {.attention = {.weights = weights}}});
        EXPECT_EQ(cache.length(), t + 1);
      }
      EXPECT_TRUE(close(e.output, decoded, kPyTorchAbsolute, kPyTorchRelative));
      cache.set_length(0);
      transformer_block(e.x, e.weights, options, decoded);
      EXPECT_TRUE(equal(e.output, decoded));
    }
  }
}

TEST(TransformerBlock, RejectsACacheThatDoesNotFit) {
  Example e;
  e.output.data()[0] = 7;
  KeyValueCache narrow({.batches = 2, .heads = 2, .capacity = 9, .width = 4});
  KeyValueCache cache({.batches = 2, .heads = 3, .capacity = 10, .width = 4});
  const auto message = [&](KeyValueCache& past) {
    TransformerBlockOptions options = e.options;
    options.past = &past;
    return error_of([&] { transformer_block(e.x, e.weights, options, e.output); });
  };
  EXPECT_EQ(message(narrow),
            "transformer_block: self_attn.past: holds keys [2, 2, 9, 4], those to append are "
            "[2, 3, 9, 4]");
  EXPECT_EQ(e.output.data()[0], 7);
  TransformerBlockOptions options = e.options;
  options.past = &cache;
  transformer_block(e.x, e.weights, options, e.output);
  EXPECT_EQ(message(cache),
            "transformer_block: self_attn.past: has a capacity of 10 tokens and holds 9; 9 more do "
            "not fit");
  EXPECT_EQ(cache.length(), 9);
  Buffer<float, 1> kept;
  EXPECT_EQ(error_of([&] {
              saved_in(kept, [&](SavedMemory& memory) {
                return transformer_block_saved(e.x.shape(), e.weights, options, memory);
              });
            }),
            "transformer_block_saved: past: decoding with a cache has no gradients");
  EXPECT_EQ(
      error_of([&] { transformer_block_backward(e.output, e.x, e.weights, options, {}, {}); }),
      "transformer_block_backward: past: decoding with a cache has no gradients");
}

TEST(TransformerBlock, RejectsWhatDoesNotFitAndWritesNothing) {
  Example e;
  e.output.data()[0] = 7;
  const auto rejects = [&](const std::string& expected, const auto& change,
                           const TransformerBlockTrace& trace = {}) {
    TransformerBlockWeights weights = e.weights;
    TransformerBlockOptions options = e.options;
    change(weights, options);
    const std::string message =
        error_of([&] { transformer_block(e.x, weights, options, e.output, {}, trace); });
    EXPECT_NE(message.find("transformer_block: " + expected), std::string::npos) << message;
    EXPECT_EQ(e.output.data()[0], 7);
  };
  using W = TransformerBlockWeights;
  using O = TransformerBlockOptions;
  const auto nothing = [](W&, O&) {};
  rejects("self_attn.heads: must be at least 1", [](W&, O& o) { o.heads = 0; });
  rejects("self_attn.in_proj_weight: its 36 rows do not divide into 5 heads",
          [](W&, O& o) { o.heads = 5; });
  rejects("self_attn.mask: ", [](W&, O& o) { o.attention.mask = Mask::padding({1, 2, 3}); });
  rejects("self_attn.scale: must be finite", [](W&, O& o) { o.attention.scale = NAN; });
  rejects("self_attn.q_proj_weight: no tensor given",
          [](W& w, O&) { w.self_attn.in_proj_weight = {}; });
  rejects("self_attn.out_proj.weight: no tensor given",
          [](W& w, O&) { w.self_attn.out_proj_weight = {}; });
  rejects("linear1.weight: no tensor given", [](W& w, O&) { w.linear1 = {}; });
  rejects("linear1.weight: shape must be [12, 12], is [12, 20]; x has width 12",
          [](W& w, O&) { w.linear1.weight = w.linear2.weight; });
  rejects("linear1.bias: shape must be [20], is [12]",
          [](W& w, O&) { w.linear1.bias = w.linear2.bias; });
  rejects("linear2.weight: shape must be [12, 20], is [20, 12]",
          [](W& w, O&) { w.linear2.weight = w.linear1.weight; });
  rejects("norm1.weight: shape must be [12], is [20]; x has width 12",
          [](W& w, O&) { w.norm1.weight = w.linear1.bias; });
  rejects("norm2.bias: shape must be [12], is [20]",
          [](W& w, O&) { w.norm2.bias = w.linear1.bias; });
  rejects("eps: must be finite and at least 0", [](W&, O& o) { o.eps = -1; });
  rejects("dropout.probability: must be at least 0 and below 1, is 1",
          [](W&, O& o) { o.dropout = DropoutPlaces{.probability = 1}; });
  rejects("dropout.first_batch: must be",
          [](W&, O& o) { o.dropout = DropoutPlaces{.first_batch = -1}; });
  rejects("activation: is none of", [](W&, O& o) { o.activation = static_cast<Activation>(-1); });
  rejects("trace.hidden: shape must be [2, 9, 20], is [2, 9, 12]", nothing, {.hidden = e.output});
  rejects("trace.normed1: shares memory", nothing, {.normed1 = e.output});
  rejects("trace.residual2: shares memory", nothing, {.residual2 = e.x});
  Buffer<float, 3> same({2, 9, 12});
  rejects("trace.normed2: shares memory", nothing, {.attention = same, .normed2 = same});
  rejects("self_attn.trace.heads: shape must be [2, 3, 9, 4]", nothing,
          {.self_attn = {.heads = {same.data(), {1, 3, 9, 4}}}});

  EXPECT_EQ(error_of([&] { transformer_block({}, e.weights, e.options, e.output); }),
            "transformer_block: x: no tensor given");
  EXPECT_NE(error_of([&] {
              transformer_block(e.x, e.weights, e.options, e.x);
            }).find("transformer_block: out: shares memory"),
            std::string::npos);
  Buffer<float, 3> narrow({2, 9, 11});
  EXPECT_EQ(error_of([&] { transformer_block(e.x, e.weights, e.options, narrow); }),
            "transformer_block: out: shape must be [2, 9, 12], is [2, 9, 11]; the shape of x");
  e.run();
  EXPECT_NE(e.output.data()[0], 7);
}

}  // namespace
}  // namespace tril
