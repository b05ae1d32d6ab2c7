#include <gtest/gtest.h>
#include <tril/layers/feed_forward.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::close;
using testing::equal;
using testing::error_of;
using testing::golden;
using testing::kPyTorchAbsolute;
using testing::kPyTorchRelative;
using testing::uniform;

// A feed-forward of random parameters, drawn in the order of a state_dict.
struct Layer {
  Layer(Index width, Index inner, Random& random)
      : weight1(uniform<2>({inner, width}, random)),
        bias1(uniform<1>({inner}, random)),
        weight2(uniform<2>({width, inner}, random)),
        bias2(uniform<1>({width}, random)) {}
  FeedForwardWeights weights(bool biased = true) const {
    if (!biased) return {{weight1, {}}, {weight2, {}}};
    return {{weight1, bias1}, {weight2, bias2}};
  }
  Buffer<float, 2> weight1;
  Buffer<float, 1> bias1;
  Buffer<float, 2> weight2;
  Buffer<float, 1> bias2;
};

TEST(FeedForward, AgreesWithPyTorch) {
  Random random(41);
  for (const Index rows : {1, 13}) {
    for (const bool biased : {true, false}) {
      const Layer layer(9, 21, random);
      const Buffer<float, 2> x = uniform<2>({rows, 9}, random);
      for (const auto& [label, activation] : kActivations) {
        const std::string name =
            std::string(label) + "_" + std::to_string(rows) + (biased ? "" : "_plain");
        SCOPED_TRACE(name);
        Buffer<float, 2> out({rows, 9});
        feed_forward(x, layer.weights(biased), activation, out);
        EXPECT_TRUE(close(golden<2>("layers/feed_forward_" + name), out, kPyTorchAbsolute,
                          kPyTorchRelative));
      }
    }
  }
}

TEST(FeedForward, ExactOnSmallIntegers) {
  // relu of integers up to 8 * 8 * 3 + 8, times integers: every sum is exact in float.
  Random random(42);
  Scratch scratch;
  Parallel parallel(2);
  Layer layer(3, 130, random);
  Buffer<float, 2> x = uniform<2>({7, 3}, random), out({7, 3});
  const auto round = [](float* data, Index count) {
    for (Index i = 0; i < count; ++i) data[i] = std::round(8 * data[i]);
  };
  round(layer.weight1.data(), 130 * 3), round(layer.bias1.data(), 130);
  round(layer.weight2.data(), 130 * 3), round(layer.bias2.data(), 3);
  round(x.data(), 21);
  feed_forward(x, layer.weights(), Activation::relu, out, {scratch, parallel});
  for (Index n = 0; n < 7; ++n) {
    for (Index c = 0; c < 3; ++c) {
      double sum = layer.bias2.view()[c];
      for (Index f = 0; f < 130; ++f) {
        double hidden = layer.bias1.view()[f];
        for (Index k = 0; k < 3; ++k) hidden += double{x.view()[n][k]} * layer.weight1.view()[f][k];
        sum += std::fmax(hidden, 0) * layer.weight2.view()[c][f];
      }
      EXPECT_EQ(out.view()[n][c], sum);
    }
  }
}

TEST(FeedForward, TheTraceChangesNothingAndIsWhatItSays) {
  Random random(43);
  const Layer layer(10, 17, random);
  const Buffer<float, 2> x = uniform<2>({6, 10}, random);
  Buffer<float, 2> out({6, 10}), again({6, 10}), hidden({6, 17}), activated({6, 17}),
      expected({6, 17});
  feed_forward(x, layer.weights(), Activation::silu, out);
  feed_forward(x, layer.weights(), Activation::silu, again, {}, {hidden, activated});
  EXPECT_TRUE(equal(out, again));
  silu(hidden, expected);
  EXPECT_TRUE(equal(expected, activated));
  // Each of the two alone.
  Buffer<float, 2> only({6, 17});
  feed_forward(x, layer.weights(), Activation::silu, again, {}, {.hidden = only});
  EXPECT_TRUE(equal(out, again));
  EXPECT_TRUE(equal(hidden, only));
  feed_forward(x, layer.weights(), Activation::silu, again, {}, {.activated = only});
  EXPECT_TRUE(equal(out, again));
  EXPECT_TRUE(equal(activated, only));
}

