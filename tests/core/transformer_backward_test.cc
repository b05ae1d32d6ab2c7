// The gradients of stacks of blocks equal those of the backward passes of their parts, one after
// another, to the bit. The parts have their own tests.
#include <gtest/gtest.h>
#include <tril/block/transformer.h>
#include <tril/foundation/saved_memory.h>
#include <tril/layers/layer_norm.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/backward_case.h"
#include "core/block_weights.h"
#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;
using testing::kNormOrders;
using testing::rows;
using testing::uniform;
using testing::WeightSource;

// A whole Transformer, its inputs and the gradient of its output, drawn from a seed, and all
// outputs of a backward pass.
struct Case {
  static constexpr Index B = 2, S = 7, T = 5, C = 8, H = 2;
  Random random{190};
  WeightSource source{random, false};
  TransformerWeights weights;
  TransformerOptions options;
  Buffer<float, 3> from = uniform<3>({B, S, C}, random), to = uniform<3>({B, T, C}, random);
  Buffer<float, 3> d_out = uniform<3>({B, T, C}, random), out{{B, T, C}};
  Buffer<float, 3> d_source{{B, S, C}}, d_target{{B, T, C}};
  Buffer<float, 1> saved, d_weights;
  TransformerTrace trace;
  TransformerGradients gradients;
  Scratch scratch;

  explicit Case(NormOrder order, bool last_norm = true, Index encoder = 2, Index decoder = 3)
      : weights(source.transformer(encoder, decoder, C, 11)) {
    if (!last_norm) weights.encoder.norm.reset(), weights.decoder.norm.reset();
    options.heads = H, options.norm = order, options.activation = Activation::gelu;
    options.target_attention.causal = true;
    d_weights = Buffer<float, 1>({parameter_count(weights)});
    gradients = {d_source, d_target,
                 parameters_in<BasicTransformerWeights<float>>(d_weights.data(), weights)};
  }

  void forward() {
    trace = saved_in(saved, [&](SavedMemory& place) {
      return transformer_saved(from.shape(), to.shape(), weights, options, place);
    });
    Parallel one;
    transformer(from, to, weights, options, out, {scratch, one}, trace);
  }
  void backward(int threads = 1) {
    Parallel parallel(threads);
    transformer_backward(d_out, from, to, weights, options, trace, gradients, {scratch, parallel});
  }
  testing::Values<double> written() const {
    return testing::elements_of_all(d_source, d_target, d_weights);
  }
  void expect_all();
};

// Runs block by block, each with its own trace, with copies of the tensors between blocks.
struct ByParts {
  Buffer<float, 3> d_source{{Case::B, Case::S, Case::C}}, d_target{{Case::B, Case::T, Case::C}};
  Buffer<float, 1> d_weights;

