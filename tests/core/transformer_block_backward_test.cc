// The gradients of the Transformer block: its reference against the complex step through the
// definition, and then the floats against the reference, within the bounds that it computes
// (bounded.h).
#include <gtest/gtest.h>
#include <tril/block/transformer_block.h>
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

using testing::block_gradients;
using testing::block_reference;
using testing::BlockReferenceGradients;
using testing::BlockTables;
using testing::Bounded;
using testing::Complex;
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

testing::Bias causal() {
  return [](Index, Index, Index t, Index s) { return s <= t ? 0 : kUnseen; };
}

// A block, its input and the gradient of its output, drawn from a seed, and all outputs of a
// backward pass.
struct Case {
  Random random{160};
  WeightSource source;
  TransformerBlockWeights weights;
  TransformerBlockOptions options;
  Buffer<float, 3> x, d_out, out, d_x;
  Buffer<float, 4> d_mask;
  Buffer<float, 1> memory, d_memory;
  TransformerBlockTrace trace;
  TransformerBlockGradients gradients;
  testing::Bias bias = testing::no_bias;
  Scratch scratch;

  Case(Index batches, Index tokens, Index heads, Index width, NormOrder order,
       Activation activation = Activation::gelu, bool plain = false)
      : source(random, plain), weights(source.block(width, 2 * width + 1)) {
    x = uniform<3>({batches, tokens, width}, random), d_out = uniform<3>(x.shape(), random);
    out = Buffer<float, 3>(x.shape()), d_x = Buffer<float, 3>(x.shape());
    d_mask = Buffer<float, 4>({batches, heads, tokens, tokens});
    d_memory = Buffer<float, 1>({parameter_count(weights)});
    options.heads = heads, options.norm = order, options.activation = activation;
    gradients = {d_x, d_mask,
                 parameters_in<BasicTransformerBlockWeights<float>>(d_memory.data(), weights)};
    std::fill_n(d_x.data(), d_x.view().count(), 7.0f);  // overwritten, not added to
  }

  void forward() {
    trace = saved_in(memory, [&](SavedMemory& place) {
      return transformer_block_saved(x.shape(), weights, options, place);
    });
    Parallel one;
    transformer_block(x, weights, options, out, {scratch, one}, trace);
  }
  void backward(int threads = 1) {
    Parallel parallel(threads);
    transformer_block_backward(d_out, x, weights, options, trace, gradients, {scratch, parallel});
  }

  Values<double> written() const { return testing::elements_of_all(d_x, d_mask, d_memory); }

  SublayerSetting sublayer() const {
    return {options.norm, options.residuals, options.norms, options.eps};
  }
  MultiHeadSetting setting() const {
    return {x.shape()[0], options.heads, options.kv_heads == 0 ? options.heads : options.kv_heads,
            bias};
  }
  template <typename Scalar>
  BlockTables<Scalar> tables() const {
    return {weights, setting()};
  }
  BlockReferenceGradients expected() const {
    return block_gradients(Table<Bounded>(d_out.view()), Table<Bounded>(x.view()),
                           tables<Bounded>(), sublayer(), setting(), options.activation);
  }
  void expect_all() const {
    // Each part has its own tests. A block can only omit a part, or take it from a wrong place, the
    // smallest of which are the queries, the keys or the values of one head: bounds whose average
    // share is below 1 / (3 H) would reveal it.
    const double share = 1 / static_cast<double>(3 * options.heads);
    const BlockReferenceGradients e = expected();
    expect_bounded(e.x.values, d_x.view(), "d_x", share);
    expect_bounded(e.mask, d_mask.view(), "d_mask", share);
    const BasicTransformerBlockWeights<float>& d = gradients.weights;
    const auto& attn = e.weights.self_attn;
    const auto compare = [share](const Values<Bounded>& values, const auto& view,
                                 const char* name) {
      if (view) expect_bounded(values, view, name, share);
    };
    Values<Bounded> in_proj = stacked(attn.query, attn.key, attn.value);
    if (d.self_attn.in_proj_bias) {  // directly after the weights
      const auto biases = stacked(attn.query_bias, attn.key_bias, attn.value_bias);
      in_proj.insert(in_proj.end(), biases.begin(), biases.end());
    }
    const VectorView<float> d_in_proj(d.self_attn.in_proj_weight.data(),
                                      {static_cast<Index>(in_proj.size())});
    compare(in_proj, d_in_proj, "in_proj");
    compare(attn.out.values, d.self_attn.out_proj_weight, "out_proj.weight");
    compare(attn.out_bias.values, d.self_attn.out_proj_bias, "out_proj.bias");
    compare(e.weights.feed_forward.weight1.values, d.linear1.weight, "linear1.weight");
    compare(e.weights.feed_forward.bias1.values, d.linear1.bias, "linear1.bias");
    compare(e.weights.feed_forward.weight2.values, d.linear2.weight, "linear2.weight");
    compare(e.weights.feed_forward.bias2.values, d.linear2.bias, "linear2.bias");
    if (!options.norms) return;
    compare(e.weights.norm1.weight.values, d.norm1.weight, "norm1.weight");
    compare(e.weights.norm1.bias.values, d.norm1.bias, "norm1.bias");
    compare(e.weights.norm2.weight.values, d.norm2.weight, "norm2.weight");
    compare(e.weights.norm2.bias.values, d.norm2.bias, "norm2.bias");
  }
  void run() {
    forward();
    backward();
    expect_all();
  }
};

