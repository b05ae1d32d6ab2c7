// The gradients of the decoder's block: its reference against the complex step through the
// definition, and then the floats against the reference, within the bounds that it computes
// (bounded.h).
#include <gtest/gtest.h>
#include <tril/block/decoder_block.h>
#include <tril/foundation/saved_memory.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/backward_case.h"
#include "core/block_gradient_reference.h"
#include "core/block_weights.h"
#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::Complex;
using testing::decoder_gradients;
using testing::decoder_reference;
using testing::DecoderReferenceGradients;
using testing::DecoderTables;
using testing::elements;
using testing::equal;
using testing::error_of;
using testing::expect_bounded;
using testing::kNormOrders;
using testing::kUnseen;
using testing::MultiHeadSetting;
using testing::SublayerSetting;
using testing::Table;
using testing::uniform;
using testing::Values;
using testing::WeightSource;

// A block, its inputs and the gradient of its output, drawn from a seed, and all outputs of a
// backward pass. Causal, and with one key of the memory hidden.
struct Case {
  Random random{180};
  WeightSource source;
  DecoderBlockWeights weights;
  DecoderBlockOptions options;
  Buffer<float, 3> x, memory, d_out, out, d_x, d_memory;
  Buffer<float, 4> d_self_mask, d_cross_mask;
  Buffer<float, 1> saved, d_weights;
  DecoderBlockTrace trace;
  DecoderBlockGradients gradients;
  Scratch scratch;

  Case(Index batches, Index tokens, Index keys, Index heads, Index width, NormOrder order,
       Activation activation = Activation::gelu, bool plain = false)
      : source(random, plain), weights(source.decoder_block(width, 2 * width + 1)) {
    x = uniform<3>({batches, tokens, width}, random), d_out = uniform<3>(x.shape(), random);
    memory = uniform<3>({batches, keys, width}, random);
    out = Buffer<float, 3>(x.shape()), d_x = Buffer<float, 3>(x.shape());
    d_memory = Buffer<float, 3>(memory.shape());
    d_self_mask = Buffer<float, 4>({batches, heads, tokens, tokens});
    d_cross_mask = Buffer<float, 4>({batches, heads, tokens, keys});
    d_weights = Buffer<float, 1>({parameter_count(weights)});
    options.heads = heads, options.norm = order, options.activation = activation;
    options.self_attention.causal = true;
    options.cross_attention.mask =
        Mask::padding(std::vector<Index>(static_cast<std::size_t>(batches), keys - 1));
    gradients = {d_x, d_memory, d_self_mask, d_cross_mask,
                 parameters_in<BasicDecoderBlockWeights<float>>(d_weights.data(), weights)};
    std::fill_n(d_x.data(), d_x.view().count(), 7.0f);  // overwritten, not added to
    std::fill_n(d_memory.data(), d_memory.view().count(), 7.0f);
  }

  void forward() {
    trace = saved_in(saved, [&](SavedMemory& place) {
      return decoder_block_saved(x.shape(), memory.shape(), weights, options, place);
    });
    Parallel one;
    decoder_block(x, memory, weights, options, out, {scratch, one}, trace);
  }
  void backward(int threads = 1) {
    Parallel parallel(threads);
    decoder_block_backward(d_out, x, memory, weights, options, trace, gradients,
                           {scratch, parallel});
  }

  Values<double> written() const {
    return testing::elements_of_all(d_x, d_memory, d_self_mask, d_cross_mask, d_weights);
  }

  SublayerSetting sublayer() const {
    return {options.norm, options.residuals, options.norms, options.eps};
  }
  MultiHeadSetting self() const {
    return {x.shape()[0], options.heads, options.heads,
            [](Index, Index, Index t, Index s) { return s <= t ? 0 : kUnseen; }};
  }
  MultiHeadSetting cross() const {
    const Index keys = memory.shape()[1];
    return {x.shape()[0], options.heads, options.heads,
            [keys](Index, Index, Index, Index s) { return s < keys - 1 ? 0 : kUnseen; }};
  }
  template <typename Scalar>
  DecoderTables<Scalar> tables() const {
    return {weights, self()};
  }
  DecoderReferenceGradients expected() const {
    return decoder_gradients(Table<Bounded>(d_out.view()), Table<Bounded>(x.view()),
                             Table<Bounded>(memory.view()), tables<Bounded>(), sublayer(), self(),
                             cross(), options.activation);
  }
  void expect_all() const {
    // As in transformer_block_backward_test.cc, for two attentions.
    const double share = 1 / static_cast<double>(6 * options.heads);
    const DecoderReferenceGradients e = expected();
    expect_bounded(e.x.values, d_x.view(), "d_x", share);
    expect_bounded(e.memory.values, d_memory.view(), "d_memory", share);
    if (!weights.norm1.weight) return;  // the reference's tables have all parameters
    expect_bounded(in_order(e.weights), d_weights.view(), "weights", share);
  }
};

