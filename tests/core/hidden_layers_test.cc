// Masked numbers change no bit of multi-head attention and of blocks; and numbers without a
// gradient change no bit of gradients.
#include <gtest/gtest.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/block/transformer_block.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/activations.h>
#include <tril/layers/softmax.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/block_weights.h"
#include "core/compare.h"
#include "core/hidden.h"
#include "core/multi_head_module.h"

namespace tril {
namespace {

using testing::append, testing::expect_hidden, testing::kInfinity, testing::kNaN, testing::normal;
using testing::WeightSource;

// Masked rows of a context, in cross-attention; and, without a context, the last token, which only
// it itself sees, and which has no gradient.
TEST(Hidden, MultiHeadAttention) {
  Scratch scratch;
  Parallel parallel{2};
  for (const bool cross : {false, true}) {
    Random random(15);
    const testing::MultiHeadModule module(random, 8, true, cross ? 6 : 0, cross ? 6 : 0);
    const MultiHeadWeights weights = module.weights();
    const Index tokens = 11;
    Buffer<float, 3> x = normal({2, tokens, 8}, random), context = normal({2, tokens, 6}, random);
    Buffer<float, 3> d_out = normal({2, tokens, 8}, random);
    MultiHeadOptions options;
    options.heads = 2;
    options.attention.mask = Mask::padding({tokens - 1, tokens - 1});
    if (!cross) {
      options.attention.causal = true;
      options.rotary = MultiHeadRotary{};
      for (Index b = 0; b < 2; ++b) std::fill_n(d_out.view()[b][tokens - 1].data(), 8, 0.0f);
    }
    expect_hidden(cross ? "context" : "x", [&](float garbage) {
      Buffer<float, 3>& poisoned = cross ? context : x;
      for (Index b = 0; b < 2; ++b) {
        std::fill_n(poisoned.view()[b][tokens - 1].data(), poisoned.shape()[2], garbage);
      }
      if (cross) options.context = context;
      Buffer<float, 1> memory, d_memory({parameter_count(weights)});
      const MultiHeadTrace trace = saved_in(memory, [&](SavedMemory& place) {
        return multi_head_attention_saved(x.shape(), weights, options, place);
      });
      Buffer<float, 3> out(x.shape()), d_x(x.shape()), d_context(context.shape());
      multi_head_attention(x, weights, options, out, {scratch, parallel}, trace);
      MultiHeadGradients gradients;
      gradients.d_x = d_x;
      if (cross) gradients.d_context = d_context;
      gradients.weights = parameters_in<BasicMultiHeadWeights<float>>(d_memory.data(), weights);
      multi_head_attention_backward(d_out, x, weights, options, trace, gradients,
                                    {scratch, parallel});
      std::vector<float> all;
      for (Index b = 0; b < 2; ++b) {
        for (Index t = 0; t < tokens - (cross ? 0 : 1); ++t) append<1>(out.view()[b][t], all);
      }
      append<3>(d_x.view(), all), append<3>(d_context.view(), all);
      append<1>(d_memory.view(), all);
      return all;
    });
  }
}

TEST(Hidden, TransformerBlock) {
  Scratch scratch;
  Parallel parallel{2};
  for (const NormOrder order : testing::kNormOrders) {
    for (const auto& [name, activation] : kActivations) {
      Random random(16);
      WeightSource source(random, false);
      const TransformerBlockWeights weights = source.block(8, 17);
      const Index tokens = 11;
      Buffer<float, 3> x = normal({2, tokens, 8}, random), d_out = normal({2, tokens, 8}, random);
      TransformerBlockOptions options;
      options.heads = 2, options.norm = order, options.activation = activation;
      options.attention.mask = Mask::padding({tokens - 2, tokens - 2});
      for (Index b = 0; b < 2; ++b) {
        for (Index t = tokens - 2; t < tokens; ++t) std::fill_n(d_out.view()[b][t].data(), 8, 0.0f);
      }
      expect_hidden(std::string(name), [&](float garbage) {
        for (Index b = 0; b < 2; ++b) {
          for (Index t = tokens - 2; t < tokens; ++t)
            std::fill_n(x.view()[b][t].data(), 8, garbage);
        }
        Buffer<float, 1> memory, d_memory({parameter_count(weights)});
        const TransformerBlockTrace trace = saved_in(memory, [&](SavedMemory& place) {
          return transformer_block_saved(x.shape(), weights, options, place);
        });
        Buffer<float, 3> out(x.shape()), d_x(x.shape());
        transformer_block(x, weights, options, out, {scratch, parallel}, trace);
        transformer_block_backward(
            d_out, x, weights, options, trace,
            {d_x, {}, parameters_in<BasicTransformerBlockWeights<float>>(d_memory.data(), weights)},
            {scratch, parallel});
        std::vector<float> all;
        for (Index b = 0; b < 2; ++b) {
          for (Index t = 0; t < tokens - 2; ++t) append<1>(out.view()[b][t], all);
        }
        append<3>(d_x.view(), all), append<1>(d_memory.view(), all);
        return all;
      });
      if (HasFatalFailure()) return;
    }
  }
}

// A probability of 0, and a gradient of 0.
TEST(Hidden, SoftmaxAndActivations) {
  Random random(17);
  Buffer<float, 2> x({3, 21}), d_out({3, 21}), out({3, 21});
  fill_normal(x.view(), random), fill_normal(d_out.view(), random);
  for (Index row = 0; row < 3; ++row) x.view()[row][row * 10] = -kInfinity;
  softmax(x, {}, out);
  expect_hidden("softmax", [&](float garbage) {
    for (Index row = 0; row < 3; ++row) d_out.view()[row][row * 10] = garbage;
    Buffer<float, 2> d_x(x.shape());
    softmax_backward(d_out, out, {}, d_x);
    std::vector<float> all;
    append<2>(d_x.view(), all);
    return all;
  });
  for (Index row = 0; row < 3; ++row) d_out.view()[row][row * 10] = 0;
  for (const auto& [name, activation] : kActivations) {
    const Activation which = activation;
    expect_hidden(std::string(name), [&](float garbage) {
      for (Index row = 0; row < 3; ++row) x.view()[row][row * 10] = garbage;
      Buffer<float, 2> d_x(x.shape()), d_gate(x.shape()), d_up(x.shape());
      activate_backward(which, d_out, x, d_x);
      gated_activation_backward(which, d_out, x, x, d_gate, d_up);
      std::vector<float> all;
      for (const auto* d : {&d_x, &d_gate, &d_up}) append<2>(d->view(), all);
      return all;
    });
  }
}

}  // namespace
}  // namespace tril
