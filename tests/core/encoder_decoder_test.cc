// The encoder-decoder: loss and gradients against the complex step through the plain definition.
// Its training is in encoder_decoder_trainer_test.cc.
#include <gtest/gtest.h>
#include <tril/model/encoder_decoder.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/block_gradient_reference.h"
#include "core/block_weights.h"
#include "core/compare.h"
#include "core/tape.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::Complex;
using testing::equal;
using testing::error_of;
using testing::Rounded;
using testing::Table;
using testing::Tape;
using testing::Tracked;
using testing::Values;

EncoderDecoderConfig small(NormOrder order = NormOrder::post, double dropout = 0) {
  EncoderDecoderConfig config;
  config.source_vocabulary = 6, config.target_vocabulary = 7, config.context = 5;
  config.encoder_layers = 2, config.decoder_layers = 1, config.heads = 2;
  config.width = 8, config.hidden = 12, config.norm = order, config.dropout = dropout;
  config.activation = Activation::gelu;  // analytic, for the complex step
  config.eps = 0.01;                     // large enough to reveal a wrong one
  return config;
}

// A model whose parameters are all far from their initial values, and a batch with S = 4, T = 3.
struct Case {
  static constexpr Index B = 2, S = 4, T = 3;
  EncoderDecoder model;
  std::vector<std::int32_t> sources, targets, replies;
  Scratch scratch;

  explicit Case(const EncoderDecoderConfig& config = small()) : model(config, 3) {
    Random random(5);
    for (float& x : std::span(model.values().data(), static_cast<std::size_t>(count()))) {
      x += 0.1f * random.normal();
    }
    const auto draw = [&](Index vocabulary) {
      return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(vocabulary)));
    };
    for (Index i = 0; i < B * S; ++i) sources.push_back(draw(config.source_vocabulary));
    for (Index i = 0; i < B * T; ++i) {
      targets.push_back(draw(config.target_vocabulary));
      replies.push_back(i == 1 ? kIgnoredTarget : draw(config.target_vocabulary));
    }
  }
  Index count() const { return const_cast<EncoderDecoder&>(model).values().size(0); }
  MatrixView<const std::int32_t> source() const { return {sources.data(), {B, S}}; }
  MatrixView<const std::int32_t> target() const { return {targets.data(), {B, T}}; }
  MatrixView<const std::int32_t> labels() const { return {replies.data(), {B, T}}; }
  ModelLoss accumulate(const ModelGradientOptions& options = {}, int threads = 1) {
    Parallel parallel(threads);
    return model.accumulate(source(), target(), labels(), options, {scratch, parallel});
  }
};

// All parameters, or all their gradients, as tables.
template <typename Scalar>
struct Tables {
  Table<Scalar> source, target, generator, generator_bias;
  std::vector<testing::BlockTables<Scalar>> encoder;
  std::vector<testing::DecoderTables<Scalar>> decoder;
  testing::NormTables<Scalar> encoder_norm, decoder_norm;

  Tables(const BasicEncoderDecoderWeights<float>& w, Index heads)
      : source(w.source_embedding),
        target(w.target_embedding),
        generator(w.generator.weight),
        generator_bias(w.generator.bias) {
    const auto parts = parameters_as<TransformerWeights>(w.transformer);
    const testing::MultiHeadSetting at{.batches = 1, .heads = heads, .kv_heads = heads};
    for (const auto& layer : parts.encoder.layers) encoder.emplace_back(layer, at);
    for (const auto& layer : parts.decoder.layers) decoder.emplace_back(layer, at);
    encoder_norm = testing::NormTables<Scalar>(*parts.encoder.norm);
    decoder_norm = testing::NormTables<Scalar>(*parts.decoder.norm);
  }
  std::vector<Table<Scalar>*> all() {
    std::vector<Table<Scalar>*> list = {&source, &target, &generator, &generator_bias};
    const auto visit = [&](Table<Scalar>& each) { list.push_back(&each); };
    for (auto& layer : encoder) testing::visit_tables(layer, visit);
    for (auto& layer : decoder) testing::visit_tables(layer, visit);
    testing::visit_tables(encoder_norm, visit), testing::visit_tables(decoder_norm, visit);
    return list;
  }
};

