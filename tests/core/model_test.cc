// Language models: losses and gradients against the complex step through the plain definition, and
// properties of all models.
#include <gtest/gtest.h>
#include <tril/foundation/random.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/rms_norm.h>
#include <tril/model/language_model.h>
#include <tril/training/optimizers.h>

#include <map>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/model_gradient_reference.h"
#include "core/model_reference.h"
#include "core/small_models.h"
#include "core/tape.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::Complex;
using testing::equal;
using testing::error_of;
using testing::families;
using testing::model_tables;
using testing::ModelReference;
using testing::ModelTables;
using testing::Rounded;
using testing::small;
using testing::Table;
using testing::Tape;
using testing::Tracked;
using testing::Values;

// A model whose parameters are all far from their initial values, and a batch.
struct Case {
  LanguageModel model;
  Index batches, tokens;
  std::vector<std::int32_t> ids, targets;
  Scratch scratch;

  explicit Case(const ModelConfig& config, Index b = 2, Index t = 5)
      : model(config, 3), batches(b), tokens(t) {
    Random random(5);
    for_each_parameter(model.weights(), [&](const ParameterName&, const auto& view) {
      if (!view) return;
      for (Index i = 0; i < view.count(); ++i) view.data()[i] += 0.3f * random.normal();
    });
    const auto bound = static_cast<std::uint32_t>(config.vocabulary);
    for (Index i = 0; i < b * t; ++i) {
      ids.push_back(static_cast<std::int32_t>(random.below(bound)));
      targets.push_back(i % 4 == 1 ? kIgnoredTarget
                                   : static_cast<std::int32_t>(random.below(bound)));
    }
  }
  MatrixView<const std::int32_t> all(const std::vector<std::int32_t>& values, Index first = 0,
                                     Index count = 0) const {
    return {values.data() + first * tokens, {count > 0 ? count : batches, tokens}};
  }
  ModelLoss accumulate(const ModelGradientOptions& options = {}, int threads = 1) {
    Parallel parallel(threads);
    return model.accumulate(all(ids), all(targets), options, {scratch, parallel});
  }
};

// The sum of the losses, and `scale` times its gradient by parameter name, with the bounds of
// floats.
struct Expected {
  Bounded loss;
  std::map<std::string, Values<Bounded>> gradients;

  explicit Expected(const Case& c, double scale = 1) {
    const Values<Bounded> all =
        testing::bounded_gradients(c.model, c.batches, c.ids, c.targets, scale);
    loss = all[0];
    auto next = all.begin() + 1;
    for (const auto& [name, table] : model_tables<double>(c.model.config(), c.model.weights())) {
      const auto end = next + std::ssize(table.values);
      gradients[name] = {next, end};
      next = end;
    }
  }
};

// The logits, with their bounds.
Values<Bounded> bounded_logits(const Case& c) {
  return testing::bounded_logits(c.model.config(), c.model.weights(), c.batches, c.ids);
}

// Expects two differently rounded results of the same numbers within these bounds.
void expect_both(const Values<Bounded>& bounds, const Values<double>& one,
                 const Values<double>& other, const std::string& name) {
  testing::expect_bounded(bounds, one, name.c_str());
  testing::expect_bounded(bounds, other, name.c_str());
}

// All families, and GPT-2's and Llama's without norms, residuals, positions and the scaling of
// scores.
std::vector<ModelConfig> families_and_bare() {
  std::vector<ModelConfig> all = families();
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    ModelConfig bare = small(family);
    bare.norm = ModelNorm::none, bare.positions = ModelPositions::none;
    bare.scaled_scores = bare.residual = false;
    all.push_back(bare);
  }
  for (ModelConfig& each : all) each.eps = 0.01;  // large enough to reveal a wrong one
  return all;
}

TEST(LanguageModel, LossAndGradientsAgreeWithTheComplexStep) {
  for (const ModelConfig& config : families_and_bare()) {
    SCOPED_TRACE(std::string(name_of(kModelFamilies, config.family)));
    Case c(config);
    const ModelLoss loss = c.accumulate({.scale = 0.5});
    auto tables = model_tables<Complex>(config, c.model.weights());
    const ModelReference<Complex> reference{config, tables, c.batches, c.tokens};
    const double expected = reference.loss(c.ids, c.targets).real();
    const Expected bounds(c, 0.5);
    EXPECT_NEAR(loss.sum, expected, bounds.loss.error);
    EXPECT_EQ(loss.counted, 7);
    const auto gradients = model_tables<double>(config, c.model.gradients());
    ASSERT_EQ(gradients.size(), tables.size());
    for (auto& entry : tables) {
      const std::string& name = entry.first;
      const Values<Bounded>& bounded = bounds.gradients.at(name);
      testing::expect_complex_step_along(
          entry.second.values, bounded, [&] { return 0.5 * reference.loss(c.ids, c.targets); },
          name);
      double largest = 0;
      for (const Bounded& each : bounded) largest = std::fmax(largest, std::fabs(each.value));
      EXPECT_GT(largest, 0) << name;
      testing::expect_bounded(bounded, gradients.at(name).values, name.c_str());
    }
  }
}

