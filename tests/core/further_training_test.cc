// Further training of models, from the values of a model for inference.
#include <gtest/gtest.h>
#include <tril/model/pretrained.h>
#include <tril/model/trainer.h>

#include <algorithm>
#include <string>

#include "core/compare.h"
#include "core/golden_models.h"
#include "core/token_stream.h"
#include "core/training_run.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;
using testing::stream;
using testing::tiny;
using testing::Training;

// A model for inference with these values.
ModelParameters held(const LanguageModel& model) {
  ModelParameters parameters(model.config());
  zip_parameters(
      [](const ParameterName&, const auto& from, const auto& to) {
        if (from) std::copy_n(from.data(), from.count(), to.data());
      },
      model.weights(), parameters.floats());
  return parameters;
}

TEST(FurtherTraining, StepsAreThoseOfTheModelItself) {
  for (const auto& [name, family] : kModelFamilies) {
    SCOPED_TRACE(name);
    Training run(tiny(family));
    run.go(3, stream(300));
    LanguageModel further(held(*run.model));
    EXPECT_TRUE(further.config() == run.model->config());
    EXPECT_TRUE(equal(further.values(), run.model->values()));
    Trainer one(further, Training::quick()), other(*run.model, Training::quick());
    for (int n = 0; n < 3; ++n) EXPECT_EQ(one.step(stream(300)).loss, other.step(stream(300)).loss);
    EXPECT_TRUE(equal(further.values(), run.model->values()));
  }
}

// The values of a folder, with 16 bits per number, and as q8_0.
TEST(FurtherTraining, TakesWhatAFolderHas) {
  for (const ParameterMemory weights : {ParameterMemory::as_in_files, ParameterMemory::q8_0}) {
    const PretrainedModel model =
        read_pretrained(testing::folder_of("qwen3"), {.weights = weights});
    LanguageModel further(model.parameters, 12, 0.25);
    EXPECT_EQ(further.config().context, 12);
    EXPECT_EQ(further.config().dropout, 0.25);
    TrainerOptions options = Training::quick();
    Trainer trainer(further, options);
    const double before = trainer.evaluate(stream(300), 8).mean();
    for (int n = 0; n < 20; ++n) trainer.step(stream(300));
    EXPECT_LT(trainer.evaluate(stream(300), 8).mean(), before);
  }
}

TEST(FurtherTraining, WhatCannotBeIsRefused) {
  const ModelParameters parameters = held(LanguageModel(tiny(), 1));
  EXPECT_EQ(error_of([&] { LanguageModel(parameters, 7); }),
            error_of([&] { with_context(parameters.config(), 7, "LanguageModel"); }));
  EXPECT_NE(error_of([&] { LanguageModel(parameters, 0, 1.5); }).find("dropout"),
            std::string::npos);
  EXPECT_EQ(error_of([] { LanguageModel(ModelParameters(tiny(), ParameterMemory::as_in_files)); }),
            "LanguageModel: parameters: have not been read");
}

}  // namespace
}  // namespace tril