// The sum of the losses as in the paper, with dropout of this seed if the model has any.
template <typename Scalar>
Scalar loss_reference(const Case& c, const Tables<Scalar>& w, std::uint64_t seed) {
  using std::exp, std::log;
  const EncoderDecoderConfig& config = c.model.config();
  const double width = static_cast<double>(config.width);
  const auto embedded = [&](const std::vector<std::int32_t>& ids, const Table<Scalar>& table,
                            Index length) {
    Table<Scalar> x(static_cast<Index>(ids.size()), config.width);
    for (Index n = 0; n < x.rows; ++n) {
      for (Index i = 0; i < x.cols; ++i) {
        const double angle = static_cast<double>(n % length) /
                             std::pow(10000.0, static_cast<double>(i - i % 2) / width);
        x(n, i) = testing::rounded_constant<Scalar>(std::sqrt(width)) *
                  table(ids[static_cast<std::size_t>(n)], i);
        if (config.positions == SequencePositions::rotary) continue;
        x(n, i) = x(n, i) +
                  testing::rounded_constant<Scalar>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
      }
    }
    return x;
  };
  const testing::SublayerSetting sublayer{config.norm, true, true, config.eps};
  testing::MultiHeadSetting across{
      .batches = Case::B, .heads = config.heads, .kv_heads = config.heads};
  testing::MultiHeadSetting own = across;
  if (config.positions == SequencePositions::rotary) own.rotary.emplace();
  testing::MultiHeadSetting causal = own;
  causal.bias = [](Index, Index, Index t, Index s) { return s > t ? testing::kUnseen : 0.0; };
  // The dropout places in order: both inputs, 4 places per encoder layer, then 6 per decoder layer.
  std::optional<DropoutPlaces> places;
  if (config.dropout > 0) places = {config.dropout, seed};
  const auto next = [&](Index count, Index tokens) {
    const testing::BlockKept kept{places, tokens};
    if (places) places = places->after(count);
    return kept;
  };
  Table<Scalar> memory = next(1, Case::S)(embedded(c.sources, w.source, Case::S), 0);
  Table<Scalar> x = next(1, Case::T)(embedded(c.targets, w.target, Case::T), 0);
  for (const auto& layer : w.encoder) {
    memory =
        testing::block_reference(memory, layer, sublayer, own, config.activation, next(4, Case::S));
  }
  memory = sublayer.norm(memory, w.encoder_norm);
  for (const auto& layer : w.decoder) {
    x = testing::decoder_reference(x, memory, layer, sublayer, causal, across, config.activation,
                                   next(6, Case::T));
  }
  const Table<Scalar> logits =
      testing::linear_reference(sublayer.norm(x, w.decoder_norm), w.generator, w.generator_bias);
  testing::Sum<Scalar> total;
  for (Index n = 0; n < logits.rows; ++n) {
    const std::int32_t label = c.replies[static_cast<std::size_t>(n)];
    if (label == kIgnoredTarget) continue;
    testing::Sum<Scalar> sum;
    for (Index v = 0; v < logits.cols; ++v) sum.add(exp(logits(n, v)));
    total.add(log(sum.value()) - logits(n, label));
  }
  return total.value();
}

// The sum of the losses, and `scale` times its gradient by each table of parameters, with the
// bounds of floats.
struct Expected {
  Bounded loss;
  std::vector<Values<Bounded>> gradients;

  Expected(const Case& c, std::uint64_t seed, double scale) {
    Tape<double> rounding;
    Tape<Rounded> tape;
    Tables<Tracked<Rounded>> weights(c.model.weights(), c.model.config().heads);
    const auto slopes = tape.gradients(weights.all(), [&] {
      const Tracked<Rounded> sum = loss_reference(c, weights, seed);
      loss = rounding.bounded({sum.value})[0];
      return Tracked<Rounded>(scale) * sum;
    });
    for (const Values<Rounded>& each : slopes) gradients.push_back(rounding.bounded(each));
  }
};