TEST(LanguageModel, LogitsAgreeWithTheDefinition) {
  for (const ModelConfig& config : families_and_bare()) {
    Case c(config, 3, 4);
    Parallel parallel;
    const MatrixView<const float> logits = c.model.logits(c.all(c.ids), {c.scratch, parallel});
    testing::expect_bounded(bounded_logits(c), logits, "logits");
  }
}

// In the first layer they are those of attention over the layer's input.
TEST(LanguageModel, GivesTheAttentionWeightsOfEveryLayer) {
  for (const ModelConfig& config : families()) {
    Case c(config, 2, 4);
    Parallel parallel;
    const Shape<4> shape = {2, config.heads, 4, 4};
    Buffer<float, 4> first(shape), second(shape), expected(shape);
    const TensorView<float, 4> weights[] = {first, second};
    const MatrixView<const float> logits = c.model.logits(c.all(c.ids), {c.scratch, parallel});
    const std::vector<float> before(logits.data(), logits.data() + logits.count());
    c.model.logits(c.all(c.ids), {c.scratch, parallel}, weights);
    expect_both(bounded_logits(c), {before.begin(), before.end()}, testing::elements(logits),
                "logits");

    const BasicModelLayerWeights<float>& layer = c.model.weights().layers[0];
    Buffer<float, 2> x({8, config.width}), normed({8, config.width});
    for (Index i = 0; i < 8; ++i) {
      for (Index j = 0; j < config.width; ++j) {
        x.view()[i][j] = c.model.weights().embedding[c.ids[static_cast<std::size_t>(i)]][j];
        if (c.model.weights().positions) x.view()[i][j] += c.model.weights().positions[i % 4][j];
      }
    }
    if (config.scaled_embedding) multiply(x, std::sqrt(static_cast<float>(config.width)), x);
    if (config.norm_place == ModelNormPlace::after) {
      add(x, 0, normed);
    } else if (config.norm == ModelNorm::layer_norm) {
      layer_norm(x, layer.norm1.weight, layer.norm1.bias, {.eps = config.eps}, normed, parallel);
    } else {
      rms_norm(x, layer.norm1.weight, {.eps = config.eps}, normed, parallel);
    }
    MultiHeadOptions options;
    options.heads = config.heads, options.kv_heads = config.kv_heads;
    options.norm_eps = config.eps;
    options.attention.causal = config.causal;
    if (config.window > 0) options.attention.mask = Mask::window(config.window - 1, std::nullopt);
    options.attention.softcap = static_cast<float>(config.score_cap);
    if (config.query_scale > 0) {
      options.attention.scale = static_cast<float>(1 / std::sqrt(config.query_scale));
    }
    Buffer<float, 2> cos({4, config.turned_width() / 2}), sin(cos.shape());
    if (config.positions == ModelPositions::rotary) {
      const std::vector<std::int32_t> places = {0, 1, 2, 3};
      const double local = config.rotary_local_base;
      RotaryScaling scaling = config.rotary_scaling;
      scaling.length = scaling.kind == RotaryScalingKind::longrope ? 4 : 0;
      rotary_angles({places.data(), {4}}, local > 0 ? local : config.rotary_base, scaling, cos,
                    sin);
      options.rotary = MultiHeadRotary{.width = config.rotary_width, .cos = cos, .sin = sin};
    }
    Buffer<float, 3> out({2, 4, config.width});
    multi_head_attention(TensorView<const float, 3>(normed.data(), {2, 4, config.width}),
                         parameters_as<MultiHeadWeights>(layer.attention), options, out,
                         {c.scratch, parallel}, {.attention = {.weights = expected}});
    EXPECT_TRUE(equal(expected.view(), first.view()));
    EXPECT_FALSE(equal(first.view(), second.view()));
    for (Index i = 0; i < second.view().count(); i += 4) {
      const float* const row = second.data() + i;
      EXPECT_NEAR(row[0] + row[1] + row[2] + row[3], 1, 8 * testing::kEpsilon);
      if (config.causal && i % 16 == 0) {
        EXPECT_EQ(row[1] + row[2] + row[3], 0);
      }
    }
    EXPECT_EQ(error_of([&] {
                c.model.logits(c.all(c.ids), {c.scratch, parallel}, {weights, 1});
              }),
              "LanguageModel::logits: attention: needs one per layer (2), got 1");
  }
}