  explicit ByParts(Case& c) : d_weights(c.d_weights.shape()) {
    const auto d = parameters_in<BasicTransformerWeights<float>>(d_weights.data(), c.weights);
    // Each layer has its own dropout places: 4 in the encoder, then 6 in the decoder.
    const auto of_encoder = [&](std::size_t n) {
      TransformerBlockOptions options{
          .heads = c.options.heads, .norm = c.options.norm, .activation = c.options.activation};
      if (c.options.dropout) options.dropout = c.options.dropout->after(4 * static_cast<Index>(n));
      return options;
    };
    const auto of_decoder = [&](std::size_t n) {
      DecoderBlockOptions options{.heads = c.options.heads,
                                  .norm = c.options.norm,
                                  .activation = c.options.activation,
                                  .self_attention = c.options.target_attention};
      const std::size_t before = 4 * c.weights.encoder.layers.size() + 6 * n;
      if (c.options.dropout) options.dropout = c.options.dropout->after(static_cast<Index>(before));
      return options;
    };
    Scratch scratch;
    Parallel parallel;
    std::vector<Buffer<float, 1>> memories;
    const auto lay_out = [&](const auto& save) { return saved_in(memories.emplace_back(), save); };
    // Forward.
    std::vector<Buffer<float, 3>> sources, targets;
    std::vector<TransformerBlockTrace> encoder;
    std::vector<DecoderBlockTrace> decoder;
    const auto copied = [](const Buffer<float, 3>& x) {
      Buffer<float, 3> copy(x.shape());
      std::copy_n(x.data(), x.view().count(), copy.data());
      return copy;
    };
    sources.push_back(copied(c.from)), targets.push_back(copied(c.to));
    for (const TransformerBlockWeights& layer : c.weights.encoder.layers) {
      encoder.push_back(lay_out([&](SavedMemory& memory) {
        return transformer_block_saved(c.from.shape(), layer, of_encoder(0), memory);
      }));
      Buffer<float, 3> out(c.from.shape());
      transformer_block(sources.back(), layer, of_encoder(sources.size() - 1), out,
                        {scratch, parallel}, encoder.back());
      sources.push_back(std::move(out));
    }
    Buffer<float, 3> memory = copied(sources.back());
    Buffer<float, 1> mean({Case::B * Case::S}), rstd({Case::B * Case::S});
    if (const auto& norm = c.weights.encoder.norm) {
      layer_norm(rows(sources.back()), norm->weight, norm->bias, {}, rows(memory), parallel,
                 {mean, rstd});
    }
    for (const DecoderBlockWeights& layer : c.weights.decoder.layers) {
      decoder.push_back(lay_out([&](SavedMemory& place) {
        return decoder_block_saved(c.to.shape(), c.from.shape(), layer, of_decoder(0), place);
      }));
      Buffer<float, 3> out(c.to.shape());
      decoder_block(targets.back(), memory, layer, of_decoder(targets.size() - 1), out,
                    {scratch, parallel}, decoder.back());
      targets.push_back(std::move(out));
    }
    // Backward.
    Buffer<float, 3> d_to = copied(c.d_out), d_memory(c.from.shape());
    if (const auto& norm = c.weights.decoder.norm) {
      Buffer<float, 3> out(c.to.shape());
      Buffer<float, 1> means({Case::B * Case::T}), rstds({Case::B * Case::T});
      layer_norm(rows(targets.back()), norm->weight, norm->bias, {}, rows(out), parallel,
                 {means, rstds});
      EXPECT_TRUE(equal(out, c.out));
      layer_norm_backward(rows(d_to), rows(targets.back()), norm->weight, means, rstds,
                          {rows(d_to), d.decoder.norm->weight, d.decoder.norm->bias},
                          {scratch, parallel});
    } else {
      EXPECT_TRUE(equal(targets.back(), c.out));
    }
    for (std::size_t n = decoder.size(); n-- > 0;) {
      Buffer<float, 3> d_x(c.to.shape()), part(c.from.shape());
      decoder_block_backward(
          d_to, targets[n], memory, c.weights.decoder.layers[n], of_decoder(n), decoder[n],
          {.d_x = d_x, .d_memory = part, .weights = d.decoder.layers[n]}, {scratch, parallel});
      for (Index i = 0; i < part.view().count(); ++i) d_memory.data()[i] += part.data()[i];
      d_to = std::move(d_x);
    }
    d_target = std::move(d_to);
    Buffer<float, 3> d_from = copied(d_memory);
    if (const auto& norm = c.weights.encoder.norm) {
      layer_norm_backward(rows(d_from), rows(sources.back()), norm->weight, mean, rstd,
                          {rows(d_from), d.encoder.norm->weight, d.encoder.norm->bias},
                          {scratch, parallel});
    }
    for (std::size_t n = encoder.size(); n-- > 0;) {
      Buffer<float, 3> d_x(c.from.shape());
      transformer_block_backward(d_from, sources[n], c.weights.encoder.layers[n], of_encoder(n),
                                 encoder[n], {.d_x = d_x, .weights = d.encoder.layers[n]},
                                 {scratch, parallel});
      d_from = std::move(d_x);
    }
    d_source = std::move(d_from);
  }
};

void Case::expect_all() { EXPECT_TRUE(equal(ByParts(*this).d_source, d_source)); }

TEST(TransformerBackward, IsItsPartsOneAfterAnother) {
  for (const NormOrder order : kNormOrders) {
    for (const bool last_norm : {true, false}) {
      for (const Index layers : {1, 2, 3}) {
        Case c(order, last_norm, layers, 4 - layers);
        if (layers > 1) c.options.dropout = DropoutPlaces{.probability = 0.2, .seed = 5};
        c.forward();
        c.backward();
        const ByParts parts(c);
        EXPECT_TRUE(equal(parts.d_source, c.d_source));
        EXPECT_TRUE(equal(parts.d_target, c.d_target));
        EXPECT_TRUE(equal(parts.d_weights, c.d_weights));
        EXPECT_GT(testing::max_abs(c.d_source.view()), 0);
      }
    }
  }
}

TEST(TransformerBackward, TheForwardPassGivesTheSameWithATrace) {
  for (const NormOrder order : kNormOrders) {
    Case c(order);
    Buffer<float, 3> plain(c.out.shape());
    Parallel parallel;
    transformer(c.from, c.to, c.weights, c.options, plain, {c.scratch, parallel});
    c.forward();
    EXPECT_TRUE(equal(plain, c.out));
    // One trace for all layers, each overwriting that of the layer before.
    c.trace.encoder.assign(2, c.trace.encoder[0]);
    c.trace.decoder.assign(3, c.trace.decoder[0]);
    transformer(c.from, c.to, c.weights, c.options, c.out, {c.scratch, parallel}, c.trace);
    EXPECT_TRUE(equal(plain, c.out));
  }
}

