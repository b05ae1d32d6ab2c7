// Encoder-decoders in training: steps, checkpoints, decoding, and tasks with known answers.
#include <gtest/gtest.h>
#include <tril/model/encoder_decoder_file.h>
#include <tril/model/model_file.h>
#include <tril/training/sequence_tasks.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/encoder_decoder_run.h"
#include "core/gradient.h"
#include "core/sanitized.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;
using testing::kQuick;
using Drawn = testing::DrawnSequences;
using Training = testing::SequenceRun;

EncoderDecoderConfig small() { return testing::small_encoder_decoder(); }

TEST(EncoderDecoderTrainer, AStepOverSeveralBatchesIsOneOverAllOfThem) {
  const Drawn all(4, 4, 3, 1);
  const auto half = [&](Index first) {
    const TrainingBatch whole = all.batch();
    const auto part = [&](const EncoderDecoder::Tokens& of) {
      return EncoderDecoder::Tokens(of.data() + first * of.size(1), {2, of.size(1)});
    };
    return TrainingBatch{part(whole.source), part(whole.target), part(whole.labels)};
  };
  Training together, apart;
  const TrainingStep one = together.trainer.step(all.batch());
  const TrainingBatch batches[] = {half(0), half(2)};
  const TrainingStep two = apart.trainer.step(batches);
  EXPECT_EQ(one.tokens, two.tokens);
  // Each token's terms are the same to the bit; the sums over the tokens of both sides, of 4
  // sequences with fewer than 16 tokens, are in another order.
  constexpr double kReordered = 4 * 16 * testing::kRounding;
  EXPECT_NEAR(one.loss, two.loss, kReordered * one.loss);
  EXPECT_NEAR(one.gradient_norm, two.gradient_norm, kReordered * one.gradient_norm);
  const ModelLoss of_all = together.trainer.evaluate(all.batch());
  const ModelLoss of_two = together.trainer.evaluate(batches);
  EXPECT_EQ(of_all.counted, of_two.counted);
  EXPECT_NEAR(of_all.sum, of_two.sum, kReordered * of_all.sum);
  // Each tensor is compared relative to its largest element.
  const auto a = stored_parameters(together.model.gradients());
  const auto b = stored_parameters(apart.model.gradients());
  for (std::size_t n = 0; n < a.size(); ++n) {
    Index count = 1;
    for (const Index size : a[n].shape) count *= size;
    const VectorView<const float> expected(a[n].data, {count}), found(b[n].data, {count});
    EXPECT_TRUE(testing::close(expected, found, kReordered * testing::max_abs(expected)))
        << a[n].name;
  }
}

TEST(EncoderDecoderTrainer, ARunThatWasStoppedGoesOnWithTheSameBits) {
  EncoderDecoderConfig config = small();
  config.dropout = 0.2;
  TrainerOptions options = kQuick;
  options.seed = 12345678901234567u;
  Training whole(config, options), stopped(config, options);
  whole.go(7, 2);
  stopped.go(3);
  const std::vector<std::byte> file = checkpoint_file(stopped.trainer, {{"seed", "3"}});
  const Safetensors parsed = parse_safetensors(file);
  EXPECT_EQ(parsed.metadata.at("seed"), "3");
  EXPECT_EQ(parsed.tensors.size(), 3 * stored_parameters(stopped.model.weights()).size());
  const EncoderDecoderCheckpoint checkpoint = read_encoder_decoder_checkpoint(parsed);
  EXPECT_EQ(checkpoint.config, config);
  EXPECT_EQ(checkpoint_settings(checkpoint.config, checkpoint.options),
            checkpoint_settings(config, options));
  EXPECT_EQ(checkpoint.steps, 3);
  Training resumed(checkpoint.config, checkpoint.options, 4);
  resumed.go(1);  // replaces the old state
  restore_checkpoint(parsed, resumed.trainer);
  EXPECT_EQ(resumed.trainer.steps(), 3);
  EXPECT_EQ(resumed.state(), stopped.state());
  resumed.losses = stopped.losses;
  resumed.go(4, 3);
  EXPECT_EQ(resumed.losses, whole.losses);
  EXPECT_EQ(resumed.state(), whole.state());
}