void expect_complex_step(const EncoderDecoderConfig& config) {
  constexpr std::uint64_t kSeed = 8;
  Case c(config);
  c.model.clear_gradients();
  const ModelLoss loss = c.accumulate({.scale = 0.5, .dropout_seed = kSeed});
  Tables<Complex> weights(c.model.weights(), c.model.config().heads);
  const double expected = loss_reference(c, weights, kSeed).real();
  const Expected bounds(c, kSeed, 0.5);
  EXPECT_NEAR(loss.sum, expected, bounds.loss.error);
  EXPECT_EQ(loss.counted, Case::B * Case::T - 1);
  Tables<double> gradients(c.model.gradients(), c.model.config().heads);
  const std::vector<Table<Complex>*> tables = weights.all();
  const std::vector<Table<double>*> found = gradients.all();
  ASSERT_EQ(tables.size(), found.size());
  for (std::size_t n = 0; n < tables.size(); ++n) {
    const Values<Bounded>& bounded = bounds.gradients[n];
    const std::string name = std::to_string(n);
    testing::expect_complex_step_along(
        tables[n]->values, bounded, [&] { return 0.5 * loss_reference(c, weights, kSeed); }, name);
    testing::expect_bounded(bounded, found[n]->values, name.c_str());
  }
}

TEST(EncoderDecoder, LossAndGradientsAgreeWithTheComplexStep) {
  for (const NormOrder order : testing::kNormOrders) {
    for (const double dropout : {0.0, 0.3}) {
      SCOPED_TRACE(dropout);
      expect_complex_step(small(order, dropout));
    }
  }
}

TEST(EncoderDecoder, IsTheLayerOfLanguageModelsToo) {
  for (const NormOrder order : testing::kNormOrders) {
    EncoderDecoderConfig config = small(order, 0.3);
    config.positions = SequencePositions::rotary, config.gated = true;
    config.activation = Activation::silu;
    expect_complex_step(config);
  }
}

TEST(EncoderDecoder, DropsOnlyInTrainingAndOnlyWhereAShareIsGiven) {
  Case none, dropping(small(NormOrder::post, 0.4)), other(small(NormOrder::post, 0.4));
  const auto all = [&](Case& c) {
    const auto logits = c.model.logits(c.source(), c.target());
    Values<double> values = testing::elements(logits);
    values.push_back(c.model.loss(c.source(), c.target(), c.labels()).sum);
    for (const auto& row : c.model.translate(c.source(), {})) {
      values.insert(values.end(), row.begin(), row.end());
    }
    return values;
  };
  const Values<double> expected = all(none);
  EXPECT_EQ(all(dropping), expected);
  const double loss = none.accumulate().sum;
  EXPECT_EQ(none.accumulate({.dropout_seed = 5}).sum, loss);  // for a model without dropout
  EXPECT_EQ(dropping.accumulate().sum, loss);                 // without a seed
  dropping.model.clear_gradients();
  const double dropped = dropping.accumulate({.dropout_seed = 5}).sum;
  EXPECT_NE(dropped, loss);
  EXPECT_NE(dropping.accumulate({.dropout_seed = 6}).sum, dropped);
  EXPECT_EQ(all(dropping), expected);
  EXPECT_EQ(other.accumulate({.dropout_seed = 5}, 3).sum, dropped);
  Case again(small(NormOrder::post, 0.4));
  again.accumulate({.dropout_seed = 5});
  EXPECT_TRUE(equal(again.model.gradient(), other.model.gradient()));
}

