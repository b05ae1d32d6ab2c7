// The backward passes of multi-head attention, blocks and the whole Transformer against PyTorch's
// autograd in float64, like those of layers in gradients_golden_test.cc.
#include <gtest/gtest.h>
#include <tril/block/transformer.h>
#include <tril/foundation/saved_memory.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/block_gradient_reference.h"
#include "core/block_weights.h"
#include "core/golden_gradients.h"
#include "core/multi_head_gradient_case.h"
#include "core/tape.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::GoldenGradients;
using testing::input_gradient;
using testing::kUnseen;
using testing::MultiHeadSetting;
using testing::Rounded;
using testing::Table;
using testing::Tape;
using testing::Tracked;
using testing::uniform;
using testing::Values;

// Working memory and threads for a test.
struct Tools {
  Scratch scratch;
  Parallel parallel{2};
};

testing::Bias causal() {
  return [](Index, Index, Index t, Index s) { return s <= t ? 0 : kUnseen; };
}

TEST(GoldenGradients, OfMultiHeadAttention) {
  using testing::MultiHeadCase;
  using testing::Source;
  for (const bool self : {true, false}) {
    MultiHeadCase c = self ? MultiHeadCase({2, 5, 5, 8, 2, 2, 4}, Source::self)
                           : MultiHeadCase({3, 4, 7, 8, 2, 2, 4}, Source::both);
    if (self) c.options.attention.causal = true, c.setting.bias = causal();
    c.forward();
    c.backward();
    const testing::MultiHeadReferenceGradients e = c.expected();
    const auto w = c.tables<Bounded>();
    GoldenGradients expected(self ? "multi_head_self" : "multi_head_cross");
    if (self) {
      expected.expect(
          input_gradient({{&e.query, &w.query}, {&e.key, &w.key}, {&e.value, &w.value}}).values,
          c.d_x, "d_x");
    } else {
      expected.expect(input_gradient({{&e.query, &w.query}}).values, c.d_x, "d_x");
      expected.expect(input_gradient({{&e.key, &w.key}}).values, c.d_context, "d_context");
      expected.expect(input_gradient({{&e.value, &w.value}}).values, c.d_value_context,
                      "d_value_context");
    }
    Values<Bounded> weights = stacked(e.weights.query, e.weights.key, e.weights.value);
    const Values<Bounded> biases =
        stacked(e.weights.query_bias, e.weights.key_bias, e.weights.value_bias);
    for (const Values<Bounded>& more : {biases, e.weights.out.values, e.weights.out_bias.values}) {
      weights.insert(weights.end(), more.begin(), more.end());
    }
    expected.expect(weights, c.d_memory, "weights");
    expected.expect(e.mask, c.d_mask, "d_mask");
  }
}

// Blocks over x [2, 5, 8], two heads, 17 hidden units in feed-forward.
constexpr Index kB = 2, kT = 5, kC = 8, kHeads = 2, kInner = 17;

Activation activation_of(NormOrder order) {
  return order == NormOrder::post ? Activation::gelu : Activation::silu;
}

TEST(GoldenGradients, OfTransformerBlocks) {
  Tools tools;
  for (const NormOrder order : testing::kNormOrders) {
    Random random(550);
    testing::WeightSource source(random, false);
    const TransformerBlockWeights weights = source.block(kC, kInner);
    const auto x = uniform<3>({kB, kT, kC}, random), d_out = uniform<3>({kB, kT, kC}, random);
    TransformerBlockOptions options{.heads = kHeads, .norm = order};
    options.activation = activation_of(order);
    options.attention.causal = true;
    Buffer<float, 1> memory, d_weights({parameter_count(weights)});
    const auto trace = saved_in(memory, [&](SavedMemory& place) {
      return transformer_block_saved(x.shape(), weights, options, place);
    });
    Buffer<float, 3> out(x.shape()), d_x(x.shape());
    transformer_block(x, weights, options, out, {tools.scratch, tools.parallel}, trace);
    transformer_block_backward(
        d_out, x, weights, options, trace,
        {.d_x = d_x,
         .weights = parameters_in<BasicTransformerBlockWeights<float>>(d_weights.data(), weights)},
        {tools.scratch, tools.parallel});
    const MultiHeadSetting at{kB, kHeads, kHeads, causal()};
    const testing::BlockReferenceGradients e =
        block_gradients(Table<Bounded>(d_out.view()), Table<Bounded>(x.view()),
                        testing::BlockTables<Bounded>(weights, at),
                        {order, true, true, options.eps}, at, options.activation);
    GoldenGradients expected(order == NormOrder::post ? "transformer_block_post"
                                                      : "transformer_block_pre");
    expected.expect(e.x.values, d_x, "d_x");
    expected.expect(in_order(e.weights), d_weights, "weights");
  }
}

