// The decoder's block against torch.nn.TransformerDecoderLayer in float64, its trace against its
// parts, invariances, and wrong input.
#include <gtest/gtest.h>
#include <tril/block/decoder_block.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/layer_norm.h>

#include <cmath>
#include <limits>
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

// Every number of heads and pair of lengths; the n-th case takes the other options in turn.
TEST(DecoderBlock, AgreesWithPyTorch) {
  Parallel parallel(2);
  const Index widths[][2] = {{1, 7}, {2, 10}, {3, 9}, {8, 24}};                       // heads, C
  const Index lengths[][2] = {{1, 129}, {2, 7}, {7, 2}, {64, 100}, {7, 7}, {12, 1}};  // T, S
  unsigned n = 0;
  for (const auto& [heads, width] : widths) {
    for (const auto& [tokens, keys] : lengths) {
      const Index batches = n % 2 == 0 ? 1 : 3;
      const std::string name = std::string("h") + std::to_string(heads) + "_t" +
                               std::to_string(tokens) + "_s" + std::to_string(keys);
      SCOPED_TRACE(name);
      Random random(2000 + n);
      WeightSource source(random, n % 5 == 0);
      const DecoderBlockWeights weights = source.decoder_block(width, 2 * width + 1);
      const Buffer<float, 3> x = uniform<3>({batches, tokens, width}, random);
      const Buffer<float, 3> memory = uniform<3>({batches, keys, width}, random);
      auto options = nth_options<DecoderBlockOptions>(n, heads);
      options.self_attention.causal = n % 3 != 2;
      if (n % 3 != 0) options.cross_attention.mask = shrinking_padding(batches, keys);
      Buffer<float, 3> output({batches, tokens, width});
      decoder_block(x, memory, weights, options, output, parallel);
      EXPECT_TRUE(close(golden<3>("block/decoder_block_" + name), output, kPyTorchAbsolute,
                        kPyTorchRelative));
      ++n;
    }
  }
}

struct Example {
  Example()
      : weights(source.decoder_block(12, 20)),
        x(uniform<3>({2, 9, 12}, random)),
        memory(uniform<3>({2, 5, 12}, random)),
        output({2, 9, 12}) {}

  void run(const DecoderBlockTrace& trace = {}) {
    decoder_block(x, memory, weights, options, output, {}, trace);
  }

  Random random{61};
  WeightSource source{random, false};
  DecoderBlockWeights weights;
  DecoderBlockOptions options{
      .heads = 3, .activation = Activation::silu, .self_attention = {.causal = true}};
  Buffer<float, 3> x, memory, output;
};

TEST(DecoderBlock, TheTraceChangesNothingAndIsWhatItSays) {
  for (const NormOrder order : kNormOrders) {
    Example e;
    e.options.norm = order;
    e.run();
    const Shape<3> shape = e.x.shape(), inner = {shape[0], shape[1], 20};
    Buffer<float, 3> plain(shape), attention(shape), residual1(shape), normed1(shape), cross(shape),
        residual2(shape), normed2(shape), hidden(inner), activated(inner), fed(shape),
        residual3(shape), normed3(shape);
    std::copy_n(e.output.data(), e.output.view().count(), plain.data());
    DecoderBlockTrace trace;
    trace.attention = attention, trace.residual1 = residual1, trace.normed1 = normed1;
    trace.cross = cross, trace.residual2 = residual2, trace.normed2 = normed2;
    trace.hidden = hidden, trace.activated = activated, trace.feed_forward = fed;
    trace.residual3 = residual3, trace.normed3 = normed3;
    e.run(trace);
    EXPECT_TRUE(equal(plain, e.output));

    // Each tensor from those before it, by the functions themselves: the same bits.
    const bool post = order == NormOrder::post;
    Buffer<float, 3> expected(shape), expected_hidden(inner);
    const auto expect_attention = [&](const Buffer<float, 3>& x, const MultiHeadWeights& weights,
                                      const MultiHeadOptions& options,
                                      const Buffer<float, 3>& actual) {
      multi_head_attention(x, weights, options, expected);
      EXPECT_TRUE(equal(expected, actual));
    };
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
    expect_attention(post ? e.x : normed1, e.weights.self_attn,
                     {.heads = 3, .attention = {.causal = true}}, attention);
    expect_sum(e.x, attention, residual1);
    expect_norm(post ? residual1 : e.x, e.weights.norm1, normed1);
    expect_attention(post ? normed1 : normed2, e.weights.multihead_attn,
                     {.heads = 3, .context = e.memory}, cross);
    expect_sum(post ? normed1 : residual1, cross, residual2);
    expect_norm(post ? residual2 : residual1, e.weights.norm2, normed2);
    silu(rows(hidden), rows(expected_hidden));
    EXPECT_TRUE(equal(expected_hidden, activated));
    feed_forward(rows(post ? normed2 : normed3), {e.weights.linear1, e.weights.linear2},
                 Activation::silu, rows(expected));
    EXPECT_TRUE(equal(expected, fed));
    expect_sum(post ? normed2 : residual2, fed, residual3);
    expect_norm(post ? residual3 : residual2, e.weights.norm3, normed3);
    EXPECT_TRUE(equal(post ? normed3 : residual3, e.output));
  }
}