TEST(EncoderDecoderTrainer, LeavesOutBySeedStepAndBatch) {
  EncoderDecoderConfig config = small();
  config.dropout = 0.5;
  const Drawn drawn(2, 4, 3, 1);
  const TrainingBatch twice[] = {drawn.batch(), drawn.batch()};
  // The loss of the first step of a fixed model, over several copies of one batch.
  const auto loss = [&](std::uint64_t seed, std::int64_t number, std::size_t copies) {
    TrainerOptions options = kQuick;
    options.seed = seed;
    Training run(config, options);
    run.trainer.set_steps(number);
    return run.trainer.step(std::span(twice, copies)).loss;
  };
  const double once = loss(1, 0, 1);
  EXPECT_EQ(loss(1, 0, 1), once);
  EXPECT_NE(loss(2, 0, 1), once);
  EXPECT_NE(loss(1, 1, 1), once);
  EXPECT_NE(loss(1, 0, 2), once);
  Training dropping(config), none;
  EXPECT_EQ(dropping.trainer.evaluate(drawn.batch()).sum, none.trainer.evaluate(drawn.batch()).sum);
}

TEST(EncoderDecoderTrainer, ACheckpointFromBeforeThereWasDropoutIsRead) {
  Training run, resumed;
  run.go(1);
  const std::vector<std::byte> file = checkpoint_file(run.trainer);
  Safetensors older = parse_safetensors(file);
  older.metadata.erase("model.dropout"), older.metadata.erase("trainer.seed");
  restore_checkpoint(older, resumed.trainer);
  EXPECT_EQ(resumed.state(), run.state());
}

TEST(EncoderDecoderTrainer, ParametersHavePyTorchsNamesAndMomentsLieAsTheyDo) {
  Training run;
  run.go(1);
  const auto stored = stored_parameters(run.model.weights());
  const auto shape_of = [&](const std::string& name) {
    const auto at = std::find_if(stored.begin(), stored.end(),
                                 [&](const StoredParameter& each) { return each.name == name; });
    return at == stored.end() ? std::vector<Index>{} : at->shape;
  };
  using Sizes = std::vector<Index>;
  EXPECT_EQ(stored[0].name, "src_tok_emb.embedding.weight");
  EXPECT_EQ(shape_of("tgt_tok_emb.embedding.weight"), (Sizes{7, 8}));
  EXPECT_EQ(shape_of("transformer.encoder.layers.1.self_attn.in_proj_weight"), (Sizes{24, 8}));
  EXPECT_EQ(shape_of("transformer.decoder.layers.0.multihead_attn.out_proj.bias"), (Sizes{8}));
  EXPECT_EQ(shape_of("transformer.decoder.norm.weight"), (Sizes{8}));
  EXPECT_EQ(shape_of("generator.bias"), (Sizes{7}));
  const auto moments = run.model.parameters(run.trainer.first_moment());
  const auto gradients = run.model.parameters(run.model.gradient());
  ASSERT_EQ(moments.size(), stored.size());
  Index all = 0;
  for (std::size_t n = 0; n < stored.size(); ++n) {
    EXPECT_EQ(moments[n].name, stored[n].name);
    EXPECT_EQ(moments[n].shape, stored[n].shape);
    all += stored[n].count();
    // AdamW's first moment after a step is a tenth of the gradient, which clipping scales evenly.
    for (Index i = 1; i < stored[n].count(); ++i) {
      const auto at = [&](const auto& list, Index j) {
        return static_cast<double>(list[n].data[j]);
      };
      ASSERT_NEAR(at(moments, i) * at(gradients, 0), at(moments, 0) * at(gradients, i),
                  1e-6 * std::fabs(at(moments, i) * at(gradients, 0)) + 1e-12)
          << stored[n].name << " at " << i;
    }
  }
  EXPECT_EQ(all, parameter_count(run.model.weights()));
}