TEST(LanguageModel, TwoHalvesOfABatchAreTheWhole) {
  for (const ModelConfig& config : families()) {
    Case whole(config), halves(config);
    const ModelLoss loss = whole.accumulate();
    Parallel parallel;
    double sum = 0;
    for (const Index first : {0, 1}) {
      sum += halves.model
                 .accumulate(halves.all(halves.ids, first, 1), halves.all(halves.targets, first, 1),
                             {}, {halves.scratch, parallel})
                 .sum;
    }
    const Expected bounds(whole);
    EXPECT_NEAR(loss.sum, bounds.loss.value, bounds.loss.error);
    EXPECT_NEAR(sum, bounds.loss.value, bounds.loss.error);
    const auto of_whole = model_tables<double>(config, whole.model.gradients());
    const auto of_halves = model_tables<double>(config, halves.model.gradients());
    for (const auto& [name, bounded] : bounds.gradients) {
      expect_both(bounded, of_whole.at(name).values, of_halves.at(name).values, name);
    }
  }
}

TEST(LanguageModel, DoesNotDependOnThreads) {
  for (ModelConfig config : families()) {
    config.width = 48, config.context = 70, config.dropout = 0.2;
    Case one(config, 3, 70), three(config, 3, 70);
    EXPECT_EQ(one.accumulate({.dropout_seed = 9}).sum,
              three.accumulate({.dropout_seed = 9}, 3).sum);
    EXPECT_TRUE(equal(one.model.gradient(), three.model.gradient()));
  }
}

// Nothing here is linear, so the backward pass is checked by a move against the gradient: with a
// fixed seed dropout is an ordinary function.
TEST(LanguageModel, GradientsThroughDropoutAreThoseOfTheSameChoice) {
  for (ModelConfig config : families()) {
    config.dropout = 0.4;
    Case c(config);
    const ModelGradientOptions options{.dropout_seed = 11};
    c.accumulate(options);
    const std::vector<float> d(c.model.gradient().data(),
                               c.model.gradient().data() + c.model.gradient().size(0));
    double squares = 0;
    for (const float each : d) squares += static_cast<double>(each) * each;
    // Central difference along the gradient g: (f(x + h g) - f(x - h g)) / 2h = |g|^2 + O(h^2).
    const double h = 1e-3 / std::sqrt(squares);
    const auto at = [&](double factor) {
      for (std::size_t i = 0; i < d.size(); ++i) {
        c.model.values()[static_cast<Index>(i)] += static_cast<float>(factor * h * d[i]);
      }
      return c.accumulate(options).sum;
    };
    const double up = at(1), down = at(-2);
    // f is about 20 with eight correct digits, and the difference is about 1e-2.
    EXPECT_NEAR((up - down) / (2 * h) / squares, 1, 0.02);
    EXPECT_NE(up, c.accumulate().sum);
  }
}

TEST(LanguageModel, AllocatesNothingAfterTheFirstStep) {
  for (const ModelConfig& config : families()) {
    Case c(config);
    c.accumulate();
    const std::size_t capacity = c.scratch.capacity();
    Parallel parallel;
    const float* const logits = c.model.logits(c.all(c.ids), {c.scratch, parallel}).data();
    c.accumulate();
    EXPECT_EQ(c.scratch.capacity(), capacity);
    EXPECT_EQ(c.model.logits(c.all(c.ids), {c.scratch, parallel}).data(), logits);
  }
}

// Saved floats for B sequences of T, whose widths are multiples of a cache line: no gaps.
TEST(LanguageModel, KeepsAsMuchAsItSays) {
  ModelConfig config;
  config.vocabulary = 80;
  const Index B = 2, T = 64, C = 128, F = 512, H = 4, L = 4, V = 80;
  EXPECT_EQ(LanguageModel(config, 1).saved_count(B, T),
            B * T * (L * (8 * C + 2 * F + H + 4) + 2 * C + 2 + V));
}