TEST(GoldenGradients, OfDecoderBlocks) {
  Tools tools;
  const Index S = 7;
  for (const NormOrder order : testing::kNormOrders) {
    Random random(551);
    testing::WeightSource source(random, false);
    const DecoderBlockWeights weights = source.decoder_block(kC, kInner);
    const auto x = uniform<3>({kB, kT, kC}, random), from = uniform<3>({kB, S, kC}, random);
    const auto d_out = uniform<3>({kB, kT, kC}, random);
    DecoderBlockOptions options{.heads = kHeads, .norm = order};
    options.activation = activation_of(order);
    options.self_attention.causal = true;
    options.cross_attention.mask = Mask::padding({7, 4});
    Buffer<float, 1> memory, d_weights({parameter_count(weights)});
    const auto trace = saved_in(memory, [&](SavedMemory& place) {
      return decoder_block_saved(x.shape(), from.shape(), weights, options, place);
    });
    Buffer<float, 3> out(x.shape()), d_x(x.shape()), d_from(from.shape());
    decoder_block(x, from, weights, options, out, {tools.scratch, tools.parallel}, trace);
    decoder_block_backward(
        d_out, x, from, weights, options, trace,
        {.d_x = d_x,
         .d_memory = d_from,
         .weights = parameters_in<BasicDecoderBlockWeights<float>>(d_weights.data(), weights)},
        {tools.scratch, tools.parallel});
    const MultiHeadSetting self{kB, kHeads, kHeads, causal()};
    const MultiHeadSetting cross{kB, kHeads, kHeads, [](Index b, Index, Index, Index s) {
                                   return s < (b == 0 ? 7 : 4) ? 0 : kUnseen;
                                 }};
    const testing::DecoderReferenceGradients e = decoder_gradients(
        Table<Bounded>(d_out.view()), Table<Bounded>(x.view()), Table<Bounded>(from.view()),
        testing::DecoderTables<Bounded>(weights, self), {order, true, true, options.eps}, self,
        cross, options.activation);
    GoldenGradients expected(order == NormOrder::post ? "decoder_block_post" : "decoder_block_pre");
    expected.expect(e.x.values, d_x, "d_x");
    expected.expect(e.memory.values, d_from, "d_memory");
    expected.expect(in_order(e.weights), d_weights, "weights");
  }
}

// The whole Transformer with inputs drawn from a seed, with a causal target, forward and backward.
struct Whole {
  Random random;
  testing::WeightSource source{random, false};
  TransformerWeights weights;
  TransformerOptions options;
  Buffer<float, 3> from, to, d_out, d_from, d_to;
  Buffer<float, 1> d_weights;
  BasicTransformerWeights<float> d;  // views of d_weights

  Whole(std::uint64_t seed, NormOrder order, Index encoder_layers,
        const std::optional<DropoutPlaces>& dropout = {})
      : random(seed),
        weights(source.transformer(encoder_layers, 1, kC, kInner)),
        from(uniform<3>({kB, 6, kC}, random)),
        to(uniform<3>({kB, kT, kC}, random)),
        d_out(uniform<3>({kB, kT, kC}, random)),
        d_from(from.shape()),
        d_to(to.shape()),
        d_weights({parameter_count(weights)}),
        d(parameters_in<BasicTransformerWeights<float>>(d_weights.data(), weights)) {
    options.heads = kHeads, options.norm = order, options.activation = activation_of(order);
    options.target_attention.causal = true;
    options.dropout = dropout;
    Tools tools;
    Buffer<float, 1> memory;
    const auto trace = saved_in(memory, [&](SavedMemory& place) {
      return transformer_saved(from.shape(), to.shape(), weights, options, place);
    });
    Buffer<float, 3> out(to.shape());
    transformer(from, to, weights, options, out, {tools.scratch, tools.parallel}, trace);
    transformer_backward(d_out, from, to, weights, options, trace, {d_from, d_to, d},
                         {tools.scratch, tools.parallel});
  }
};

