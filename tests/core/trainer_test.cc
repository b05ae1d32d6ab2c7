// Training: steps, batches, and that a resumed run continues with the same bits.
#include <gtest/gtest.h>
#include <tril/foundation/random.h>
#include <tril/model/model_file.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/compare.h"
#include "core/token_stream.h"
#include "core/training_run.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;
using testing::stream;
using testing::tiny;
using testing::Training;

// Sums in two orders differ by as many roundings as they have terms.
constexpr double reordered(int terms) { return terms * 0x1p-24; }

TEST(Trainer, LossesFallToWhatTheStreamAllows) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    Training run(tiny(family));
    const std::vector<std::int32_t> seen = stream(2000), unseen = stream(500, 2);
    // At first all tokens are about equally likely: a logit is a sum of 16 numbers of a norm, whose
    // squares are 1 on average, times weights of deviation 0.02. The limit is five deviations.
    EXPECT_NEAR(run.trainer->evaluate(unseen, 40).mean(), std::log(11.0), 5 * 0.02 * std::sqrt(16));
    run.go(120, seen);
    // The loss of a model that knows the rule: ten of eleven next tokens follow it, or happen to
    // equal it.
    const double known = 0.9 + 0.1 / 11, other = 0.1 / 11;
    const double floor = -known * std::log(known) - 10 * other * std::log(other);
    const ModelLoss loss = run.trainer->evaluate(unseen, 40);
    EXPECT_LT(loss.mean(), 1.5 * floor);
    EXPECT_EQ(loss.counted, 40 * 8);
    EXPECT_GT(loss.correct, 40 * 8 * 3 / 4);
    EXPECT_EQ(run.trainer->steps(), 120);
  }
}

TEST(Trainer, GivesTheSameBitsOnAnyNumberOfThreads) {
  ModelConfig config = tiny();
  config.dropout = 0.1;
  Training one(config), three(config);
  one.go(6, stream(300));
  three.go(6, stream(300), 3);
  one.expect_same(three);
}

// Twelve windows at once, or in three parts: the gradient is that of the mean over all of them, a
// sum over 12 windows of 8 tokens.
TEST(Trainer, AccumulatesTheGradientOfOneLargeBatch) {
  TrainerOptions whole = Training::quick(), parts = Training::quick();
  whole.batch = 12, parts.accumulation = 3;
  Training a(tiny(), whole), b(tiny(), parts);
  const TrainingStep first = a.trainer->step(stream(300));
  const TrainingStep second = b.trainer->step(stream(300));
  EXPECT_NEAR(first.loss, second.loss, reordered(12 * 8) * first.loss);
  EXPECT_NEAR(first.gradient_norm, second.gradient_norm, reordered(12 * 8) * first.gradient_norm);
  EXPECT_EQ(first.tokens, second.tokens);
}

// Eight windows, four at a time, as one batch and as two.
TEST(Trainer, TakesSeveralBatches) {
  Training together, apart;
  TokenBatch drawn;
  draw_batch(stream(300), 8, tiny().context, {}, 1, 0, drawn);
  const auto part = [&](Index first, Index count) {
    return TrainingBatch{{}, drawn.tokens_of(first, count), drawn.targets_of(first, count)};
  };
  const TrainingBatch halves[] = {part(0, 4), part(4, 4)};
  together.losses.push_back(together.trainer->step(part(0, 8)).gradient_norm);
  apart.losses.push_back(apart.trainer->step(halves).gradient_norm);
  together.expect_same(apart);
  drawn.targets[33] = 11;
  EXPECT_EQ(error_of([&] { apart.trainer->step(halves); }),
            "Trainer::step: batches.1.targets: 11 at [0, 1] is outside the vocabulary (0..10)");
}

