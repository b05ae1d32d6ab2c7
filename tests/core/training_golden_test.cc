// Training against PyTorch in float64 (tests/golden/make_optimizers.py, make_gradients.py): AdamW
// with clipping and a schedule over 50 steps, SGD with momentum, and the losses of 20 steps of
// whole models and of adapters.
#include <gtest/gtest.h>
#include <tril/model/lora.h>
#include <tril/model/trainer.h>
#include <tril/training/gradient_norm.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/bounded.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::golden;
using testing::kRounding;
using testing::uniform;
using testing::Values;

// A number rounded to a float once.
Bounded rounded(double value) { return {value, kRounding * std::fabs(value)}; }

Bounded smaller(const Bounded& a, const Bounded& b) {
  return {std::fmin(a.value, b.value), std::fmax(a.error, b.error)};
}

// One step of the formula in optimizers.h, with the bounds of floats. Updates `x`, `m` and `v`.
void step_reference(Bounded& x, Bounded& m, Bounded& v, const Bounded& g, double rate, double decay,
                    double beta1, double beta2, double eps, int t) {
  m = m + rounded(1 - beta1) * (g - m);
  v = rounded(beta2) * v + rounded(1 - beta2) * g * g;
  const Bounded divisor = rounded(1 / std::sqrt(1 - std::pow(beta2, t))) * sqrt(v) + rounded(eps);
  const Bounded move = rounded(rate / (1 - std::pow(beta1, t))) * m / divisor;
  x = rounded(1 - rate * decay) * x - move;
}

// Parameters move towards a point that is drawn again in each step. The rounding error of each step
// is propagated to the next.
TEST(TrainingGolden, AdamWClippingAndScheduleArePyTorchs) {
  constexpr double kClip = 4, kBeta1 = 0.9, kBeta2 = 0.99, kEps = 1e-8;
  const Schedule schedule{.learning_rate = 2e-2, .lowest = 2e-3, .warmup = 10, .steps = 50};
  const Buffer<float, 1> expected = golden<1>("training/adamw");
  Random random(560);
  // A matrix with weight decay and a vector without it, in one block of memory.
  const Index decayed = 35, all = 42;
  Buffer<float, 1> x({all}), g({all}), m({all}), v({all});
  const auto part = [](Buffer<float, 1>& buffer, Index first, Index last) {
    return VectorView<float>(buffer.data() + first, {last - first});
  };
  const auto draw = [&](Buffer<float, 1>& to) {
    for (Index i = 0; i < all; ++i) to.data()[i] = 2 * random.uniform() - 1;
  };
  draw(x);
  Values<Bounded> xs, ms(static_cast<std::size_t>(all)), vs(static_cast<std::size_t>(all));
  for (Index i = 0; i < all; ++i) xs.emplace_back(x.data()[i]);
  Scratch scratch;
  Parallel parallel(2);
  Index next = 100;
  int clipped = 0;
  for (int step = 1; step <= 50; ++step) {
    Buffer<float, 1> point({all});
    draw(point);
    Values<Bounded> gs;
    testing::Sum<Bounded> squares;
    for (Index i = 0; i < all; ++i) {
      g.data()[i] = x.data()[i] - point.data()[i];
      gs.push_back(xs[static_cast<std::size_t>(i)] - Bounded(point.data()[i]));
      squares.add(gs.back() * gs.back());
    }
    const Bounded norm = sqrt(squares.value());
    const double computed = gradient_norm(g, {scratch, parallel});
    const double rate = scheduled_rate(schedule, step - 1);
    const double golden_rate = expected.data()[step - 1], golden_norm = expected.data()[49 + step];
    ASSERT_NEAR(rate, golden_rate, kRounding * golden_rate);
    ASSERT_NEAR(computed, golden_norm, norm.error + kRounding * golden_norm);
    if (computed > kClip) ++clipped;
    const Bounded scale = smaller(
        Bounded(1), Bounded::rounded(kClip / (norm.value + 1e-6),
                                     kClip * norm.error / std::pow(norm.value - norm.error, 2)));
    AdamWOptions options{.learning_rate = rate,
                         .beta1 = kBeta1,
                         .beta2 = kBeta2,
                         .eps = kEps,
                         .weight_decay = 0.1,
                         .gradient_scale = clip_scale(computed, kClip)};
    adamw_step(part(x, 0, decayed), part(g, 0, decayed), part(m, 0, decayed), part(v, 0, decayed),
               step, options, parallel);
    options.weight_decay = 0;
    adamw_step(part(x, decayed, all), part(g, decayed, all), part(m, decayed, all),
               part(v, decayed, all), step, options, parallel);
    for (std::size_t i = 0; i < static_cast<std::size_t>(all); ++i) {
      step_reference(xs[i], ms[i], vs[i], scale * gs[i], rate,
                     static_cast<Index>(i) < decayed ? 0.1 : 0, kBeta1, kBeta2, kEps, step);
    }
    if (step != 1 && step != 10 && step != 50) continue;
    for (Index i = 0; i < all; ++i, ++next) {
      const Bounded& reference = xs[static_cast<std::size_t>(i)];
      const double value = expected.data()[next], stored = kRounding * std::fabs(value);
      // PyTorch's schedulers compute each rate from the last, with some roundings of a double each.
      ASSERT_NEAR(reference.value, value, stored + 1e-12) << step << " at " << i;
      ASSERT_NEAR(x.data()[i], value, reference.error + stored + 1e-12) << step << " at " << i;
      ASSERT_LT(reference.error, 1e-3 * 2e-2 * step);  // a thousandth of the moves so far
    }
  }
  EXPECT_EQ(next, expected.shape()[0]);
  EXPECT_GT(clipped, 5);
  EXPECT_LT(clipped, 45);
}