TEST(FeedForward, ANaNStaysInItsRow) {
  Random random(44);
  const Layer layer(5, 8, random);
  Buffer<float, 2> x = uniform<2>({9, 5}, random), clean({9, 5}), out({9, 5});
  feed_forward(x, layer.weights(), Activation::gelu, clean);
  x.view()[4][2] = std::numeric_limits<float>::quiet_NaN();
  feed_forward(x, layer.weights(), Activation::gelu, out);
  for (Index n = 0; n < 9; ++n) {
    if (n == 4) {
      for (Index c = 0; c < 5; ++c) EXPECT_TRUE(std::isnan(out.view()[n][c]));
    } else {
      EXPECT_TRUE(equal(clean.view()[n], out.view()[n])) << n;
    }
  }
}

TEST(FeedForward, RejectsWhatDoesNotFitAndWritesNothing) {
  Random random(45);
  const Layer layer(3, 4, random);
  const FeedForwardWeights weights = layer.weights();
  const Buffer<float, 2> x = uniform<2>({2, 3}, random);
  Buffer<float, 2> out({2, 3}), other({2, 4}), odd({3, 3});
  Buffer<float, 1> two({2});
  out.data()[0] = 7;
  const auto message = [&](const FeedForwardWeights& with, MatrixView<float> to,
                           const FeedForwardTrace& trace = {}) {
    return error_of([&] { feed_forward(x, with, Activation::relu, to, {}, trace); });
  };
  EXPECT_EQ(message({{}, weights.linear2}, out), "feed_forward: linear1.weight: no tensor given");
  EXPECT_EQ(message({weights.linear1, {}}, out), "feed_forward: linear2.weight: no tensor given");
  EXPECT_EQ(message({{layer.weight2, {}}, weights.linear2}, out),
            "feed_forward: linear1.weight: shape must be [3, 3], is [3, 4]; x has width 3, "
            "linear1.weight is [3, 4]");
  EXPECT_EQ(message({{layer.weight1, two}, weights.linear2}, out),
            "feed_forward: linear1.bias: shape must be [4], is [2]; x has width 3, linear1.weight "
            "is [4, 3]");
  EXPECT_EQ(message({weights.linear1, {odd, {}}}, out),
            "feed_forward: linear2.weight: shape must be [3, 4], is [3, 3]; x has width 3, "
            "linear1.weight is [4, 3]");
  EXPECT_EQ(message({weights.linear1, {layer.weight2, two}}, out),
            "feed_forward: linear2.bias: shape must be [3], is [2]; x has width 3, linear1.weight "
            "is [4, 3]");
  EXPECT_EQ(message(weights, other),
            "feed_forward: out: shape must be [2, 3], is [2, 4]; the shape of x");
  EXPECT_EQ(message(weights, out, {.hidden = out}),
            "feed_forward: hidden: shape must be [2, 4], is [2, 3]; x is [2, 3], linear1.weight is "
            "[4, 3]");
  EXPECT_NE(message(weights, out, {.hidden = other, .activated = other}).find("shares memory"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              feed_forward(out, weights, Activation::relu, out);
            }).find("feed_forward: out: shares memory"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { feed_forward(x, weights, static_cast<Activation>(7), out); }),
            "feed_forward: activation: is none of relu, gelu, gelu_tanh, silu");
  EXPECT_EQ(out.data()[0], 7);
  feed_forward(x, weights, Activation::relu, out);
  EXPECT_NE(out.data()[0], 7);
}

}  // namespace
}  // namespace tril
