// Encoder-decoders in training: the core's EncoderDecoder and its Trainer, which JavaScript owns.
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
#include "learner.h"

namespace tril::js {

namespace {

// An encoder-decoder in training that JavaScript owns. The seed of the options also draws its
// parameters.
class SequenceTraining : public Learner {
 public:
  SequenceTraining(Engine& given, const EncoderDecoderConfig& config, const TrainerOptions& options)
      : Learner(given, {}), model(config, options.seed), trainer(model, options) {
    count_bytes();
  }

  Trainer& learning() noexcept override { return trainer; }

  EncoderDecoder model;
  Trainer trainer;

 protected:
  std::size_t bytes() const noexcept override { return model.bytes(); }
};

using SequenceTrainingHandle = std::shared_ptr<SequenceTraining>;

// Makes a trainer from settings, as names and values in turn, and from a checkpoint to resume,
// which may be empty. Throws Error for anything that does not fit, before any step.
//
//   settings: those of the checkpoint, or the defaults;  then those given
SequenceTrainingHandle make_sequence_trainer(Engine& engine, const Names& settings,
                                             const Bytes& checkpoint) {
  const Metadata given = pairs_of(settings);
  const std::string file = text_of(checkpoint);
  EncoderDecoderCheckpoint plan;
  Safetensors stored;
  if (file.empty()) {
    set_settings(given, plan.config, plan.options);
    Schedule& schedule = plan.options.schedule;
    schedule = default_schedule(schedule.learning_rate, schedule.steps);
  } else {
    stored = parse_safetensors(std::as_bytes(std::span(file)));
    plan = read_encoder_decoder_checkpoint(stored);
  }
  set_settings(given, plan.config, plan.options);
  auto training = std::make_shared<SequenceTraining>(engine, plan.config, plan.options);
  if (!file.empty()) training->restore(stored);
  return training;
}

// Gives the logits [B, T, V] of a batch without labels; [T, V] where `single`.
TensorHandle sequence_logits(SequenceTraining& training, const Integers& tokens,
                             const Integers& sizes, bool single) {
  const GivenBatches given(tokens, sizes, false);
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

// For each row, the number of its tokens, followed by the tokens.
Integers sequence_translate(SequenceTraining& training, const Integers& source, int rows, int begin,
                            int end, int tokens) {
  const auto outputs = training.model.translate(GivenRows(source).all(rows),
                                                {.begin = begin, .end = end, .tokens = tokens},
                                                training.engine.context);
  training.count_bytes();
  std::vector<std::int32_t> all;
  for (const auto& row : outputs) {
    all.push_back(static_cast<std::int32_t>(row.size()));
    all.insert(all.end(), row.begin(), row.end());
  }
  return to_javascript(all);
}

// The sources of a batch of a task, followed by its targets and its labels.
Integers draw_sequence_batch(const std::string& task, int rows, int tokens, int vocabulary,
                             double seed, double step) {
  SequenceBatch batch;
  draw_sequences(value_named(kSequenceTasks, task, "draw_sequences", "task"), rows, tokens,
                 vocabulary, static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(step),
                 batch);
  for (const auto* part : {&batch.target, &batch.labels}) {
    batch.source.insert(batch.source.end(), part->begin(), part->end());
  }
  return to_javascript(batch.source);
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_sequence_trainer) {
  using namespace emscripten;
  class_<SequenceTraining, base<Learner>>("_SequenceTrainer")
      .smart_ptr<SequenceTrainingHandle>("_SequenceTrainerHandle")
      .function("logits", guard<&sequence_logits>)
      .function("translate", guard<&sequence_translate>);
  function("_sequenceTrainer", guard<&make_sequence_trainer>);
  function("_drawSequences", guard<&draw_sequence_batch>);
}

}  // namespace tril::js