TEST(EncoderDecoder, APartOfABatchLeavesOutWhatTheWholeDoes) {
  const EncoderDecoderConfig config = small(NormOrder::pre, 0.3);
  Case whole(config), parts(config);
  const double loss = whole.accumulate({.dropout_seed = 4}).sum;
  double sum = 0;
  for (Index b = 0; b < Case::B; ++b) {
    const auto row = [&](const MatrixView<const std::int32_t>& all) {
      return MatrixView<const std::int32_t>(all[b].data(), {1, all.size(1)});
    };
    sum += parts.model
               .accumulate(row(parts.source()), row(parts.target()), row(parts.labels()),
                           {.dropout_seed = 4, .first_sequence = b})
               .sum;
  }
  const Expected bounds(whole, 4, 1);
  EXPECT_NEAR(loss, bounds.loss.value, bounds.loss.error);
  EXPECT_NEAR(sum, bounds.loss.value, bounds.loss.error);
  for (const EncoderDecoder* each : {&whole.model, &parts.model}) {
    Tables<double> found(each->gradients(), config.heads);
    for (std::size_t n = 0; n < bounds.gradients.size(); ++n) {
      testing::expect_bounded(bounds.gradients[n], found.all()[n]->values,
                              std::to_string(n).c_str());
    }
  }
}

TEST(EncoderDecoder, IsInitialisedAsItsAuthorsDo) {
  // A number is -bound + 2 bound u in float: the bound, the product and the sum are rounded.
  constexpr double kDrawn = 3 * testing::kRounding;
  EncoderDecoder model(small(), 1);
  for_each_parameter(model.weights(), [](const ParameterName& parameter, const auto& view) {
    if (!view) return;  // queries, keys and values are stacked
    const std::string name = parameter.text();
    const auto [least, most] = std::minmax_element(view.data(), view.data() + view.count());
    const Index inputs = view.size(static_cast<int>(view.shape().size()) - 1);
    if (view.shape().size() == 2) {
      const double bound = std::sqrt(6.0 / static_cast<double>(view.size(0) + inputs));
      EXPECT_LE(std::fmax(-*least, *most), bound * (1 + kDrawn)) << name;
      EXPECT_GT(std::fmin(-*least, *most), bound / 2) << name;
    } else if (name.find("norm") != std::string::npos) {
      EXPECT_EQ(*least, name.find("weight") != std::string::npos ? 1.0f : 0.0f) << name;
      EXPECT_EQ(*least, *most) << name;
    } else if (name.find("proj") != std::string::npos) {
      EXPECT_EQ(*least, 0.0f) << name;
      EXPECT_EQ(*most, 0.0f) << name;
    } else {
      const double bound = 1 / std::sqrt(name.find("linear2") != std::string::npos ? 12.0 : 8.0);
      EXPECT_LE(std::fmax(-*least, *most), bound) << name;
      EXPECT_LT(*least, *most) << name;
    }
  });
  EncoderDecoder same(small(), 1), other(small(), 2);
  EXPECT_TRUE(equal(model.values(), same.values()));
  EXPECT_FALSE(equal(model.values(), other.values()));
}

TEST(EncoderDecoder, GivesTheSameBitsOnAnyNumberOfThreadsAndAllocatesNothingTwice) {
  Case one, three;
  const ModelLoss first = one.accumulate(), second = three.accumulate({}, 3);
  EXPECT_EQ(first.sum, second.sum);
  EXPECT_TRUE(equal(one.model.gradient(), three.model.gradient()));
  const std::size_t capacity = one.scratch.capacity();
  one.accumulate();
  EXPECT_EQ(one.scratch.capacity(), capacity);
  // The sum has twice each number; up to B S terms of the second run are rounded when added to
  // those of the first.
  const VectorView<const float> once = three.model.gradient(), twice = one.model.gradient();
  const double joined = Case::B * Case::S * testing::kRounding * 2 * testing::max_abs(once);
  for (Index i = 0; i < one.count(); ++i) {
    ASSERT_NEAR(static_cast<double>(twice[i]), 2 * static_cast<double>(once[i]), joined) << i;
  }
}