TEST(DecoderBlockBackward, ItsReferenceAgreesWithTheComplexStep) {
  for (const NormOrder order : kNormOrders) {
    Case c(2, 3, 4, 2, 4, order);
    const Values<double> d_out = elements(c.d_out);
    auto x = Table<Complex>(c.x.view()), memory = Table<Complex>(c.memory.view());
    auto w = c.tables<Complex>();
    DecoderReferenceGradients e = c.expected();
    const auto check = [&](Table<Complex>& part, const Values<Bounded>& expected) {
      testing::expect_complex_step(part, expected, d_out, [&] {
        return decoder_reference(x, memory, w, c.sublayer(), c.self(), c.cross(),
                                 c.options.activation)
            .values;
      });
    };
    check(x, e.x.values);
    check(memory, e.memory.values);
    std::vector<const Table<Bounded>*> gradients;
    visit_tables(e.weights, [&](Table<Bounded>& each) { gradients.push_back(&each); });
    std::size_t n = 0;
    visit_tables(w, [&](Table<Complex>& each) { check(each, gradients[n++]->values); });
  }
}

TEST(DecoderBlockBackward, AgreesInBothOrders) {
  for (const NormOrder order : kNormOrders) {
    for (const Activation activation : {Activation::relu, Activation::gelu, Activation::silu}) {
      for (const bool plain : {false, true}) {
        Case c(2, 5, 7, 2, 8, order, activation, plain);
        c.forward();
        c.backward();
        c.expect_all();
      }
    }
  }
}

TEST(DecoderBlockBackward, SavesAsMuchAsItSays) {
  const Index B = 2, T = 16, S = 32, C = 16, H = 2, F = 2 * C + 1;
  for (const NormOrder order : kNormOrders) {
    Case c(B, T, S, H, C, order);
    SavedMemory size;
    decoder_block_saved(c.x.shape(), c.memory.shape(), c.weights, c.options, size);
    EXPECT_EQ(size.count(), B * (T * (11 * C + 2 * F + 2 * H + 6) + 2 * S * C));
  }
}

TEST(DecoderBlockBackward, DoesNotDependOnThreadsOrOnWhatElseIsAskedFor) {
  for (const NormOrder order : kNormOrders) {
    testing::expect_independent(
        [&] { return Case(3, 40, 70, 2, 16, order); },
        [](const DecoderBlockGradients& all) {
          return std::vector<DecoderBlockGradients>{
              {.d_x = all.d_x},
              {.d_memory = all.d_memory},
              {.d_self_mask = all.d_self_mask, .d_cross_mask = all.d_cross_mask},
              {.weights = all.weights}};
        });
  }
}

TEST(DecoderBlockBackward, TheForwardPassGivesTheSameWithATrace) {
  for (const NormOrder order : kNormOrders) {
    Case c(3, 40, 70, 2, 16, order);
    Buffer<float, 3> plain(c.x.shape());
    Parallel parallel;
    decoder_block(c.x, c.memory, c.weights, c.options, plain, {c.scratch, parallel});
    c.forward();
    EXPECT_TRUE(equal(plain, c.out));
  }
}

TEST(DecoderBlockBackward, RejectsWhatDoesNotFitAndWritesNothing) {
  Case c(2, 4, 5, 2, 6, NormOrder::post);
  c.forward();
  const Values<double> before = c.written();
  Parallel parallel;
  const auto message = [&](const DecoderBlockTrace& trace, const DecoderBlockGradients& gradients) {
    return error_of([&] {
      decoder_block_backward(c.d_out, c.x, c.memory, c.weights, c.options, trace, gradients,
                             {c.scratch, parallel});
    });
  };
  EXPECT_EQ(message({}, c.gradients), "decoder_block_backward: trace.residual1: no tensor given");
  DecoderBlockTrace trace = c.trace;
  trace.mean3 = {};
  EXPECT_EQ(message(trace, c.gradients), "decoder_block_backward: trace.mean3: no tensor given");
  trace = c.trace;
  trace.multihead_attn.keys = trace.self_attn.keys;
  EXPECT_NE(message(trace, c.gradients).find("multihead_attn.trace.keys: shape must be"),
            std::string::npos);
  DecoderBlockGradients gradients = c.gradients;
  gradients.d_memory = c.d_x;
  EXPECT_EQ(message(c.trace, gradients),
            "decoder_block_backward: d_memory: shape must be [2, 5, 6], is [2, 4, 6]; the shape of "
            "the memory");
  gradients = c.gradients;
  gradients.weights.norm3.weight = gradients.weights.norm1.weight;
  EXPECT_NE(message(c.trace, gradients).find("d_norm3.weight: shares memory"), std::string::npos);
  testing::expect_unharmed(c, before);
}

}  // namespace
}  // namespace tril