// SGD with momentum, by the formula in optimizers.h.
TEST(TrainingGolden, SgdWithMomentumIsPyTorchs) {
  const Buffer<float, 1> expected = golden<1>("training/sgd");
  Random random(561);
  const Index decayed = 35, all = 42;
  const SgdOptions options{.learning_rate = 2e-2, .momentum = 0.9, .weight_decay = 0.1};
  Buffer<float, 1> x = uniform<1>({all}, random), g({all}), m({all});
  Values<Bounded> xs, ms(static_cast<std::size_t>(all));
  for (Index i = 0; i < all; ++i) xs.emplace_back(x.data()[i]);
  Parallel parallel(2);
  Index next = 0;
  for (int step = 1; step <= 20; ++step) {
    const Buffer<float, 1> point = uniform<1>({all}, random);
    for (Index i = 0; i < all; ++i) {
      const auto at = static_cast<std::size_t>(i);
      g.data()[i] = x.data()[i] - point.data()[i];
      const Bounded decay = i < decayed ? rounded(options.weight_decay) : Bounded(0);
      ms[at] =
          rounded(options.momentum) * ms[at] + (xs[at] - Bounded(point.data()[i])) + decay * xs[at];
      xs[at] = xs[at] - rounded(options.learning_rate) * ms[at];
    }
    for (const bool decays : {true, false}) {
      const Index first = decays ? 0 : decayed, size = decays ? decayed : all - decayed;
      const auto part = [&](Buffer<float, 1>& buffer) {
        return VectorView<float>(buffer.data() + first, {size});
      };
      SgdOptions own = options;
      if (!decays) own.weight_decay = 0;
      sgd_step(part(x), part(g), part(m), own, parallel);
    }
    if (step != 1 && step != 20) continue;
    for (Index i = 0; i < all; ++i, ++next) {
      const Bounded& reference = xs[static_cast<std::size_t>(i)];
      const double value = expected.data()[next], stored = kRounding * std::fabs(value);
      ASSERT_NEAR(reference.value, value, stored + 1e-12) << step << " at " << i;
      ASSERT_NEAR(x.data()[i], value, reference.error + stored + 1e-12) << step << " at " << i;
      ASSERT_LT(reference.error, 1e-3 * 2e-2 * step);
    }
  }
  EXPECT_EQ(next, expected.shape()[0]);
}