TEST(DecoderBlock, TheFutureCannotLeakButTheMemoryIsSeenWhole) {
  Example e;
  e.run();
  Buffer<float, 3> before({2, 9, 12});
  std::copy_n(e.output.data(), 2 * 9 * 12, before.data());
  for (Index c = 0; c < 12; ++c) e.x.view()[1][5][c] = 100;
  e.run();
  EXPECT_TRUE(equal(before.view()[0], e.output.view()[0]));
  for (Index t = 0; t < 5; ++t) EXPECT_TRUE(equal(before.view()[1][t], e.output.view()[1][t])) << t;
  EXPECT_FALSE(equal(before.view()[1][5], e.output.view()[1][5]));

  Example other;
  other.memory.view()[0][4][3] += 1;
  other.run();
  for (Index t = 0; t < 9; ++t)
    EXPECT_FALSE(equal(before.view()[0][t], other.output.view()[0][t])) << t;
}

TEST(DecoderBlock, ANaNStaysInItsBatch) {
  for (const NormOrder order : kNormOrders) {
    for (const bool in_memory : {true, false}) {
      Example e;
      e.options.norm = order;
      e.run();
      Buffer<float, 3> clean({2, 9, 12});
      std::copy_n(e.output.data(), 2 * 9 * 12, clean.data());
      (in_memory ? e.memory : e.x).view()[0][0][5] = std::numeric_limits<float>::quiet_NaN();
      e.run();
      EXPECT_TRUE(equal(clean.view()[1], e.output.view()[1]));
      EXPECT_TRUE(std::isnan(e.output.view()[0][8][0]));
    }
  }
}

TEST(DecoderBlock, ThreadsAndGapsChangeNothing) {
  for (const unsigned n : {0u, 1u, 2u, 3u}) {
    Example e;
    e.options.norm = kNormOrders[n % 2];
    if (n >= 2) e.options.dropout = DropoutPlaces{.probability = 0.3, .seed = 4};
    e.run();
    Parallel three(3);
    Buffer<float, 3> wide({2, 12, 15}), wide_output({2, 12, 15});
    const Shape<3> strides = {12 * 15, 15, 1};
    const TensorView<float, 3> x(wide.data() + 2, {2, 9, 12}, strides);
    const TensorView<float, 3> output(wide_output.data() + 1, {2, 9, 12}, strides);
    for (Index b = 0; b < 2; ++b) {
      for (Index t = 0; t < 9; ++t) std::copy_n(e.x.view()[b][t].data(), 12, x[b][t].data());
    }
    decoder_block(x, e.memory, e.weights, e.options, output, three);
    EXPECT_TRUE(equal(e.output, output));
    EXPECT_EQ(wide_output.view()[0][0][0], 0);
    EXPECT_EQ(wide_output.view()[1][8][13], 0);
  }
}

// Token by token, with a cache of the tokens and one of the memory, which is passed once.
TEST(DecoderBlock, DecodesWithCaches) {
  for (const NormOrder order : kNormOrders) {
    Example e;
    e.options.norm = order;
    e.run();
    KeyValueCache past({.batches = 2, .heads = 3, .capacity = 9, .width = 4});
    KeyValueCache memory_past({.batches = 2, .heads = 3, .capacity = 5, .width = 4});
    DecoderBlockOptions options = e.options;
    options.past = &past, options.memory_past = &memory_past;
    Buffer<float, 3> decoded(e.x.shape());
    const Shape<3> one = {2, 1, 12}, strides = e.x.view().strides();
    for (Index t = 0; t < 9; ++t) {
      const TensorView<const float, 3> memory(e.memory.data(), {2, t == 0 ? 5 : 0, 12});
      decoder_block({e.x.view()[0][t].data(), one, strides}, memory, e.weights, options,
                    {decoded.view()[0][t].data(), one, strides});
      EXPECT_EQ(past.length(), t + 1);
      EXPECT_EQ(memory_past.length(), 5);
    }
    EXPECT_TRUE(close(e.output, decoded, kPyTorchAbsolute, kPyTorchRelative));

    const auto message = [&] {
      return error_of([&] { decoder_block(e.x, e.memory, e.weights, options, e.output); });
    };
    EXPECT_EQ(message(),
              "decoder_block: self_attn.past: has a capacity of 9 tokens and holds 9; 9 more do "
              "not fit");
    past.set_length(0);
    EXPECT_EQ(message(),
              "decoder_block: multihead_attn.past: has a capacity of 5 tokens and holds 5; 5 more "
              "do not fit");
    EXPECT_EQ(past.length(), 0);
    options.past = nullptr;
    EXPECT_EQ(error_of([&] {
                decoder_block_backward(e.output, e.x, e.memory, e.weights, options, {}, {});
              }),
              "decoder_block_backward: memory_past: decoding with a cache has no gradients");
  }
}