TEST(EncoderDecoderTrainer, ACheckpointOfAnotherRunIsRefusedAndNothingChanges) {
  Training run;
  run.go(2);
  const std::vector<std::byte> file = checkpoint_file(run.trainer);
  const auto refused = [](const Safetensors& from, Training& other) {
    const std::vector<float> before = other.state();
    const std::string message = error_of([&] { restore_checkpoint(from, other.trainer); });
    EXPECT_EQ(other.state(), before);
    EXPECT_EQ(other.trainer.steps(), 0);
    return message;
  };
  EncoderDecoderConfig wide = small();
  wide.hidden = 16;
  Training other(wide);
  EXPECT_EQ(refused(parse_safetensors(file), other),
            "restore_checkpoint: model.hidden: is 16, and in the checkpoint 12");
  TrainerOptions options = kQuick;
  options.clip = 2;
  Training clipped(small(), options), same;
  EXPECT_EQ(refused(parse_safetensors(file), clipped),
            "restore_checkpoint: trainer.clip: is 2, and in the checkpoint 1");
  Safetensors cut = parse_safetensors(file);
  std::erase_if(cut.tensors, [](const NamedTensor& each) {
    return each.name == "second_moment.generator.bias";
  });
  EXPECT_EQ(refused(cut, same),
            "restore_checkpoint: second_moment.generator.bias: is not in the file");
  cut.metadata["model.norm"] = "before";
  EXPECT_NE(refused(cut, same).find("read_checkpoint: model.norm: unknown norm \"before\""),
            std::string::npos);
  cut.metadata.erase("model.norm");
  EXPECT_EQ(refused(cut, same), "read_checkpoint: model.norm: is missing: this is no checkpoint");
  EXPECT_EQ(error_of([&] { read_checkpoint(cut); }),
            "read_checkpoint: checkpoint: is that of an encoder-decoder");
  // The total number of steps may differ.
  options = kQuick, options.schedule.steps = 40;
  Training longer(small(), options);
  restore_checkpoint(parse_safetensors(file), longer.trainer);
  EXPECT_EQ(longer.state(), run.state());
  EXPECT_EQ(error_of([&] {
              checkpoint_file(run.trainer, {{"a.b", "c"}});
            }),
            "checkpoint_file: a.b: has a dot in it");
  EXPECT_EQ(error_of([&] { run.trainer.set_steps(-1); }),
            "EncoderDecoderTrainer::set_steps: steps: must be at least 0, is -1");
  EncoderDecoderConfig config = small();
  EXPECT_EQ(error_of([&] {
              set_settings({{"model.heads", "4"}, {"model.layers", "1"}}, config, options);
            }),
            "set_settings: model.layers: there is no such setting");
  EXPECT_EQ(config, small());
  set_settings({{"model.heads", "4"}, {"trainer.clip", "0.5"}}, config, options);
  EXPECT_EQ(config.heads, 4);
  EXPECT_EQ(options.clip, 0.5);
}

// The output of a model token by token, each from the previous output, read from the logits.
std::vector<std::vector<std::int32_t>> said_by(EncoderDecoder& model,
                                               const EncoderDecoder::Tokens& source, Index tokens) {
  const Index rows = source.size(0);
  std::vector<std::vector<std::int32_t>> said(static_cast<std::size_t>(rows));
  std::vector<std::int32_t> target(static_cast<std::size_t>(rows * tokens), kBeginToken);
  for (Index t = 0; t < tokens; ++t) {
    const MatrixView<const float> logits = model.logits(source, {target.data(), {rows, tokens}});
    for (Index b = 0; b < rows; ++b) {
      const Index n = b * tokens + t;
      const float* const row = logits[n].data();
      const auto best = std::max_element(row, row + logits.size(1)) - row;
      said[static_cast<std::size_t>(b)].push_back(static_cast<std::int32_t>(best));
      if (t + 1 < tokens) target[static_cast<std::size_t>(n + 1)] = static_cast<std::int32_t>(best);
    }
  }
  return said;
}

