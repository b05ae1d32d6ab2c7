// Errors of a trainer: nothing has changed, and the next step works.
#include <gtest/gtest.h>
#include <tril/model/encoder_decoder_file.h>
#include <tril/model/model_file.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/token_stream.h"
#include "core/training_run.h"

namespace tril {
namespace {

using testing::error_of;
using testing::stream;
using testing::tiny;
using testing::Training;

TEST(Trainer, ACheckpointOfAnotherRunIsRefusedAndNothingChanges) {
  Training run;
  run.go(2, stream(300));
  const std::vector<std::byte> file = checkpoint_file(*run.trainer);
  const auto refused = [&](const ModelConfig& config, const TrainerOptions& options) {
    Training other(config, options);
    const std::vector<float> before(other.model->values().data(),
                                    other.model->values().data() + other.model->values().size(0));
    const std::string message =
        error_of([&] { restore_checkpoint(parse_safetensors(file), *other.trainer); });
    EXPECT_TRUE(std::equal(before.begin(), before.end(), other.model->values().data()));
    EXPECT_EQ(other.trainer->steps(), 0);
    return message;
  };
  ModelConfig wide = tiny();
  wide.width = 32;
  EXPECT_EQ(refused(wide, Training::quick()),
            "restore_checkpoint: model.width: is 32, and in the checkpoint 16");
  TrainerOptions seeded = Training::quick();
  seeded.seed = 8;
  EXPECT_EQ(refused(tiny(), seeded),
            "restore_checkpoint: trainer.seed: is 8, and in the checkpoint 1337");
  const std::vector<std::byte> weights = model_file(*run.model);
  EXPECT_EQ(error_of([&] { read_checkpoint(parse_safetensors(weights)); }),
            "read_checkpoint: model.family: is missing: this is no checkpoint");
  Safetensors cut = parse_safetensors(file);
  std::erase_if(cut.tensors,
                [](const NamedTensor& each) { return each.name == "second_moment.h.1.ln_2.bias"; });
  EXPECT_EQ(error_of([&] { restore_checkpoint(cut, *run.trainer); }),
            "restore_checkpoint: second_moment.h.1.ln_2.bias: is not in the file");
  EXPECT_EQ(error_of([&] { read_encoder_decoder_checkpoint(cut); }),
            "read_checkpoint: checkpoint: is that of a language model");
  cut.metadata["model.heads"] = "two";
  EXPECT_EQ(error_of([&] { read_checkpoint(cut); }),
            "read_checkpoint: model.heads: \"two\" cannot be read");
}

TEST(Trainer, NamesTheBatchThatDoesNotFit) {
  Training run;
  const std::int32_t good[] = {1, 2}, bad[] = {1, 99};
  const MatrixView<const std::int32_t> fits(good, {1, 2}), beyond(bad, {1, 2});
  const TrainingBatch batches[] = {{{}, fits, fits}, {{}, fits, beyond}, {fits, fits, fits}};
  for (const bool steps : {true, false}) {
    const auto refused = [&](std::span<const TrainingBatch> given) {
      return error_of([&] {
        if (steps) run.trainer->step(given);
        run.trainer->evaluate(given);
      });
    };
    const std::string call = steps ? "Trainer::step: " : "Trainer::evaluate: ";
    EXPECT_EQ(refused({}), call + "batches: there are none");
    EXPECT_EQ(refused({batches, 2}).find(call + "batches.1.targets: 99 at [0, 1]"), 0u);
    EXPECT_EQ(refused({batches + 2, 1}), call + "source: is for an encoder-decoder");
    EXPECT_EQ(run.trainer->steps(), 0);
  }
}

// An infinite bias after the last layer makes logits infinite and their softmax NaN: in the
// backward pass the head is the first to fail, which is the embedding's matrix if it is tied.
TEST(Trainer, StopsWhereTheLossIsNotFiniteAndKeepsTheLastGoodState) {
  for (const bool tied : {true, false}) {
    ModelConfig config = tiny();
    config.tied_head = tied;
    Training run(config), before(config);
    const std::vector<std::int32_t> tokens = stream(300);
    run.go(3, tokens), before.go(3, tokens);
    for (Training* each : {&run, &before}) {
      each->model->weights().final_norm.bias[3] = std::numeric_limits<float>::infinity();
    }
    const std::string message = error_of([&] { run.trainer->step(tokens); });
    EXPECT_EQ(message, std::string("Trainer::step: loss: is nan in step 3: the gradient of ") +
                           (tied ? "wte.weight" : "lm_head.weight") + " went first");
    EXPECT_EQ(run.trainer->steps(), 3);
    run.expect_same(before);
    for (Training* each : {&run, &before}) each->model->weights().final_norm.bias[3] = 0;
    run.go(1, tokens), before.go(1, tokens);
    run.expect_same(before);
  }
}

// Gradients that are damaged after the backward pass, by whoever adds up several.
TEST(Trainer, NamesTheGradientThatWentFirst) {
  const auto spoilt = [](const ModelConfig& config, const std::vector<std::string>& names,
                         float with = std::numeric_limits<float>::quiet_NaN(), double sum = 1) {
    Training run(config);
    run.trainer->set_share({0, 1, [&](VectorView<float>, std::span<double> sums) {
                              sums[0] *= sum;
                              for (const StoredParameter& each :
                                   stored_parameters(config, run.model->gradients())) {
                                if (std::ranges::count(names, each.name)) each.data[0] = with;
                              }
                            }});
    const std::string message = error_of([&] { run.trainer->step(stream(300)); });
    EXPECT_EQ(run.trainer->steps(), 0);
    return message.substr(message.find(": the ") + 2);
  };
  // The embedding's part of a tied matrix comes last, unless the loss itself is not finite.
  const std::vector<std::string> some = {"wte.weight", "h.0.ln_1.weight", "h.1.attn.c_attn.weight",
                                         "h.0.mlp.c_proj.bias"};
  EXPECT_EQ(spoilt(tiny(), some), "the gradient of h.1.attn.c_attn.weight went first");
  EXPECT_EQ(spoilt(tiny(), {"wte.weight"}), "the gradient of wte.weight went first");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(spoilt(tiny(), some, nan, nan), "the gradient of wte.weight went first");
  EXPECT_EQ(spoilt(tiny(ModelFamily::llama),
                   {"model.norm.weight", "model.embed_tokens.weight", "lm_head.weight"}),
            "the gradient of lm_head.weight went first");
  EXPECT_EQ(spoilt(tiny(ModelFamily::llama),
                   {"model.layers.1.mlp.gate_proj.weight", "model.layers.1.mlp.down_proj.weight"}),
            "the gradient of model.layers.1.mlp.down_proj.weight went first");
  EXPECT_EQ(spoilt(tiny(), {}, nan, nan), "the gradients are finite");
}

// The square of such a gradient exceeds a float, but its norm does not.
TEST(Trainer, ClipsGradientsWhoseSquaresAreBeyondAFloat) {
  Training run;
  run.trainer->set_share({0, 1, [&](VectorView<float>, std::span<double>) {
                            for (const StoredParameter& each :
                                 stored_parameters(run.model->config(), run.model->gradients())) {
                              if (each.name == "wte.weight") each.data[0] = 1e30f;
                            }
                          }});
  run.go(1, stream(300));
  EXPECT_EQ(run.trainer->steps(), 1);
  const float* values = run.model->values().data();
  EXPECT_TRUE(std::all_of(values, values + run.model->values().size(0),
                          [](float x) { return std::isfinite(x); }));
}

TEST(Trainer, RefusesOptionsOutOfRange) {
  const auto refused = [](auto change) {
    TrainerOptions options = Training::quick();
    ModelConfig config = tiny();
    change(options, config);
    return error_of([&] { Training run(config, options); });
  };
  using O = TrainerOptions&;
  using C = ModelConfig&;
  EXPECT_EQ(refused([](O o, C) { o.batch = 0; }),
            "Trainer: batch: must be from 1 to 16777216, is 0");
  EXPECT_EQ(refused([](O o, C) { o.clip = -1; }),
            "Trainer: clip: must be finite and at least 0, is -1");
  EXPECT_NE(refused([](O o, C) { o.schedule.learning_rate = 0; }).find("learning_rate"),
            std::string::npos);
  EXPECT_NE(refused([](O o, C) { o.beta2 = 1; }).find("beta2"), std::string::npos);
  EXPECT_EQ(refused([](O o, C) { o.momentum = 0.9; }),
            "Trainer: momentum: is sgd's, and this is adamw");
  EXPECT_EQ(refused([](O o, C) { o.optimizer = TrainingOptimizer::sgd, o.momentum = 1; }),
            "sgd_step: momentum: must be at least 0 and below 1, is 1");
  EXPECT_EQ(refused([](O, C c) { c.causal = false; }),
            "Trainer: objective: the next token is for a model that is causal");
  EXPECT_EQ(refused([](O o, C) { o.batches.objective = TrainingObjective::masked; }),
            "Trainer: objective: masked tokens are for a model that is not causal");
  EXPECT_EQ(refused([](O o, C c) {
              o.batches = {TrainingObjective::masked, 11, 11};
              c.causal = false;
            }),
            "Trainer: mask_token: is outside the vocabulary (0..10)");
  Training run;
  EXPECT_EQ(error_of([&] { run.trainer->step(stream(8)); }),
            "draw_batch: stream: has 8 tokens, and a window with the token after it 9");
  run.go(1, stream(9));
}

}  // namespace
}  // namespace tril