TEST(EncoderDecoder, RejectsWhatDoesNotFit) {
  const auto made = [](const auto& change) {
    EncoderDecoderConfig config = small();
    change(config);
    return error_of([&] { EncoderDecoder model(config, 1); });
  };
  EXPECT_EQ(made([](auto& c) { c.source_vocabulary = 0; }),
            "EncoderDecoder: source_vocabulary: must be from 1 to 16777216, is 0");
  EXPECT_EQ(made([](auto& c) { c.decoder_layers = 0; }),
            "EncoderDecoder: decoder_layers: must be from 1 to 16777216, is 0");
  EXPECT_EQ(made([](auto& c) { c.heads = 3; }), "EncoderDecoder: heads: 3 does not divide width 8");
  EXPECT_EQ(made([](auto& c) { c.width = 9; }), "EncoderDecoder: width: must be even, is 9");
  EXPECT_EQ(made([](auto& c) { c.positions = static_cast<SequencePositions>(2); }),
            "EncoderDecoder: positions: must be sinusoidal or rotary");
  EXPECT_EQ(
      made([](auto& c) { c.width = 6, c.heads = 2, c.positions = SequencePositions::rotary; }),
      "EncoderDecoder: heads: turned in pairs, must have an even width, is 3");
  for (const double wrong : {-0.1, 1.0, 1.5, std::nan("")}) {
    EXPECT_NE(made([&](auto& c) {
                c.dropout = wrong;
              }).find("EncoderDecoder: dropout: must be from 0 to below 1, is "),
              std::string::npos);
  }
  EXPECT_NE(made([](auto& c) { c.eps = -1; }).find("EncoderDecoder: eps: "), std::string::npos);

  Case c;
  const Values<double> before = testing::elements(c.model.gradient());
  const auto refused = [&](const MatrixView<const std::int32_t>& source,
                           const MatrixView<const std::int32_t>& target,
                           const MatrixView<const std::int32_t>& labels,
                           const ModelGradientOptions& options = {}) {
    return error_of([&] { c.model.accumulate(source, target, labels, options); });
  };
  const std::string call = "EncoderDecoder::accumulate: ";
  EXPECT_EQ(refused({c.sources.data(), {1, 4}}, c.target(), c.labels()),
            call + "target: must have the batches of source; source is [1, 4], target is [2, 3]");
  EXPECT_EQ(refused({c.sources.data(), {1, 8}}, {c.targets.data(), {1, 3}}, {}),
            call + "source: 8 in a row, but the context is 5");
  EXPECT_NE(refused(c.source(), c.target(), {c.replies.data(), {3, 2}}).find(call + "labels: "),
            std::string::npos);
  c.sources[5] = 6;
  EXPECT_EQ(refused(c.source(), c.target(), c.labels()),
            call + "source: 6 at [1, 1] is outside the vocabulary (0..5)");
  c.sources[5] = 1, c.replies[2] = 7;
  EXPECT_EQ(refused(c.source(), c.target(), c.labels()),
            call + "labels: 7 at [0, 2] is outside the vocabulary (0..6)");
  c.replies[2] = 1, c.targets[0] = kIgnoredTarget;
  EXPECT_EQ(refused(c.source(), c.target(), c.labels()),
            call + "target: -100 at [0, 0] is outside the vocabulary (0..6)");
  c.targets[0] = 0;
  EXPECT_EQ(refused(c.source(), c.target(), c.labels(), {.scale = std::nan("")}),
            call + "scale: must be finite, is nan");
  EXPECT_EQ(refused(c.source(), c.target(), c.labels(), {.first_sequence = -1}),
            call + "first_sequence: must be at least 0, is -1");
  EXPECT_EQ(testing::elements(c.model.gradient()), before);
  EXPECT_GT(c.accumulate().sum, 0);
  const MatrixView<const std::int32_t> none;
  EXPECT_EQ(error_of([&] { c.model.logits(none, c.target()); }),
            "EncoderDecoder::logits: source: no tensor given");
  EXPECT_EQ(error_of([&] { c.model.loss(c.source(), c.target(), none); }),
            "EncoderDecoder::loss: labels: no tensor given");
}

}  // namespace
}  // namespace tril
