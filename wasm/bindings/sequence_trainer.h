// Encoder-decoders in training: the core's EncoderDecoder and EncoderDecoderTrainer, which
// JavaScript owns.
#pragma once

#include <tril/model/encoder_decoder_file.h>

#include <memory>
#include <string>

#include "parameters.h"

namespace tril::js {

// What a SequenceTraining is made from.
struct SequencePlan {
  EncoderDecoderConfig config;
  EncoderDecoderTrainerOptions options;  // its seed is the parameters' as well
};

// What it takes counts as the engine's.
class SequenceTraining {
 public:
  SequenceTraining(Engine& engine, const SequencePlan& plan);
  ~SequenceTraining();
  SequenceTraining(const SequenceTraining&) = delete;
  SequenceTraining& operator=(const SequenceTraining&) = delete;

  Engine& engine;
  EncoderDecoder model;
  EncoderDecoderTrainer trainer;

  // After whatever may have taken memory.
  void count_bytes() noexcept;

 private:
  double bytes_ = 0;
};

using SequenceTrainingHandle = std::shared_ptr<SequenceTraining>;

// From settings, names and texts by turns, and perhaps a checkpoint to go on from. Throws Error for
// whatever does not fit, before any step.
SequenceTrainingHandle make_sequence_trainer(Engine& engine, const Names& settings,
                                             const Bytes& checkpoint);

// The exports of one. Batches lie one behind the other in `tokens`, of each its sources [B, S],
// targets [B, T] and answers [B, T]; `sizes` has B, S and T of each.
Numbers sequence_step(SequenceTraining& training, const Integers& tokens, const Integers& sizes);
// Mean loss, answers that count, and those that are held most likely.
Numbers sequence_evaluate(SequenceTraining& training, const Integers& tokens,
                          const Integers& sizes);
// [B, T, V] of one batch, whose answers are none; [T, V] where `single`.
TensorHandle sequence_logits(SequenceTraining& training, const Integers& tokens,
                             const Integers& sizes, bool single);
// Of each of so many rows how many tokens are said, and these.
Integers sequence_translate(SequenceTraining& training, const Integers& source, int rows, int begin,
                            int end, int tokens);
double sequence_done(const SequenceTraining& training);
double sequence_parameter_count(const SequenceTraining& training);
Names sequence_settings(const SequenceTraining& training);
// Copies of the "parameters", "gradients", "first" or "second" moments.
NamedTensors sequence_tensors(SequenceTraining& training, const std::string& which,
                              const Names& names);
void sequence_set_parameters(SequenceTraining& training, const Names& names,
                             const NamedTensors& values);
Bytes sequence_save(const SequenceTraining& training);
void sequence_restore(SequenceTraining& training, const Bytes& checkpoint);

// Sources, targets and answers of a task, one behind the other.
Integers draw_sequence_batch(const std::string& task, int rows, int tokens, int vocabulary,
                             double seed, double step);

}  // namespace tril::js