// Two trainers with half of each batch, one after the other: the second's gradient is added to the
// first's. A gradient is a sum over 4 windows of 8 tokens, whose order changes it by 32 roundings;
// with dropout the halves drop the same elements as the whole.
TEST(Trainer, SharesOutItsBatches) {
  for (const double dropout : {0.0, 0.2}) {
    ModelConfig config = tiny();
    config.dropout = dropout;
    Training whole(config), first(config), second(config);
    std::vector<float> gradient;
    double sum = 0;
    second.trainer->set_share({1, 2, [&](VectorView<float> own, std::span<double> sums) {
                                 gradient.assign(own.data(), own.data() + own.size(0));
                                 sum = sums[0];
                               }});
    first.trainer->set_share({0, 2, [&](VectorView<float> own, std::span<double> sums) {
                                for (Index i = 0; i < own.size(0); ++i) {
                                  own[i] += gradient[static_cast<std::size_t>(i)];
                                }
                                sums[0] += sum;
                              }});
    const std::vector<std::int32_t> tokens = stream(300);
    second.trainer->step(tokens);
    const TrainingStep shared = first.trainer->step(tokens);
    const TrainingStep expected = whole.trainer->step(tokens);
    constexpr double kReordered = reordered(4 * 8);
    EXPECT_NEAR(shared.loss, expected.loss, kReordered * expected.loss);
    EXPECT_NEAR(shared.gradient_norm, expected.gradient_norm, kReordered * expected.gradient_norm);
    EXPECT_EQ(shared.tokens, expected.tokens);
    // Each tensor is compared relative to its largest element.
    const auto of_first = stored_parameters(config, first.model->gradients());
    const auto of_whole = stored_parameters(config, whole.model->gradients());
    for (std::size_t n = 0; n < of_whole.size(); ++n) {
      Index count = 1;
      for (const Index size : of_whole[n].shape) count *= size;
      const VectorView<const float> a(of_first[n].data, {count}), b(of_whole[n].data, {count});
      EXPECT_TRUE(testing::close(a, b, kReordered * testing::max_abs(b))) << of_whole[n].name;
    }
  }
  Training run;
  const auto refused = [&](const TrainingShare& share) {
    return error_of([&] { run.trainer->set_share(share); });
  };
  EXPECT_EQ(refused({0, 5}),
            "Trainer::set_share: parts: must be from 1 to the 4 windows of a batch, is 5");
  EXPECT_EQ(refused({2, 2}), "Trainer::set_share: part: must be from 0 to below 2, is 2");
  EXPECT_EQ(refused({0, 2}), "Trainer::set_share: add_up: is missing");
  run.go(1, stream(300));
}

// The update is computed in part 0 alone, as with processors of several kinds: the other part,
// whose moments differ here, ends with the same bits.
TEST(Trainer, LetsThePartThatIsFirstDecide) {
  Training first, second;
  const std::vector<std::int32_t> tokens = stream(300);
  std::vector<float> gradient;
  double sum = 0;
  std::vector<std::vector<std::byte>> told;
  second.trainer->first_moment()[0] = 1;
  second.trainer->second_moment()[1] = 2;
  first.trainer->set_share(
      {0, 2,
       [&](VectorView<float> own, std::span<double> sums) {
         for (Index i = 0; i < own.size(0); ++i) {
           own[i] += gradient[static_cast<std::size_t>(i)];
         }
         sums[0] += sum;
       },
       [&](std::span<std::byte> bytes) { told.emplace_back(bytes.begin(), bytes.end()); }});
  TrainingStep shared;
  second.trainer->set_share({1, 2,
                             [&](VectorView<float> own, std::span<double> sums) {
                               gradient.assign(own.data(), own.data() + own.size(0));
                               sum = sums[0];
                             },
                             [&](std::span<std::byte> bytes) {
                               if (told.empty()) shared = first.trainer->step(tokens);
                               ASSERT_EQ(told.front().size(), bytes.size());
                               std::ranges::copy(told.front(), bytes.begin());
                               told.erase(told.begin());
                             }});
  for (int n = 0; n < 3; ++n) {
    const TrainingStep step = second.trainer->step(tokens);
    EXPECT_EQ(step.loss, shared.loss);
    EXPECT_EQ(step.gradient_norm, shared.gradient_norm);
    EXPECT_TRUE(told.empty());
    EXPECT_TRUE(equal(first.model->values(), second.model->values()));
  }
  EXPECT_EQ(second.trainer->first_moment()[0], 1);
  EXPECT_EQ(second.trainer->second_moment()[1], 2);
  // A loss that is not finite is so in all parts.
  second.trainer->set_share({1, 2, [](VectorView<float>, std::span<double>) {},
                             [](std::span<std::byte> bytes) {
                               const double decides[] = {std::nan(""), 1};
                               std::ranges::copy(std::as_bytes(std::span(decides)), bytes.begin());
                             }});
  EXPECT_NE(error_of([&] { second.trainer->step(tokens); }).find("loss: is nan in step 3"),
            std::string::npos);
  EXPECT_EQ(second.trainer->steps(), 3);
  EXPECT_TRUE(equal(first.model->values(), second.model->values()));
}