// Each token determines the next: the loss goes to 0.
TEST(LanguageModel, LearnsWhatFollows) {
  for (const ModelConfig& config : families()) {
    if (!config.causal) continue;
    LanguageModel model(config, 1);
    const Index B = 4, T = 6;
    std::vector<std::int32_t> ids, targets;
    for (Index i = 0; i < B * T; ++i) {
      const auto id = static_cast<std::int32_t>((i / T * 3 + i % T) % 7);
      ids.push_back(id), targets.push_back((id + 1) % 7);
    }
    Buffer<float, 1> first(model.values().shape()), second(model.values().shape());
    double begin = 0, end = 0;
    for (int step = 1; step <= 150; ++step) {
      model.clear_gradients();
      end = model
                .accumulate({ids.data(), {B, T}}, {targets.data(), {B, T}},
                            {.scale = 1.0 / static_cast<double>(B * T)})
                .mean();
      if (step == 1) begin = end;
      adamw_step(model.values(), model.gradient(), first, second, step, {.learning_rate = 0.02});
    }
    // Initially uniform except for logits of 8 numbers of a norm, whose squares are 1 on average,
    // times weights of deviation 0.02. The limit is five deviations.
    EXPECT_NEAR(begin, std::log(7.0), 5 * 0.02 * std::sqrt(8));
    EXPECT_LT(end, 0.05);
  }
}

TEST(LanguageModel, RefusesWhatDoesNotFit) {
  const auto refused = [](auto change) {
    ModelConfig config = small(ModelFamily::llama);
    change(config);
    return error_of([&] { LanguageModel model(config, 1); });
  };
  EXPECT_EQ(refused([](ModelConfig& c) { c.heads = 3; }),
            "model_layout: heads: 3 does not divide width 8");
  EXPECT_EQ(refused([](ModelConfig& c) { c.heads = 4, c.kv_heads = 3; }),
            "model_layout: kv_heads: 3 does not divide heads 4");
  EXPECT_EQ(refused([](ModelConfig& c) { c.heads = 8; }),
            "model_layout: heads: rotary positions turn pairs, and a head has 1 elements");
  EXPECT_EQ(refused([](ModelConfig& c) { c.head_dim = 3; }),
            "model_layout: heads: rotary positions turn pairs, and a head has 3 elements");
  EXPECT_EQ(refused([](ModelConfig& c) { c.head_dim = -2; }),
            "model_layout: head_dim: must be from 0 to 16777216, is -2");
  EXPECT_EQ(refused([](ModelConfig& c) { c.head_dim = 1 << 24; }),
            "model_layout: head_dim: 2 heads of 16777216 are wider than 16777216 together");
  EXPECT_EQ(refused([](ModelConfig& c) { c.vocabulary = 0; }),
            "model_layout: vocabulary: must be from 1 to 16777216, is 0");
  EXPECT_EQ(refused([](ModelConfig& c) { c.dropout = 1; }),
            "model_layout: dropout: must be from 0 to below 1, is 1");
  EXPECT_EQ(refused([](ModelConfig& c) { c.eps = 0; }),
            "model_layout: eps: must be finite and above 0, is 0");

  Case c(small(ModelFamily::gpt2));
  Parallel parallel;
  const auto message = [&](const ModelGradientOptions& options = {}) {
    return error_of([&] {
      c.model.accumulate(c.all(c.ids), c.all(c.targets), options, {c.scratch, parallel});
    });
  };
  c.ids[6] = 7;
  EXPECT_EQ(message(),
            "LanguageModel::accumulate: tokens: 7 at [1, 1] is outside the vocabulary (0..6)");
  c.ids[6] = 0, c.targets[0] = -1;
  EXPECT_EQ(message(),
            "LanguageModel::accumulate: targets: -1 at [0, 0] is outside the vocabulary (0..6)");
  c.targets[0] = 0;
  EXPECT_EQ(message({.scale = HUGE_VAL}),
            "LanguageModel::accumulate: scale: must be finite, is inf");
  const std::vector<std::int32_t> long_ids(7);
  EXPECT_EQ(error_of([&] {
              c.model.logits({long_ids.data(), {1, 7}}, {c.scratch, parallel});
            }),
            "LanguageModel::logits: tokens: 7 in a row, but the context is 6");
  EXPECT_EQ(testing::max_abs(c.model.gradient()), 0);
  c.accumulate();
  EXPECT_GT(testing::max_abs(c.model.gradient()), 0);
}

}  // namespace
}  // namespace tril