TEST(EncoderDecoder, SaysWhatItHoldsMostLikely) {
  Training run;
  run.go(5);
  const Drawn drawn(3, 4, 3, 9);
  const EncoderDecoder::Tokens source = drawn.batch().source;
  const auto said = run.model.translate(source, {});
  EXPECT_EQ(said, said_by(run.model, source, 5));  // as many as the context holds
  auto shorter = said;
  for (auto& row : shorter) row.resize(2);
  EXPECT_EQ(run.model.translate(source, {.tokens = 2}), shorter);
  // A row ends before its end token, while others go on.
  auto ended = said;
  const std::int32_t end = said[0][1];
  for (auto& row : ended) row.erase(std::find(row.begin(), row.end(), end), row.end());
  EXPECT_EQ(run.model.translate(source, {.end = end}), ended);

  const auto refused = [&](const EncoderDecoder::Tokens& from, const TranslateOptions& options) {
    return error_of([&] { run.model.translate(from, options); });
  };
  const std::string call = "EncoderDecoder::translate: ";
  EXPECT_EQ(refused({}, {}), call + "source: no tensor given");
  EXPECT_EQ(refused(source, {.tokens = 6}),
            call + "tokens: must be from 1 to the context, 5, is 6");
  EXPECT_EQ(refused(source, {.tokens = -1}),
            call + "tokens: must be from 1 to the context, 5, is -1");
  EXPECT_EQ(refused(source, {.begin = 7}), call + "begin: 7 is outside the vocabulary (0..6)");
  EXPECT_EQ(refused(source, {.begin = -1}), call + "begin: must be at least 0, is -1");
  EXPECT_EQ(refused(source, {.end = 7}), call + "end: 7 is outside the vocabulary (0..6)");
  EXPECT_EQ(run.model.translate(source, {}), said);
}

TEST(EncoderDecoder, SaysTheSameFromItsCachesWherePositionsTurn) {
  EncoderDecoderConfig config;
  config.source_vocabulary = config.target_vocabulary = 9, config.context = 6;
  config.encoder_layers = config.decoder_layers = 2, config.heads = 2;
  config.width = 16, config.hidden = 24;
  config.positions = SequencePositions::rotary, config.gated = true;
  EncoderDecoder model(config, 7);
  const Drawn drawn(3, 4, 3, 9);
  const EncoderDecoder::Tokens source = drawn.batch().source;
  EXPECT_EQ(model.translate(source, {}), said_by(model, source, 6));
}

TEST(EncoderDecoderTrainer, LearnsToReverseAndToSort) {
  if (TRIL_SANITIZED) GTEST_SKIP() << "every step of it is watched in other tests";
  for (const SequenceTask task : {SequenceTask::reverse, SequenceTask::sort}) {
    SCOPED_TRACE(std::string(name_of(kSequenceTasks, task)));
    EncoderDecoderConfig config;
    config.source_vocabulary = config.target_vocabulary = 9, config.context = 6;
    config.encoder_layers = config.decoder_layers = 1, config.heads = 2;
    config.width = 32, config.hidden = 64, config.norm = NormOrder::pre;
    EncoderDecoder model(config, 1);
    TrainerOptions options = TrainerOptions::for_sequences();
    options.schedule = {.learning_rate = 5e-3, .lowest = 5e-4, .warmup = 20, .steps = 400};
    Trainer trainer(model, options);
    SequenceBatch batch, unseen;
    double first = 0;
    for (std::uint64_t n = 0; n < 400; ++n) {
      draw_sequences(task, 32, 6, 9, 1, n, batch);
      const double loss =
          trainer
              .step({batch.view(batch.source), batch.view(batch.target), batch.view(batch.labels)})
              .loss;
      if (n == 0) first = loss;
    }
    EXPECT_GT(first, std::log(8.0));
    EXPECT_EQ(trainer.steps(), 400);
    draw_sequences(task, 64, 6, 9, 2, 0, unseen);
    const ModelLoss loss = trainer.evaluate(
        {unseen.view(unseen.source), unseen.view(unseen.target), unseen.view(unseen.labels)});
    EXPECT_LT(loss.mean(), 0.02);
    EXPECT_EQ(loss.correct, loss.counted);
    std::vector<std::int32_t> said;
    for (const auto& row : model.translate(unseen.view(unseen.source), {})) {
      said.insert(said.end(), row.begin(), row.end());
    }
    EXPECT_EQ(said, unseen.labels);
  }
}