// Given windows count like drawn ones.
TEST(Trainer, TakesBatchesThatAreGiven) {
  TrainerOptions options = Training::quick();
  options.accumulation = 2;
  ModelConfig config = tiny();
  config.dropout = 0.1;
  Training drawn(config, options), given(config, options);
  const std::vector<std::int32_t> tokens = stream(300);
  drawn.go(3, tokens);
  for (std::uint64_t step = 0; step < 3; ++step) {
    TokenBatch batch;
    draw_batch(tokens, 8, config.context, options.batches, options.seed, step, batch);
    const TrainingStep done = given.trainer->step(batch.tokens_of(0, 8), batch.targets_of(0, 8));
    given.losses.push_back(done.loss);
    EXPECT_EQ(done.tokens, 64);
  }
  given.expect_same(drawn);
  TokenBatch measured;
  spaced_batch(tokens, 37, config.context, options.batches, options.seed, measured);
  const double mean = given.trainer->evaluate(tokens).mean();  // 37 fit side by side
  EXPECT_EQ(mean,
            given.trainer->evaluate(measured.tokens_of(0, 37), measured.targets_of(0, 37)).mean());
  // Only valid targets count.
  const std::int32_t ids[] = {1, 2, 3, 4}, targets[] = {2, kIgnoredTarget, kIgnoredTarget, 11};
  const MatrixView<const std::int32_t> row(ids, {1, 3}), wanted(targets, {1, 3});
  EXPECT_EQ(given.trainer->evaluate(row, wanted).counted, 1);
  const std::vector<float> gradient(given.model->gradient().data(),
                                    given.model->gradient().data() + 100);
  EXPECT_EQ(error_of([&] {
              given.trainer->step({ids, {1, 4}}, {targets, {1, 4}});
            }),
            "Trainer::step: targets: 11 at [0, 3] is outside the vocabulary (0..10)");
  EXPECT_TRUE(std::equal(gradient.begin(), gradient.end(), given.model->gradient().data()));
  EXPECT_EQ(given.trainer->steps(), 3);
}

TEST(Trainer, FollowsItsScheduleAndClips) {
  TrainerOptions options = Training::quick();
  options.clip = 1e-3;
  Training run(tiny(), options);
  const TrainingStep step = run.trainer->step(stream(300));
  EXPECT_EQ(step.learning_rate, scheduled_rate(options.schedule, 0));
  EXPECT_GT(step.gradient_norm, options.clip);
  // The first moment is a tenth of the gradient after clipping, which divides by 1e-6 more than the
  // norm; it is multiplied by two rounded numbers, with a float rounding after each.
  double squares = 0;
  for (Index i = 0; i < run.trainer->first_moment().size(0); ++i) {
    squares += std::pow(run.trainer->first_moment()[i] / 0.1, 2);
  }
  const double clipped = options.clip * step.gradient_norm / (step.gradient_norm + 1e-6);
  EXPECT_NEAR(std::sqrt(squares), clipped, 4 * 0x1p-24 * clipped);
}

