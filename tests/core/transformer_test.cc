// The stacks against torch.nn.Transformer and torch.nn.TransformerEncoder in float64, the whole
// against its towers, and wrong input.
#include <gtest/gtest.h>
#include <tril/block/transformer.h>

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
using testing::kPyTorchAbsolute;
using testing::kPyTorchRelative;
using testing::shrinking_padding;
using testing::uniform;
using testing::WeightSource;

struct Case {
  const char* name;
  Index heads, width, encoder_layers, decoder_layers, batches, keys, tokens;
  NormOrder norm;
  Activation activation;
  bool plain, padded;
};
// The same table is in tests/golden/make_block_golden.py.
constexpr Case kCases[] = {
    {"post", 2, 10, 2, 3, 3, 9, 7, NormOrder::post, Activation::relu, false, true},
    {"pre", 3, 9, 3, 1, 1, 64, 12, NormOrder::pre, Activation::gelu, false, false},
    {"plain", 1, 7, 1, 2, 3, 2, 1, NormOrder::post, Activation::silu, true, false},
    {"eight", 8, 24, 1, 1, 1, 100, 129, NormOrder::pre, Activation::relu, false, true},
};

// The inputs of a case, drawn in the script's order.
struct Example {
  explicit Example(const Case& c, unsigned seed)
      : random(seed),
        drawn(random, c.plain),
        weights(drawn.transformer(c.encoder_layers, c.decoder_layers, c.width, 2 * c.width + 1)),
        source(uniform<3>({c.batches, c.keys, c.width}, random)),
        target(uniform<3>({c.batches, c.tokens, c.width}, random)),
        output({c.batches, c.tokens, c.width}) {
    options.heads = c.heads;
    options.norm = c.norm;
    options.activation = c.activation;
    options.target_attention.causal = true;
    if (!c.padded) return;
    options.source_attention.mask = options.memory_attention.mask =
        shrinking_padding(c.batches, c.keys - 1);
  }

  void run(const TransformerTrace& trace = {}) {
    transformer(source, target, weights, options, output, {}, trace);
  }

  Random random;
  WeightSource drawn;
  TransformerWeights weights;
  TransformerOptions options;
  Buffer<float, 3> source, target, output;
};

TransformerBlockOptions encoder_options(const TransformerOptions& options) {
  return {.heads = options.heads,
          .norm = options.norm,
          .activation = options.activation,
          .attention = options.source_attention};
}

DecoderBlockOptions decoder_options(const TransformerOptions& options) {
  return {.heads = options.heads,
          .norm = options.norm,
          .activation = options.activation,
          .self_attention = options.target_attention,
          .cross_attention = options.memory_attention};
}

TEST(Transformer, AgreesWithPyTorch) {
  unsigned seed = 3000;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    Example e(c, seed++);
    e.run();
    EXPECT_TRUE(close(golden<3>(std::string("block/transformer_") + c.name), e.output,
                      kPyTorchAbsolute, kPyTorchRelative));
  }
}

TEST(Transformer, AnEncoderWithoutANormAtTheEndAgreesWithPyTorch) {
  Random random(3100);
  WeightSource drawn(random, false);
  TransformerEncoderWeights weights;
  for (int n = 0; n < 3; ++n) weights.layers.push_back(drawn.block(10, 21));
  const Buffer<float, 3> x = uniform<3>({2, 7, 10}, random);
  Buffer<float, 3> output({2, 7, 10});
  transformer_encoder(x, weights, {.heads = 2, .norm = NormOrder::pre}, output);
  EXPECT_TRUE(
      close(golden<3>("block/encoder_without_norm"), output, kPyTorchAbsolute, kPyTorchRelative));
}

TEST(Transformer, IsItsTowersAndTheTraceHoldsTheMemoryBetweenThem) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    Example e(c, 5);
    e.run();
    Buffer<float, 3> memory(e.source.shape()), traced(e.source.shape()), output(e.output.shape());
    transformer_encoder(e.source, e.weights.encoder, encoder_options(e.options), memory);
    transformer_decoder(e.target, memory, e.weights.decoder, decoder_options(e.options), output);
    EXPECT_TRUE(equal(output, e.output));
    e.run({.memory = traced});
    EXPECT_TRUE(equal(output, e.output));
    EXPECT_TRUE(equal(memory, traced));
  }
}

TEST(Transformer, AStackIsItsBlocksInARow) {
  Example e(kCases[0], 6);
  const TransformerEncoderWeights both = {.layers = e.weights.encoder.layers};
  Buffer<float, 3> between(e.source.shape()), expected(e.source.shape()), output(e.source.shape()),
      kept(e.source.shape());
  const TransformerBlockOptions options = encoder_options(e.options);
  transformer_block(e.source, both.layers[0], options, between);
  transformer_block(between, both.layers[1], options, expected);
  std::vector<TransformerBlockTrace> trace(2);
  trace[0].normed2 = kept;
  transformer_encoder(e.source, both, options, output, {}, trace);
  EXPECT_TRUE(equal(expected, output));
  EXPECT_TRUE(equal(between, kept));
}