// Draws parameters like make_gradients.py, in the order and the shapes of the files.
void draw_parameters(LanguageModel& model) {
  Random random(570);
  for (const StoredParameter& each : stored_parameters(model.config(), model.weights())) {
    const bool is_matrix = each.shape.size() == 2;
    const Index rows = is_matrix ? each.shape[0] : 1, cols = each.shape.back();
    for (Index n = 0; n < rows; ++n) {
      for (Index c = 0; c < cols; ++c) {
        const float u = 2 * random.uniform() - 1;
        float& to = each.data[each.transposed ? c * rows + n : n * cols + c];
        to = is_matrix ? u / 8 : each.name.ends_with("bias") ? u / 16 : 1 + u / 8;
      }
    }
  }
}

// Draws A and B like make_gradients.py.
void draw_adapter(LoraAdapter& adapter) {
  Random random(572);
  for (const StoredParameter& each : adapter.parameters(adapter.values())) {
    if (each.name.ends_with("lora_B.weight")) continue;
    for (Index i = 0; i < each.count(); ++i) each.data[i] = (2 * random.uniform() - 1) / 8;
  }
}

// The bound of each step's loss is the change of PyTorch's own loss if all its gradients err, up or
// down, by the bound of gradients in model_test.cc: 80 operations in a row, each a sum of at most
// 128 terms. (It is the largest of eight draws of signs, and so an estimate of the loss's
// sensitivity, not a maximum; but gradients are a hundred times more exact.) The loss itself is
// rounded, too.
void expect_losses(ModelFamily family, bool with_lora) {
  std::string name(name_of(kModelFamilies, family));
  ModelConfig config = ModelConfig::of(family);
  config.layers = 4, config.heads = 4, config.width = 32, config.context = 16;
  config.vocabulary = 29;
  if (family == ModelFamily::llama) config.kv_heads = 2;
  LanguageModel model(config, 1);
  draw_parameters(model);
  TrainerOptions options;
  options.batch = 4;
  options.schedule = {.learning_rate = 1e-3, .lowest = 1e-4, .warmup = 5, .steps = 20};
  std::optional<LoraAdapter> adapter;
  if (with_lora) {
    name += "_lora";
    options.schedule.learning_rate = 1e-2, options.schedule.lowest = 1e-3;
    LoraOptions lora{.rank = 4, .alpha = 8};
    if (family == ModelFamily::llama) {
      lora.targets = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
    }
    draw_adapter(adapter.emplace(model, lora, 1));
  }
  SCOPED_TRACE(name);
  Trainer trainer = adapter ? Trainer(*adapter, options) : Trainer(model, options);
  Random random(571);
  std::vector<std::int32_t> stream;
  for (int i = 0; i < 400; ++i) stream.push_back(static_cast<std::int32_t>(random.bits() % 29));
  const Buffer<float, 2> expected = golden<2>("training/" + name);
  Parallel parallel(2);
  for (Index step = 0; step < 20; ++step) {
    const double loss = expected.view()[0][step], away = expected.view()[1][step];
    const double own = 80 * 128 * kRounding * loss;
    EXPECT_NEAR(trainer.step(stream, parallel).loss, loss, own + away) << step;
    EXPECT_LT(away, 1e-2) << "the bound says nothing";
  }
}

TEST(TrainingGolden, LossesOfWholeModelsArePyTorchs) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    expect_losses(family, false);
  }
}

TEST(TrainingGolden, LossesOfAdaptersArePyTorchs) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    expect_losses(family, true);
  }
}

}  // namespace
}  // namespace tril