// The formula of optimizers.h. Every product and every sum of a step is rounded once, and none
// exceeds the values and moves in it.
TEST(Trainer, MovesAgainstTheGradientWithMomentumAndWithout) {
  for (const double momentum : {0.0, 0.9}) {
    TrainerOptions options = Training::quick();
    options.optimizer = TrainingOptimizer::sgd, options.momentum = momentum;
    options.clip = 0, options.schedule.warmup = 0;
    Training run(tiny(), options);
    const VectorView<const float> values = run.model->values();
    const VectorView<const float> moves = run.trainer->first_moment();
    for (int n = 0; n < 3; ++n) {
      const std::vector<float> x(values.data(), values.data() + values.size(0));
      const std::vector<float> m(moves.data(), moves.data() + moves.size(0));
      const double rate = run.trainer->step(stream(300)).learning_rate;
      for (Index i = 0; i < values.size(0); ++i) {
        const double old = x[static_cast<std::size_t>(i)], last = m[static_cast<std::size_t>(i)];
        const double gradient = run.model->gradient()[i];
        const double decay = i < run.model->decayed() ? options.weight_decay * old : 0;
        const double move = momentum * last + gradient + decay;
        const double largest = std::fabs(momentum * last) + std::fabs(gradient) + std::fabs(decay);
        const double rounded = 3 * testing::kEpsilon * largest;
        ASSERT_NEAR(moves[i], momentum > 0 ? move : 0, rounded) << n << " at " << i;
        ASSERT_NEAR(values[i], old - rate * move,
                    rate * rounded + 2 * testing::kEpsilon * (std::fabs(old) + rate * largest))
            << n << " at " << i;
      }
    }
    EXPECT_EQ(testing::max_abs(std::as_const(*run.trainer).second_moment()), 0);
  }
}

TEST(Trainer, TrainsWhatHasNothingButMatrices) {
  ModelConfig config = tiny();
  config.norm = ModelNorm::none, config.biases = false;
  Training run(config);
  run.go(40, stream(300));
  EXPECT_LT(run.losses.back(), run.losses.front());
}

TEST(Trainer, ARunThatWasStoppedGoesOnWithTheSameBits) {
  TrainerOptions with_momentum = Training::quick();
  with_momentum.optimizer = TrainingOptimizer::sgd, with_momentum.momentum = 0.9;
  for (const auto& [family, options] : {std::pair(ModelFamily::gpt2, Training::quick()),
                                        {ModelFamily::llama, Training::quick()},
                                        {ModelFamily::gemma3_text, Training::quick()},
                                        {ModelFamily::gpt2, with_momentum}}) {
    ModelConfig config = tiny(family);
    config.dropout = 0.1;
    Training whole(config, options), stopped(config, options);
    const std::vector<std::int32_t> tokens = stream(400);
    whole.go(9, tokens);
    stopped.go(4, tokens);
    const std::vector<std::byte> file = checkpoint_file(*stopped.trainer, {{"data", "a.txt"}});
    const Safetensors parsed = parse_safetensors(file);
    EXPECT_EQ(parsed.metadata.at("data"), "a.txt");
    const Checkpoint checkpoint = read_checkpoint(parsed);
    EXPECT_EQ(checkpoint.config, config);
    EXPECT_EQ(checkpoint.options, options);
    EXPECT_EQ(checkpoint.steps, 4);
    Training resumed(checkpoint.config, checkpoint.options);
    resumed.go(2, tokens);  // replaces the old state
    restore_checkpoint(parsed, *resumed.trainer);
    resumed.losses = stopped.losses;
    resumed.go(5, tokens);
    resumed.expect_same(whole);
  }
}

