// Encoder-decoders in training: the core's EncoderDecoder and EncoderDecoderTrainer, which
// JavaScript owns.
#include <emscripten/bind.h>
#include <tril/model/encoder_decoder_file.h>
#include <tril/model/training_text.h>
#include <tril/training/sequence_tasks.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "guard.h"
#include "parameters.h"

namespace tril::js {

namespace {

// The parts of a SequenceTraining.
struct SequencePlan {
  EncoderDecoderConfig config;
  EncoderDecoderTrainerOptions options;  // its seed is the parameters' as well
};

// An encoder-decoder in training that JavaScript owns. Its memory counts as the engine's.
class SequenceTraining {
 public:
  SequenceTraining(Engine& given, const SequencePlan& plan)
      : engine(given), model(plan.config, plan.options.seed), trainer(model, plan.options) {
    count_bytes();
  }
  ~SequenceTraining() { engine.usage.bytes -= bytes_; }
  SequenceTraining(const SequenceTraining&) = delete;
  SequenceTraining& operator=(const SequenceTraining&) = delete;

  Engine& engine;
  EncoderDecoder model;
  EncoderDecoderTrainer trainer;

  // To be called after each call that may have taken memory.
  void count_bytes() noexcept {
    const auto moments = 2 * static_cast<std::size_t>(model.values().size(0)) * sizeof(float);
    const auto now = static_cast<double>(model.bytes() + moments + trainer.scratch_bytes());
    engine.usage.bytes += now - bytes_;
    bytes_ = now;
  }

 private:
  double bytes_ = 0;
};

using SequenceTrainingHandle = std::shared_ptr<SequenceTraining>;

// Batches in JavaScript's arrays.
struct Batches {
  std::vector<std::int32_t> tokens;
  std::vector<EncoderDecoderBatch> all;