TEST(TransformerBlockBackward, ItsReferenceAgreesWithTheComplexStep) {
  for (const NormOrder order : kNormOrders) {
    for (const bool residuals : {true, false}) {
      for (const bool norms : {true, false}) {
        Case c(2, 3, 2, 4, order, residuals == norms ? Activation::gelu : Activation::relu);
        c.options.residuals = residuals, c.options.norms = norms;
        c.bias = causal();
        const Values<double> d_out = elements(c.d_out);
        auto x = Table<Complex>(c.x.view());
        auto w = c.tables<Complex>();
        BlockReferenceGradients e = c.expected();
        const auto check = [&](Table<Complex>& part, const Values<Bounded>& expected) {
          if (!norms && expected.empty()) return;  // missing weights of norms
          testing::expect_complex_step(part, expected, d_out, [&] {
            return block_reference(x, w, c.sublayer(), c.setting(), c.options.activation).values;
          });
        };
        check(x, e.x.values);
        std::vector<const Table<Bounded>*> gradients;
        visit_tables(e.weights, [&](Table<Bounded>& each) { gradients.push_back(&each); });
        std::size_t n = 0;
        visit_tables(w, [&](Table<Complex>& each) { check(each, gradients[n++]->values); });
      }
    }
  }
}

TEST(TransformerBlockBackward, AgreesInBothOrdersForEveryActivation) {
  for (const NormOrder order : kNormOrders) {
    for (const auto& [name, activation] : kActivations) {
      for (const bool plain : {false, true}) {
        SCOPED_TRACE(std::string(name) + (order == NormOrder::pre ? " pre" : " post"));
        Case c(2, 5, 2, 6, order, activation, plain);
        c.run();
      }
    }
  }
}

TEST(TransformerBlockBackward, AgreesForSizesAroundItsBlocks) {
  for (const NormOrder order : kNormOrders) {
    Case(1, 1, 1, 2, order).run();
    Case c(2, 66, 3, 9, order, Activation::gelu_tanh);
    c.options.attention.causal = true;
    c.bias = causal();
    c.run();
  }
}

TEST(TransformerBlockBackward, AgreesWithoutResidualsOrNorms) {
  for (const NormOrder order : kNormOrders) {
    for (const bool residuals : {true, false}) {
      Case c(2, 4, 2, 6, order);
      c.options.residuals = residuals, c.options.norms = !residuals;
      c.run();
    }
  }
}

// As in a model of many layers, the trace changes nothing, whether results are computed in it or
// copied.
TEST(TransformerBlockBackward, TheForwardPassGivesTheSameWithATrace) {
  for (const NormOrder order : kNormOrders) {
    Case c(2, 7, 2, 6, order);
    Buffer<float, 3> plain(c.x.shape());
    Parallel parallel;
    transformer_block(c.x, c.weights, c.options, plain, {c.scratch, parallel});
    c.forward();
    EXPECT_TRUE(equal(plain, c.out));
  }
}

TEST(TransformerBlockBackward, SavesAsMuchAsItSays) {
  const Index B = 2, T = 16, C = 16, H = 2, F = 2 * C + 1;
  for (const NormOrder order : kNormOrders) {
    Case c(B, T, H, C, order);
    SavedMemory size;
    transformer_block_saved(c.x.shape(), c.weights, c.options, size);
    EXPECT_EQ(size.count(), B * T * (7 * C + 2 * F + H + 4));  // no gaps: each a multiple of 16
  }
}