// With one layer on each side: the reference of the whole is made of those of its parts.
TEST(GoldenGradients, OfTheWholeTransformer) {
  for (const NormOrder order : testing::kNormOrders) {
    const Whole w(552, order, 1);
    const double eps = w.options.eps;
    const Activation activation = w.options.activation;
    const MultiHeadSetting own{kB, kHeads, kHeads, testing::no_bias};
    const MultiHeadSetting past{kB, kHeads, kHeads, causal()};
    const testing::SublayerSetting sublayer{order, true, true, eps};
    const testing::BlockTables<Bounded> encoder(w.weights.encoder.layers[0], own);
    const testing::DecoderTables<Bounded> decoder(w.weights.decoder.layers[0], own);
    const testing::NormTables<Bounded> norm1(*w.weights.encoder.norm),
        norm2(*w.weights.decoder.norm);
    const Table<Bounded> x(w.from.view()), y(w.to.view());
    const auto encoded = block_reference(x, encoder, sublayer, own, activation);
    const auto remembered = layer_norm_reference(encoded, norm1.weight, norm1.bias, eps);
    const auto decoded = decoder_reference(y, remembered, decoder, sublayer, past, own, activation);
    const auto last =
        layer_norm_gradients(Table<Bounded>(w.d_out.view()), decoded, norm2.weight, eps);
    const auto of_decoder =
        decoder_gradients(last.x, y, remembered, decoder, sublayer, past, own, activation);
    const auto middle = layer_norm_gradients(of_decoder.memory, encoded, norm1.weight, eps);
    const auto of_encoder = block_gradients(middle.x, x, encoder, sublayer, own, activation);
    Values<Bounded> all = in_order(of_encoder.weights);
    const auto add = [&](const Values<Bounded>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    add(middle.weight.values), add(middle.bias.values);
    add(in_order(of_decoder.weights));
    add(last.weight.values), add(last.bias.values);
    GoldenGradients expected(order == NormOrder::post ? "transformer_post" : "transformer_pre");
    expected.expect(of_encoder.x.values, w.d_from, "d_source");
    expected.expect(of_decoder.x.values, w.d_to, "d_target");
    expected.expect(all, w.d_weights, "weights");
  }
}

// PyTorch's modules in train() drop out the same elements, one module after another, as the places
// of DropoutPlaces.
TEST(GoldenGradients, OfTheWholeTransformerWithDropout) {
  for (const NormOrder order : testing::kNormOrders) {
    const Whole w(553, order, 2, DropoutPlaces{.probability = 0.25, .seed = 7});
    const Activation activation = w.options.activation;
    const MultiHeadSetting own{kB, kHeads, kHeads, testing::no_bias};
    const MultiHeadSetting past{kB, kHeads, kHeads, causal()};
    const testing::SublayerSetting sublayer{order, true, true, w.options.eps};
    Tape<double> rounding;
    Tape<Rounded> tape;
    Table<Tracked<Rounded>> x(w.from.view()), y(w.to.view());
    std::vector<testing::BlockTables<Tracked<Rounded>>> encoder;
    for (const auto& layer : w.weights.encoder.layers) encoder.emplace_back(layer, own);
    testing::DecoderTables<Tracked<Rounded>> decoder(w.weights.decoder.layers[0], own);
    testing::NormTables<Tracked<Rounded>> norm1(*w.weights.encoder.norm),
        norm2(*w.weights.decoder.norm);
    std::vector<Table<Tracked<Rounded>>*> tables = {&x, &y};
    const auto visit = [&](Table<Tracked<Rounded>>& each) { tables.push_back(&each); };
    for (auto& layer : encoder) visit_tables(layer, visit);
    visit_tables(norm1, visit), visit_tables(decoder, visit), visit_tables(norm2, visit);
    const std::vector<Values<Rounded>> slopes = tape.gradients(tables, [&] {
      DropoutPlaces places = *w.options.dropout;
      const auto next = [&](Index count, Index tokens) {
        const testing::BlockKept kept{places, tokens};
        places = places.after(count);
        return kept;
      };
      Table<Tracked<Rounded>> memory = x;
      for (const auto& layer : encoder) {
        memory = block_reference(memory, layer, sublayer, own, activation, next(4, 6));
      }
      memory = sublayer.norm(memory, norm1);
      const Table<Tracked<Rounded>> decoded =
          decoder_reference(y, memory, decoder, sublayer, past, own, activation, next(6, kT));
      return testing::dot(testing::elements(w.d_out), sublayer.norm(decoded, norm2).values);
    });
    Values<Rounded> all;
    for (std::size_t n = 2; n < slopes.size(); ++n) {
      all.insert(all.end(), slopes[n].begin(), slopes[n].end());
    }
    GoldenGradients expected(order == NormOrder::post ? "transformer_dropout_post"
                                                      : "transformer_dropout_pre");
    expected.expect(rounding.bounded(slopes[0]), w.d_from, "d_source");
    expected.expect(rounding.bounded(slopes[1]), w.d_to, "d_target");
    expected.expect(rounding.bounded(all), w.d_weights, "weights");
  }
}

}  // namespace
}  // namespace tril