TEST(Transformer, ThreadsChangeNothingAndNaNStaysInItsBatch) {
  Example e(kCases[0], 7);
  e.run();
  Buffer<float, 3> clean(e.output.shape());
  Parallel three(3);
  transformer(e.source, e.target, e.weights, e.options, clean, three);
  EXPECT_TRUE(equal(clean, e.output));
  e.source.view()[1][0][0] = std::numeric_limits<float>::quiet_NaN();
  e.run();
  EXPECT_TRUE(equal(clean.view()[0], e.output.view()[0]));
  EXPECT_TRUE(equal(clean.view()[2], e.output.view()[2]));
  EXPECT_TRUE(std::isnan(e.output.view()[1][0][0]));
}

TEST(Transformer, RejectsWhatDoesNotFitAndWritesNothing) {
  Example e(kCases[0], 8);
  e.output.data()[0] = 7;
  const auto rejects = [&](const std::string& expected, const auto& change,
                           const TransformerTrace& trace = {}) {
    TransformerWeights weights = e.weights;
    TransformerOptions options = e.options;
    change(weights, options);
    const std::string message =
        error_of([&] { transformer(e.source, e.target, weights, options, e.output, {}, trace); });
    EXPECT_NE(message.find("transformer: " + expected), std::string::npos) << message;
    EXPECT_EQ(e.output.data()[0], 7);
  };
  using W = TransformerWeights;
  using O = TransformerOptions;
  const auto nothing = [](W&, O&) {};
  rejects("encoder.layers: there are none", [](W& w, O&) { w.encoder.layers.clear(); });
  rejects("decoder.layers: there are none", [](W& w, O&) { w.decoder.layers.clear(); });
  rejects("encoder.layers.1.linear1.weight: no tensor given",
          [](W& w, O&) { w.encoder.layers[1].linear1 = {}; });
  rejects("encoder.layers.0.self_attn.heads: must be", [](W&, O& o) { o.heads = -1; });
  rejects("dropout.probability: must be",
          [](W&, O& o) { o.dropout = DropoutPlaces{.probability = NAN}; });
  rejects("decoder.layers.2.multihead_attn.out_proj.weight: no tensor given",
          [](W& w, O&) { w.decoder.layers[2].multihead_attn.out_proj_weight = {}; });
  rejects("decoder.layers.0.multihead_attn.mask: ",
          [](W&, O& o) { o.memory_attention.mask = Mask::padding({9}); });
  rejects("encoder.norm.weight: shape must be [10], is [21]",
          [](W& w, O&) { w.encoder.norm->weight = w.encoder.layers[0].linear1.bias; });
  rejects("decoder.norm.bias: shape must be [10], is [21]",
          [](W& w, O&) { w.decoder.norm->bias = w.encoder.layers[0].linear1.bias; });
  rejects("encoder.trace: 1 traces for 2 layers", nothing,
          {.encoder = std::vector<TransformerBlockTrace>(1)});
  rejects("decoder.trace: 4 traces for 3 layers", nothing,
          {.decoder = std::vector<DecoderBlockTrace>(4)});
  rejects("trace.memory: shape must be [3, 9, 10], is [3, 7, 10]", nothing, {.memory = e.output});

  KeyValueCache cache({.batches = 3, .heads = e.options.heads, .capacity = 9, .width = 1});
  EXPECT_EQ(error_of([&] {
              transformer_encoder(e.source, e.weights.encoder, {.past = &cache}, e.output);
            }),
            "transformer_encoder: past: each layer of a stack would need one of its own");
  EXPECT_EQ(error_of([&] {
              transformer_decoder(e.target, e.source, e.weights.decoder, {.memory_past = &cache},
                                  e.output);
            }),
            "transformer_decoder: memory_past: each layer of a stack would need one of its own");

  const auto message = [&](TensorView<const float, 3> source, TensorView<const float, 3> target,
                           TensorView<float, 3> output) {
    return error_of([&] { transformer(source, target, e.weights, e.options, output); });
  };
  EXPECT_EQ(message({}, e.target, e.output), "transformer: source: no tensor given");
  EXPECT_EQ(message(e.source, {}, e.output), "transformer: target: no tensor given");
  EXPECT_EQ(message(e.source, TensorView<float, 3>(e.target.data(), {2, 7, 10}), e.output),
            "transformer: target: must have the batches of source; source is [3, 9, 10], target is "
            "[2, 7, 10]");
  EXPECT_EQ(message(e.source, e.target, e.source),
            "transformer: out: shape must be [3, 7, 10], is [3, 9, 10]; the shape of target");
  EXPECT_NE(message(e.source, e.target, e.target).find("shares memory"), std::string::npos);
  EXPECT_NE(message(e.source, e.target, TensorView<float, 3>(e.source.data(), {3, 7, 10}))
                .find("shares memory"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { transformer_encoder({}, e.weights.encoder, {}, e.output); }),
            "transformer_encoder: x: no tensor given");
  EXPECT_EQ(error_of([&] { transformer_decoder(e.target, {}, e.weights.decoder, {}, e.output); }),
            "transformer_decoder: memory: no tensor given");
  EXPECT_EQ(e.output.data()[0], 7);
  e.run();
  EXPECT_NE(e.output.data()[0], 7);
}

}  // namespace
}  // namespace tril
