// A small model in training, for trainer_test.cc and trainer_errors_test.cc.
#pragma once

#include <gtest/gtest.h>
#include <tril/model/model_file.h>

#include <memory>
#include <vector>

#include "core/compare.h"

namespace tril::testing {

inline ModelConfig tiny(ModelFamily family = ModelFamily::gpt2) {
  ModelConfig config = ModelConfig::of(family);
  config.layers = 2, config.heads = 2, config.width = 16, config.context = 8,
  config.vocabulary = 11;
  return config;
}

struct Training {
  std::unique_ptr<LanguageModel> model;
  std::unique_ptr<Trainer> trainer;
  std::vector<double> losses;

  explicit Training(const ModelConfig& config = tiny(), const TrainerOptions& options = quick()) {
    model = std::make_unique<LanguageModel>(config, 7);
    trainer = std::make_unique<Trainer>(*model, options);
  }
  static TrainerOptions quick() {
    TrainerOptions options;
    options.batch = 4;
    options.schedule = {.learning_rate = 1e-2, .lowest = 1e-3, .warmup = 5, .steps = 120};
    return options;
  }
  void go(int steps, const std::vector<std::int32_t>& tokens, int threads = 1) {
    Parallel parallel(threads);
    for (int n = 0; n < steps; ++n) losses.push_back(trainer->step(tokens, parallel).loss);
  }
  void expect_same(const Training& other) const {
    EXPECT_EQ(losses, other.losses);
    EXPECT_TRUE(equal(model->values(), other.model->values()));
    EXPECT_TRUE(equal(trainer->first_moment(), other.trainer->first_moment()));
    EXPECT_TRUE(equal(trainer->second_moment(), other.trainer->second_moment()));
  }
};

}  // namespace tril::testing