TEST(TransformerBackward, DoesNotDependOnThreadsOrOnWhatElseIsAskedFor) {
  for (const NormOrder order : kNormOrders) {
    testing::expect_independent(
        [&] { return Case(order); },
        [](const TransformerGradients& all) {
          return std::vector<TransformerGradients>{
              {.d_source = all.d_source}, {.d_target = all.d_target}, {.weights = all.weights}};
        });
  }
}

TEST(TransformerBackward, AllocatesNothingInTheSecondStep) {
  Case c(NormOrder::pre);
  c.forward();
  c.backward();
  const std::size_t capacity = c.scratch.capacity();
  Parallel parallel;
  transformer(c.from, c.to, c.weights, c.options, c.out, {c.scratch, parallel}, c.trace);
  c.backward();
  EXPECT_EQ(c.scratch.capacity(), capacity);
}

TEST(TransformerBackward, RejectsWhatDoesNotFitAndWritesNothing) {
  Case c(NormOrder::pre);
  c.forward();
  std::fill_n(c.d_source.data(), c.d_source.view().count(), 7.0f);
  std::fill_n(c.d_target.data(), c.d_target.view().count(), 7.0f);
  const testing::Values<double> before = c.written();
  Parallel parallel;
  const auto message = [&](const TransformerTrace& trace, const TransformerGradients& gradients) {
    return error_of([&] {
      transformer_backward(c.d_out, c.from, c.to, c.weights, c.options, trace, gradients,
                           {c.scratch, parallel});
    });
  };
  EXPECT_EQ(message({}, c.gradients), "transformer_backward: trace.memory: no tensor given");
  TransformerTrace trace = c.trace;
  trace.encoder.pop_back();
  EXPECT_EQ(message(trace, c.gradients), "transformer_backward: encoder.trace: 1 for 2 layers");
  trace = c.trace;
  trace.encoder[0].residual2 = {};
  EXPECT_EQ(message(trace, c.gradients),
            "transformer_backward: encoder.layers.0.trace.output: no tensor given");
  trace = c.trace;
  trace.decoder[1].self_attn.queries = {};
  EXPECT_EQ(message(trace, c.gradients),
            "transformer_backward: decoder.layers.1.self_attn.trace.queries: no tensor given");
  TransformerGradients gradients = c.gradients;
  gradients.weights.decoder.layers.pop_back();
  EXPECT_EQ(message(c.trace, gradients), "transformer_backward: decoder.d_layers: 2 for 3 layers");
  gradients = c.gradients;
  gradients.weights.decoder.layers[2] = gradients.weights.decoder.layers[1];
  EXPECT_NE(message(c.trace, gradients).find("shares memory"), std::string::npos);
  gradients = c.gradients;
  gradients.d_target = c.d_source;
  EXPECT_NE(message(c.trace, gradients).find("transformer_backward: decoder.d_x: shape must be"),
            std::string::npos);
  gradients = c.gradients;
  gradients.d_target = c.to;
  EXPECT_NE(message(c.trace, gradients).find("shares memory"), std::string::npos);
  gradients = c.gradients;
  gradients.d_source = {c.d_target.data(), {2, 7, 8}, {0, 8, 1}};
  EXPECT_NE(message(c.trace, gradients).find("its elements overlap"), std::string::npos);
  gradients.d_source = {c.saved.data(), {2, 7, 8}};
  EXPECT_NE(message(c.trace, gradients).find("shares memory"), std::string::npos);
  // Laying out the memory names the side that does not fit, like the forward pass.
  TransformerWeights weights = c.weights;
  weights.decoder.layers[1].linear2.weight = {};
  EXPECT_EQ(error_of([&] {
              SavedMemory size;
              transformer_saved(c.from.shape(), c.to.shape(), weights, c.options, size);
            }),
            "transformer_saved: decoder.layers.1.linear2.weight: no tensor given");
  // One side's gradients in the other side's trace.
  gradients.d_source = {c.trace.decoder[1].hidden.data(), {2, 7, 8}};
  EXPECT_NE(message(c.trace, gradients).find("transformer_backward: d_source: shares memory"),
            std::string::npos);
  gradients = c.gradients;
  gradients.d_target = {c.trace.encoder[0].hidden.data(), {2, 5, 8}};
  EXPECT_NE(message(c.trace, gradients).find("transformer_backward: d_target: shares memory"),
            std::string::npos);
  testing::expect_unharmed(c, before);
}

}  // namespace
}  // namespace tril