  Batches(const Integers& given, const Integers& given_sizes, bool have_answers = true)
      : tokens(numbers_of(given)) {
    const std::vector<std::int32_t> sizes = numbers_of(given_sizes);
    const std::int32_t* at = tokens.data();
    const auto take = [&](Index rows, Index length) {
      const EncoderDecoder::Tokens view(at, {rows, length});
      at += view.count();
      return view;
    };
    for (std::size_t n = 0; n < sizes.size(); n += 3) {
      EncoderDecoderBatch& batch = all.emplace_back();
      batch.source = take(sizes[n], sizes[n + 1]);
      batch.target = take(sizes[n], sizes[n + 2]);
      if (have_answers) batch.answers = take(sizes[n], sizes[n + 2]);
    }
  }
};

// Makes a trainer from settings, names and texts in turn, and from a checkpoint to go on from,
// which may be empty. Throws Error for whatever does not fit, before any step.
//
//   settings: those of the checkpoint, or the defaults;  then those given
SequenceTrainingHandle make_sequence_trainer(Engine& engine, const Names& settings,
                                             const Bytes& checkpoint) {
  const Metadata given = pairs_of(settings);
  const auto file = emscripten::convertJSArrayToNumberVector<unsigned char>(checkpoint);
  SequencePlan plan;
  Safetensors stored;
  if (file.empty()) {
    set_settings(given, plan.config, plan.options);
    Schedule& schedule = plan.options.schedule;
    schedule = usual_schedule(schedule.learning_rate, schedule.steps);
  } else {
    stored = parse_safetensors(std::as_bytes(std::span(file)));
    const EncoderDecoderCheckpoint read = read_encoder_decoder_checkpoint(stored);
    plan.config = read.config, plan.options = read.options;
  }
  set_settings(given, plan.config, plan.options);
  auto training = std::make_shared<SequenceTraining>(engine, plan);
  if (!file.empty()) restore_checkpoint(stored, training->trainer);
  return training;
}

// Takes a step over batches that follow each other in `tokens`. Each has its sources [B, S],
// targets [B, T] and answers [B, T]; `sizes` has B, S and T of each batch.
Numbers sequence_step(SequenceTraining& training, const Integers& tokens, const Integers& sizes) {
  const Batches batches(tokens, sizes);
  const TrainingStep step = training.trainer.step(batches.all, training.engine.context);
  training.count_bytes();
  return to_javascript(step);
}

// Gives the mean loss, the number of answers that count, and of those that are held most likely.
Numbers sequence_evaluate(SequenceTraining& training, const Integers& tokens,
                          const Integers& sizes) {
  ModelLoss all;
  for (const auto& [source, target, answers] : Batches(tokens, sizes).all) {
    const ModelLoss loss =
        training.trainer.evaluate(source, target, answers, training.engine.context);
    all.sum += loss.sum, all.counted += loss.counted, all.correct += loss.correct;
  }
  training.count_bytes();
  return to_javascript(
      {all.mean(), static_cast<double>(all.counted), static_cast<double>(all.correct)});
}

// Gives the logits [B, T, V] of a batch without answers; [T, V] where `single`.
TensorHandle sequence_logits(SequenceTraining& training, const Integers& tokens,
                             const Integers& sizes, bool single) {
  const Batches given(tokens, sizes, false);
  const EncoderDecoder::Tokens &source = given.all[0].source, &target = given.all[0].target;
  const MatrixView<const float> found =
      training.model.logits(source, target, training.engine.context);
  training.count_bytes();
  DynamicShape shape{target.size(1), found.size(1)};
  if (!single) shape.insert(shape.begin(), target.size(0));
  auto made = std::make_shared<Tensor>(training.engine, shape, "logits");
  std::copy_n(found.data(), found.count(), made->data());
  return made;
}

// For each row, the number of its tokens, followed by these.
Integers sequence_translate(SequenceTraining& training, const Integers& source, int rows, int begin,
                            int end, int tokens) {
  const std::vector<std::int32_t> ids = numbers_of(source);
  const auto said = training.model.translate(
      {ids.data(), {rows, static_cast<Index>(ids.size()) / rows}},
      {.begin = begin, .end = end, .tokens = tokens}, training.engine.context);
  training.count_bytes();
  std::vector<std::int32_t> all;
  for (const auto& row : said) {
    all.push_back(static_cast<std::int32_t>(row.size()));
    all.insert(all.end(), row.begin(), row.end());
  }
  return to_javascript(all);
}

double sequence_done(const SequenceTraining& training) {
  return static_cast<double>(training.trainer.steps());
}

double sequence_parameter_count(const SequenceTraining& training) {
  Index count = 0;
  for (const StoredParameter& each : stored_parameters(training.model.weights())) {
    count += each.count();
  }
  return static_cast<double>(count);
}

Names sequence_settings(const SequenceTraining& training) {
  return to_javascript(checkpoint_settings(training.model.config(), training.trainer.options()));
}

// Gives copies of the "parameters", "gradients", "first" or "second" moments.
NamedTensors sequence_tensors(SequenceTraining& training, const std::string& which,
                              const Names& names) {
  const EncoderDecoder& model = training.model;
  const VectorView<const float> memory = which == "parameters"  ? model.values()
                                         : which == "gradients" ? model.gradient()
                                         : which == "first"     ? training.trainer.first_moment()
                                                                : training.trainer.second_moment();
  return copies_of(training.engine, stored_parameters(model, memory), names, which.c_str());
}

void sequence_set_parameters(SequenceTraining& training, const Names& names,
                             const NamedTensors& values) {
  set_parameters(stored_parameters(training.model.weights()), names, values);
}

Bytes sequence_save(const SequenceTraining& training) {
  return tril::js::to_javascript(checkpoint_file(training.trainer));
}

void sequence_restore(SequenceTraining& training, const Bytes& checkpoint) {
  const auto file = emscripten::convertJSArrayToNumberVector<unsigned char>(checkpoint);
  restore_checkpoint(parse_safetensors(std::as_bytes(std::span(file))), training.trainer);
}

// The sources of a batch of a task, followed by its targets and its answers.
Integers draw_sequence_batch(const std::string& task, int rows, int tokens, int vocabulary,
                             double seed, double step) {
  SequenceBatch batch;
  draw_sequences(value_named(kSequenceTasks, task, "draw_sequences", "task"), rows, tokens,
                 vocabulary, static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(step),
                 batch);
  for (const auto* part : {&batch.target, &batch.answers}) {
    batch.source.insert(batch.source.end(), part->begin(), part->end());
  }
  return to_javascript(batch.source);
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_sequence_trainer) {
  using namespace emscripten;
  class_<SequenceTraining>("_SequenceTrainer")
      .smart_ptr<SequenceTrainingHandle>("_SequenceTrainerHandle")
      .function("step", guard<&sequence_step>)
      .function("evaluate", guard<&sequence_evaluate>)
      .function("logits", guard<&sequence_logits>)
      .function("translate", guard<&sequence_translate>)
      .function("done", guard<&sequence_done>)
      .function("parameterCount", guard<&sequence_parameter_count>)
      .function("settings", guard<&sequence_settings>)
      .function("tensors", guard<&sequence_tensors>)
      .function("setParameters", guard<&sequence_set_parameters>)
      .function("save", guard<&sequence_save>)
      .function("restore", guard<&sequence_restore>);
  function("_sequenceTrainer", guard<&make_sequence_trainer>);
  function("_drawSequences", guard<&draw_sequence_batch>);
}

}  // namespace tril::js