// Gemma's files hold the w of norms that multiply by 1 + w; 0.3 is not 1 + (0.3 - 1) in floats.
TEST(Trainer, CheckpointsHoldNormsAndZerosBitByBit) {
  for (const ModelFamily family : {ModelFamily::llama, ModelFamily::gemma3_text}) {
    Training run(tiny(family));
    run.model->weights().layers[0].norm1.weight[3] = 0.3f;
    run.model->weights().final_norm.weight[5] = -0.0f;
    const std::vector<std::byte> file = checkpoint_file(*run.trainer);
    Training resumed(tiny(family));
    restore_checkpoint(parse_safetensors(file), *resumed.trainer);
    resumed.expect_same(run);
    EXPECT_TRUE(std::signbit(resumed.model->weights().final_norm.weight[5]));
  }
}

TEST(Trainer, FilesAreTheSamePieceByPiece) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    ModelConfig config = tiny(family);
    config.hidden = 1200;  // rows longer than a piece, and several pieces
    Training run(config);
    std::vector<std::byte> pieces;
    std::size_t largest = 0;
    const WritePiece collect = [&](std::span<const std::byte> piece) {
      pieces.insert(pieces.end(), piece.begin(), piece.end());
      largest = std::max(largest, piece.size());
    };
    write_checkpoint_file(*run.trainer, {{"data", "a.txt"}}, collect);
    EXPECT_EQ(pieces, checkpoint_file(*run.trainer, {{"data", "a.txt"}}));
    EXPECT_LE(largest, std::size_t{1} << 16);
    pieces.clear();
    write_model_file(*run.model, collect);
    EXPECT_EQ(pieces, model_file(*run.model));
    LanguageModel other(config, 3);
    load_model(parse_safetensors(pieces), other);
    EXPECT_TRUE(equal(other.values(), run.model->values()));
  }
}

TEST(Trainer, ModelsAreFiles) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    Training run(tiny(family));
    run.go(2, stream(300));
    LanguageModel other(tiny(family), 99);
    const std::vector<std::byte> file = model_file(*run.model);
    const Safetensors parsed = parse_safetensors(file);
    load_model(parsed, other);
    EXPECT_TRUE(equal(run.model->values(), other.values()));
    EXPECT_EQ(parsed.metadata.at("format"), "pt");
    LanguageModel wrong(tiny(family == ModelFamily::gpt2 ? ModelFamily::llama : ModelFamily::gpt2),
                        1);
    EXPECT_NE(error_of([&] { load_model(parsed, wrong); }).find("is not in the file"),
              std::string::npos);
  }
  const std::string gpt2 = model_config_json(tiny()),
                    llama = model_config_json(tiny(ModelFamily::llama));
  EXPECT_NE(gpt2.find("\"n_embd\": 16,\n"), std::string::npos);
  EXPECT_EQ(gpt2.find("tril_"), std::string::npos);
  EXPECT_NE(llama.find("\"intermediate_size\": 48,\n"), std::string::npos);
  EXPECT_NE(llama.find("\"rms_norm_eps\": 1e-05,\n"), std::string::npos);
  ModelConfig plain = tiny();
  plain.biases = false;
  EXPECT_NE(model_config_json(plain).find("\"tril_biases\": false\n"), std::string::npos);
}

TEST(Batches, AMaskedEncoderLearns) {
  ModelConfig config = tiny();
  config.causal = false, config.vocabulary = 12;
  TrainerOptions options = Training::quick();
  options.batches = {TrainingObjective::masked, 11, 11};
  options.batch = 16, options.schedule.steps = 400;
  Training run(config, options);
  run.go(400, stream(2000));
  const double loss = run.trainer->evaluate(stream(500, 2), 60).mean();
  EXPECT_LT(loss, 0.8 * std::log(11.0));
}

}  // namespace
}  // namespace tril