TEST(EncoderDecoderTrainer, StopsWhereTheLossIsNoNumber) {
  Training run;
  run.go(1);
  run.model.weights().transformer.encoder.layers[1].linear1.bias[2] =
      std::numeric_limits<float>::infinity();
  const std::vector<float> before = run.state();
  const std::string message = error_of([&] { run.go(1); });
  EXPECT_NE(message.find("EncoderDecoderTrainer::step: loss: is nan in step 1: the gradient of "),
            std::string::npos)
      << message;
  EXPECT_EQ(run.state(), before);
  EXPECT_EQ(run.trainer.steps(), 1);
}

TEST(EncoderDecoderTrainer, RejectsWhatDoesNotFit) {
  Training run;
  const std::vector<float> before = run.state();
  const auto refused = [&](std::span<const TrainingBatch> batches) {
    return error_of([&] { run.trainer.step(batches); });
  };
  const std::string call = "EncoderDecoderTrainer::step: ";
  EXPECT_EQ(refused({}), call + "batches: there are none");
  const Drawn good(2, 4, 3, 1);
  Drawn bad(2, 4, 3, 2);
  bad.labels[4] = 7;
  const TrainingBatch batches[] = {good.batch(), bad.batch(), {}};
  EXPECT_EQ(refused({batches, 2}),
            call + "batches.1.labels: 7 at [1, 1] is outside the vocabulary (0..6)");
  EXPECT_EQ(refused({batches + 1, 1}),
            call + "labels: 7 at [1, 1] is outside the vocabulary (0..6)");
  EXPECT_EQ(refused({batches + 2, 1}), call + "source: no tensor given");
  EXPECT_EQ(run.state(), before);
  EXPECT_EQ(run.trainer.steps(), 0);
  run.go(1);
  EXPECT_EQ(run.trainer.steps(), 1);

  const auto trainer = [&](const auto& change) {
    TrainerOptions options = TrainerOptions::for_sequences();
    change(options);
    return error_of([&] { Trainer made(run.model, options); });
  };
  using Options = TrainerOptions&;
  EXPECT_EQ(trainer([](Options options) { options.clip = -1; }),
            "EncoderDecoderTrainer: clip: must be finite and at least 0, is -1");
  EXPECT_EQ(trainer([](Options options) { options.beta1 = 1; }),
            "adamw_step: beta1: must be at least 0 and below 1, is 1");
  const auto kept = [](const std::string& name) {
    return "EncoderDecoderTrainer: " + name + ": must be that of TrainerOptions::for_sequences()";
  };
  EXPECT_EQ(trainer([](Options options) { options.batch = 12; }), kept("batch"));
  EXPECT_EQ(trainer([](Options options) { options.accumulation = 2; }), kept("accumulation"));
  EXPECT_EQ(trainer([](Options options) { options.optimizer = TrainingOptimizer::sgd; }),
            kept("optimizer"));
  EXPECT_EQ(trainer([](Options options) { options.batches.vocabulary = 2; }), kept("batches"));

  const std::vector<std::int32_t> stream(100);
  const std::string streams = "stream: is for language models; this model needs batches";
  EXPECT_EQ(error_of([&] { run.trainer.step(stream); }), call + streams);
  EXPECT_EQ(error_of([&] { run.trainer.evaluate(stream); }),
            "EncoderDecoderTrainer::evaluate: " + streams);
  EXPECT_EQ(
      error_of([&] { run.trainer.evaluate(bad.batch()); }),
      "EncoderDecoderTrainer::evaluate: labels: 7 at [1, 1] is outside the vocabulary (0..6)");
}

}  // namespace
}  // namespace tril