TEST(TransformerBlockBackward, DoesNotDependOnThreadsOrOnWhatElseIsAskedFor) {
  for (const NormOrder order : kNormOrders) {
    testing::expect_independent(
        [&] { return Case(3, 70, 2, 16, order); },
        [](const TransformerBlockGradients& all) {
          return std::vector<TransformerBlockGradients>{
              {.d_x = all.d_x}, {.d_mask = all.d_mask}, {.weights = all.weights}};
        });
  }
}

TEST(TransformerBlockBackward, AddsUpOverBatchesInTheSameMemory) {
  Case c(2, 7, 2, 6, NormOrder::pre);
  testing::expect_adds_up(c, c.d_memory);
}

TEST(TransformerBlockBackward, TakesBatchesFromAnywhere) {
  for (const NormOrder order : kNormOrders) {
    testing::expect_any_batches([&] { return Case(3, 5, 2, 8, order); },
                                [](Case& c, const auto& d_out, const auto& x) {
                                  Parallel parallel;
                                  transformer_block_backward(d_out, x, c.weights, c.options,
                                                             c.trace, c.gradients,
                                                             {c.scratch, parallel});
                                },
                                &Case::d_memory);
  }
}

TEST(TransformerBlockBackward, RejectsWhatDoesNotFitAndWritesNothing) {
  Case c(2, 4, 2, 6, NormOrder::pre);
  c.forward();
  const Values<double> before = c.written();
  Parallel parallel;
  const auto message = [&](TensorView<const float, 3> d_out, const TransformerBlockTrace& trace,
                           const TransformerBlockGradients& gradients) {
    return error_of([&] {
      transformer_block_backward(d_out, c.x, c.weights, c.options, trace, gradients,
                                 {c.scratch, parallel});
    });
  };
  const TensorView<const float, 3> narrow(c.d_out.data(), {2, 4, 5});
  EXPECT_EQ(message(narrow, c.trace, c.gradients),
            "transformer_block_backward: d_out: shape must be [2, 4, 6], is [2, 4, 5]; the shape "
            "of x");
  EXPECT_EQ(message(c.d_out, {}, c.gradients),
            "transformer_block_backward: trace.residual1: no tensor given");
  TransformerBlockTrace trace = c.trace;
  trace.rstd2 = {};
  EXPECT_EQ(message(c.d_out, trace, c.gradients),
            "transformer_block_backward: trace.rstd2: no tensor given");
  trace = c.trace;
  trace.self_attn.heads = {};
  EXPECT_EQ(message(c.d_out, trace, c.gradients),
            "transformer_block_backward: self_attn.trace.heads: no tensor given");
  EXPECT_NE(message(c.d_out, c.trace, {.d_x = c.x}).find("d_x: shares memory"), std::string::npos);
  c.options.dropout = DropoutPlaces{.probability = -0.5};
  EXPECT_EQ(message(c.d_out, c.trace, c.gradients),
            "transformer_block_backward: dropout.probability: must be at least 0 and below 1, is "
            "-0.5");
  c.options.dropout.reset();
  TransformerBlockGradients gradients = c.gradients;
  gradients.weights.norm2.bias = {c.d_memory.data(), {5}};
  EXPECT_EQ(message(c.d_out, c.trace, gradients),
            "transformer_block_backward: d_norm2.bias: shape must be [6], is [5]; that of the "
            "weight");
  gradients = c.gradients;
  gradients.weights.self_attn.in_proj_bias = gradients.weights.self_attn.out_proj_bias;
  EXPECT_NE(message(c.d_out, c.trace, gradients).find("d_self_attn.in_proj_bias: shape must be"),
            std::string::npos);
  SavedMemory small(VectorView<float>(c.memory.data(), {c.memory.shape()[0] - 1}));
  EXPECT_NE(error_of([&] {
              transformer_block_saved(c.x.shape(), c.weights, c.options, small);
            }).find("SavedMemory: memory: holds"),
            std::string::npos);
  testing::expect_unharmed(c, before);
}

TEST(TransformerBlockBackward, TheForwardPassRefusesATraceInItsOwnWay) {
  Case c(2, 4, 2, 6, NormOrder::pre);
  c.forward();
  c.trace.self_attn.heads = {c.trace.residual1.data(), {2, 2, 4, 3}, {24, 3, 6, 1}};
  Parallel parallel;
  EXPECT_NE(error_of([&] {
              transformer_block(c.x, c.weights, c.options, c.out, {c.scratch, parallel}, c.trace);
            }).find("transformer_block: trace.self_attn: shares memory"),
            std::string::npos);
}

}  // namespace
}  // namespace tril