TEST(DecoderBlock, RejectsWhatDoesNotFitAndWritesNothing) {
  Example e;
  e.output.data()[0] = 7;
  const auto rejects = [&](const std::string& expected, const auto& change,
                           const DecoderBlockTrace& trace = {}) {
    DecoderBlockWeights weights = e.weights;
    DecoderBlockOptions options = e.options;
    change(weights, options);
    const std::string message =
        error_of([&] { decoder_block(e.x, e.memory, weights, options, e.output, {}, trace); });
    EXPECT_NE(message.find("decoder_block: " + expected), std::string::npos) << message;
    EXPECT_EQ(e.output.data()[0], 7);
  };
  using W = DecoderBlockWeights;
  using O = DecoderBlockOptions;
  const auto nothing = [](W&, O&) {};
  rejects("self_attn.heads: must be at least 1", [](W&, O& o) { o.heads = 0; });
  rejects("self_attn.mask: ", [](W&, O& o) { o.self_attention.mask = Mask::padding({1, 6, 3}); });
  rejects("multihead_attn.mask: ", [](W&, O& o) {
    o.cross_attention.mask = Mask::padding({1, 6});
  });
  rejects("multihead_attn.q_proj_weight: no tensor given",
          [](W& w, O&) { w.multihead_attn.in_proj_weight = {}; });
  rejects("linear1.weight: no tensor given", [](W& w, O&) { w.linear1 = {}; });
  rejects("linear2.bias: shape must be [12], is [20]",
          [](W& w, O&) { w.linear2.bias = w.linear1.bias; });
  rejects("norm3.weight: shape must be [12], is [20]",
          [](W& w, O&) { w.norm3.weight = w.linear1.bias; });
  rejects("eps: must be finite and at least 0", [](W&, O& o) { o.eps = NAN; });
  rejects("trace.activated: shape must be [2, 9, 20], is [2, 9, 12]", nothing,
          {.activated = e.output});
  rejects("trace.cross: shares memory", nothing, {.cross = e.x});
  Buffer<float, 3> same({2, 9, 12});
  rejects("trace.normed3: shares memory", nothing, {.residual3 = same, .normed3 = same});
  const MultiHeadTrace turned = {.unrotated_keys = {same.data(), {2, 3, 9, 4}}};
  rejects("trace.self_attn: shares memory", nothing, {.self_attn = turned, .attention = same});

  const auto message = [&](TensorView<const float, 3> x, TensorView<const float, 3> memory,
                           TensorView<float, 3> output) {
    return error_of([&] { decoder_block(x, memory, e.weights, e.options, output); });
  };
  EXPECT_EQ(message({}, e.memory, e.output), "decoder_block: x: no tensor given");
  EXPECT_EQ(message(e.x, {}, e.output), "decoder_block: memory: no tensor given");
  EXPECT_EQ(message(e.x, TensorView<float, 3>(e.memory.data(), {1, 5, 12}), e.output),
            "decoder_block: memory: must have x's batches; memory is [1, 5, 12], x is [2, 9, 12]");
  EXPECT_NE(message(e.x, TensorView<float, 3>(e.memory.data(), {2, 5, 11}), e.output)
                .find("decoder_block: multihead_attn.in_proj_weight: shape must be [12, 11]"),
            std::string::npos);
  EXPECT_EQ(message(e.x, e.memory, e.memory),
            "decoder_block: out: shape must be [2, 9, 12], is [2, 5, 12]; the shape of x");
  EXPECT_EQ(e.output.data()[0], 7);
  e.run();
  EXPECT_NE(e.output.data()[0], 7);
}

}  // namespace
}  // namespace tril
