// The cost of a training step against loops that count their own operations, and the formula by
// hand.
#include <gtest/gtest.h>
#include <tril/lessons/attention_cost.h>
#include <tril/lessons/training_cost.h>
#include <tril/model/language_model.h>
#include <tril/model/model_pass.h>
#include <tril/model/trainer.h>

#include <algorithm>

#include "core/compare.h"
#include "core/counted.h"
#include "core/token_stream.h"

namespace tril {
namespace {

using testing::Counted;
using testing::error_of;
using testing::flops_of;

const Counted kOne = 1;

void sums(Index count) {
  for (Index i = 0; i < count; ++i) kOne + kOne;
}

// Forward y = W x + b, and backward dx = W^T dy,  dW += dy x^T,  db += dy.
void linear(Index rows, Index in, Index out, bool bias, bool back) {
  for (Index i = 0; i < rows * out * in; ++i) {
    kOne + kOne* kOne;
    if (back) kOne + kOne* kOne;
  }
  if (bias) sums(rows * out);
}

void layer_norm(Index width, bool bias, bool back) {
  for (Index i = 0; i < width; ++i) {
    if (!back) {
      kOne + kOne;                  // mean
      kOne + (kOne - kOne) * kOne;  // variance
      (kOne - kOne) * kOne* kOne;   // normalised, scaled
    } else {
      const Counted normal = (kOne - kOne) * kOne;
      kOne + normal* kOne;                // of the scale
      const Counted d = kOne * kOne;      // of the normalised number
      kOne + d, kOne + d* normal;         // their means
      (d - kOne - normal * kOne) * kOne;  // of x
    }
    if (bias) kOne + kOne;
  }
  if (back) {
    kOne / kOne, kOne / kOne;
  } else {
    kOne / kOne, kOne / kOne + kOne, kOne / sqrt(kOne);
  }
}

void rms_norm(Index width, bool back) {
  for (Index i = 0; i < width; ++i) {
    if (!back) {
      kOne + kOne *kOne, kOne *kOne *kOne;
    } else {
      const Counted normal = kOne * kOne;
      kOne + normal* kOne;
      const Counted d = kOne * kOne;
      kOne + d* normal;
      (d - normal * kOne) * kOne;
    }
  }
  kOne / kOne;
  if (!back) kOne / sqrt(kOne + kOne);
}

// A gate also has the product with its input, and backward the gradients of both.
void gelu_tanh(bool gated, bool back) {
  const Counted x = kOne, square = x * x;
  const Counted t = tanh((x + square * x * kOne) * kOne);
  const Counted half = (kOne + t) * kOne;
  const Counted value = back && !gated ? x : x * half;
  if (!back) {
    if (gated) value* kOne;
  } else {
    const Counted d = kOne * (half + x * kOne * (kOne - t * t) * kOne * (kOne + square * kOne));
    if (gated) d *kOne, kOne *value;
  }
}

// The backward pass is that of gelu_tanh, as in the formula.
void gelu(bool back) {
  if (back) return gelu_tanh(false, true);
  kOne*(kOne + erf(kOne / kOne)) * kOne;
}

void swiglu(bool back) {
  const Counted x = kOne;
  if (!back) {
    x / (exp(x) + kOne) * kOne;
  } else {
    const Counted s = kOne / (exp(x) + kOne);
    kOne*(s * (kOne + x * (kOne - s))) * kOne;  // of the gate: d times the other factor
    kOne*(x * s);                               // of the other factor: d silu(x)
  }
}

void attention_back(Index scores, Index rows, Index depth, bool capped) {
  for (Index i = 0; i < scores; ++i) {
    Counted score, d;
    for (Index k = 0; k < depth; ++k) score = score + kOne * kOne, d = d + kOne * kOne;
    score = score * kOne;
    Counted slope;
    if (capped) {
      const Counted cap = tanh(score / kOne) * kOne, t = cap / kOne;
      slope = kOne - t * t;
    }
    Counted ds = exp(score - kOne) * (d - kOne) * kOne;
    if (capped) ds = ds * slope;
    for (Index k = 0; k < depth; ++k) kOne + ds *kOne, kOne + ds *kOne, kOne + kOne *kOne;
  }
  for (Index i = 0; i < rows * depth; ++i) kOne + kOne* kOne;
}

double counted(const ModelConfig& c, Index batches, Index tokens, bool back) {
  const Index rows = batches * tokens, C = c.width, F = c.hidden_width(), V = c.vocabulary;
  const Index E = c.query_width(), kv = c.key_width();
  const auto norm = [&] {
    for (Index row = 0; row < rows; ++row) {
      if (c.norm == ModelNorm::layer_norm) layer_norm(C, c.has_norm_biases(), back);
      if (c.norm == ModelNorm::rms_norm) rms_norm(C, back);
    }
  };
  const auto attention_of = [&](Index layer) {
    return attention_cost(
        {batches, c.heads, c.kv_head_count(), tokens, tokens, c.head_width(), c.head_width()},
        detail::layer_attention(c, layer));
  };
  double attentions = 0;
  for (Index layer = 0; layer < c.layers; ++layer) attentions += attention_of(layer).flops;
  const double all = flops_of([&] {
    for (Index layer = 0; layer < c.layers; ++layer) {
      norm();
      linear(rows, C, E + 2 * kv, c.has_projection_biases(), back);
      const Index heads = c.heads + c.kv_head_count();
      for (Index i = 0; c.query_key_norm && !c.joint_heads_norm && i < rows * heads; ++i) {
        rms_norm(c.head_width(), back);
      }
      for (Index i = 0; c.joint_heads_norm && i < rows; ++i) rms_norm(E, back), rms_norm(kv, back);
      if (c.has_rotary(layer)) {  // a pair: two products and a sum of each
        for (Index i = 0; i < rows * heads * c.turned_width(); ++i) kOne* kOne + kOne* kOne;
      }
      if (back) {
        attention_back(static_cast<Index>(attention_of(layer).scores), rows * c.heads,
                       c.head_width(), c.score_cap > 0);
      }
      linear(rows, E, C, c.biases, back);
      norm();
      linear(rows, C, c.inner_width(), c.biases, back);
      for (Index i = 0; i < rows * F; ++i) {
        if (c.feed_forward == ModelFeedForward::swiglu) {
          swiglu(back);
        } else if (c.feed_forward == ModelFeedForward::gelu) {
          gelu(back);
        } else {
          gelu_tanh(c.is_gated(), back);
        }
      }
      linear(rows, F, C, c.biases, back);
      for (int n = 0; c.norm_place == ModelNormPlace::around && n < 2; ++n) norm();
      if (c.residual) sums(2 * rows * C);
    }
    norm();
    linear(rows, C, V, false, back);
    for (Index i = 0; c.logit_cap > 0 && i < rows * V; ++i) {
      if (!back) {
        tanh(kOne / kOne) * kOne;
      } else {
        const Counted t = kOne / kOne;
        kOne*(kOne - t * t);
      }
    }
    for (Index row = 0; row < rows; ++row) {
      for (Index i = 0; i < V; ++i) {
        if (back) {
          exp(kOne - kOne) * kOne* kOne;
        } else {
          void(kOne < kOne), kOne + exp(kOne - kOne);
        }
      }
      if (back) {
        kOne - kOne;  // at the target
      } else {
        kOne + (log(kOne) - kOne);
      }
    }
    if (back) sums(rows * C);
    if (c.positions == ModelPositions::learned) sums(rows * C);
    for (Index i = 0; c.scaled_embedding && i < rows * C; ++i) kOne* kOne;
  });
  return back ? all : all + attentions;
}

ModelConfig small(ModelFamily family) {
  ModelConfig config = ModelConfig::of(family);
  config.layers = 2, config.heads = 4, config.width = 16, config.hidden = 24;
  config.context = 8, config.vocabulary = 11;
  return config;
}

TEST(TrainingCost, IsThatOfLoopsThatCount) {
  for (const auto& [name, family] : kModelFamilies) {
    ModelConfig config = small(family);
    if (family == ModelFamily::llama) config.kv_heads = 2;
    if (family == ModelFamily::qwen3) config.kv_heads = 2, config.head_dim = 6;
    if (config.window > 0) config.window = 3;
    if (family == ModelFamily::phi3) config.rotary_width = 2;
    if (config.rotary_period > 0) config.rotary_period = 2;
    for (const bool plain : {false, true}) {
      if (plain) config.biases = config.residual = config.causal = false, config.window = 0;
      if (plain) config.positions = ModelPositions::none, config.norm = ModelNorm::none;
      const LanguageModel model(config, 1);
      for (const Index tokens : {1, 8}) {
        const TrainingCost cost = training_cost(model, {}, 3, tokens);
        EXPECT_EQ(cost.forward.flops, counted(config, 3, tokens, false));
        EXPECT_EQ(cost.backward.flops, counted(config, 3, tokens, true));
      }
    }
  }
}

TEST(TrainingCost, CountsEveryParameterOfTheMove) {
  ModelConfig config = small(ModelFamily::gpt2);
  const LanguageModel model(config, 1);
  const auto decayed = static_cast<double>(model.decayed());
  const double all = flops_of([&] {
    for (Index i = 0; i < model.parameter_count(); ++i) {
      kOne + kOne* kOne;  // the norm
      const Counted g = kOne * kOne, m = kOne * kOne + kOne * g, v = kOne * kOne + kOne * g * g;
      kOne - kOne*(m / kOne) / (sqrt(v / kOne) + kOne);
    }
  });
  const TrainingCost cost = training_cost(model, {}, 2, 8);
  EXPECT_EQ(cost.optimizer.flops, all + decayed);
  const double sgd = flops_of([&] {
    for (Index i = 0; i < model.parameter_count(); ++i) kOne + kOne *kOne, kOne - kOne *kOne *kOne;
  });
  TrainerOptions options;
  options.optimizer = TrainingOptimizer::sgd;
  const Cost plain = training_cost(model, options, 2, 8).optimizer;
  EXPECT_EQ(plain.flops, sgd + decayed);
  options.momentum = 0.9;
  const Cost with_momentum = training_cost(model, options, 2, 8).optimizer;

  const auto parameters = static_cast<double>(model.parameter_count());
  const auto saved = static_cast<double>(model.saved_count(2, 8));
  EXPECT_EQ(cost.forward.bytes(), 4 * (parameters + saved + 2 * 16));
  EXPECT_EQ(cost.backward.bytes(), 4 * (2 * parameters + saved + 2 * 16));
  EXPECT_EQ(cost.optimizer.bytes(), 4 * 7 * parameters);
  EXPECT_EQ(plain.bytes(), 4 * 3 * parameters);
  EXPECT_EQ(with_momentum.flops, plain.flops + 2 * parameters);  // momentum m + g
  EXPECT_EQ(with_momentum.bytes(), 4 * 5 * parameters);
  EXPECT_EQ(error_of([&] { training_cost(model, options, 0, 8); }),
            "training_cost: batches: must be at least 1, is 0");
  EXPECT_EQ(error_of([&] { training_cost(model, options, 1, -1); }),
            "training_cost: tokens: must be at least 1, is -1");
}

TEST(TrainingStep, TimesItsParts) {
  LanguageModel model(small(ModelFamily::llama), 1);
  TrainerOptions options;
  options.batch = 4;
  Trainer trainer(model, options);
  const TrainingStep step = trainer.step(testing::stream(300));
  EXPECT_GT(std::min({step.forward_seconds, step.backward_seconds, step.optimizer_seconds}), 0);
  EXPECT_LE(step.forward_seconds + step.backward_seconds + step.optimizer_seconds, step.seconds);
}

}  // namespace
}  // namespace tril
