// Steps of AdamW that train an encoder-decoder on batches that are given.
//
//   SequenceBatch batch;
//   for (std::uint64_t n = 0; n < 400; ++n) {
//     draw_sequences(SequenceTask::reverse, 32, 6, 9, seed, n, batch);
//     trainer.step(batch.view(batch.source), batch.view(batch.target), batch.view(batch.labels),
//                  parallel);
//   }
#pragma once

#include <tril/model/encoder_decoder.h>
#include <tril/model/gradient_trainer.h>

#include <cstdint>
#include <span>
#include <string>

namespace tril {

// Sequences that are computed together.
using EncoderDecoderBatch = TrainingBatch;

// The betas and eps of Vaswani et al. 2017, section 5.3.
struct EncoderDecoderTrainerOptions {
  // Of learning rates.
  Schedule schedule = {.learning_rate = 1e-3, .lowest = 1e-4, .warmup = 100, .steps = 2000};
  double beta1 = 0.9;         // how much of AdamW's first moment a step keeps
  double beta2 = 0.98;        // and of its second
  double eps = 1e-9;          // added to the root of the second
  double weight_decay = 0;    // of matrices
  double clip = 1;            // the largest norm of the gradient; 0: any
  std::uint64_t seed = 1337;  // what dropout leaves out
};

// Trains an encoder-decoder on batches that are given.
class EncoderDecoderTrainer : public GradientTrainer {
 public:
  // As the model takes them.
  using Tokens = EncoderDecoder::Tokens;

  // Throws Error for options out of range.
  EncoderDecoderTrainer(EncoderDecoder& model, const EncoderDecoderTrainerOptions& options);

  // One step against the gradient of the mean loss of the labels that count. Throws Error as
  // EncoderDecoder::loss does, before anything is written; and where the loss or the gradient is
  // not finite, saying which parameter's gradient is not: parameters and moments are then as they
  // were.
  TrainingStep step(Tokens source, Tokens target, Tokens labels, const Context& context = {});
  // The same over several batches, one after the other, whose gradients are added up: of any
  // lengths, and only the largest takes memory. Names the batch that does not fit,
  // "batches.2.labels".
  TrainingStep step(std::span<const EncoderDecoderBatch> batches, const Context& context = {});
  // The loss, and nothing moves.
  ModelLoss evaluate(Tokens source, Tokens target, Tokens labels, const Context& context = {}) {
    return model_.loss(source, target, labels, own(context));
  }

  // The one it was given.
  EncoderDecoder& model() noexcept { return model_; }
  // The same.
  const EncoderDecoder& model() const noexcept { return model_; }
  // As they were given.
  const EncoderDecoderTrainerOptions& options() const noexcept { return options_; }
  Metadata settings() const override;
  TrainerState read_state(const Safetensors& file) const override;

 private:
  std::string not_finite(double loss) const override;

  EncoderDecoder& model_;
  EncoderDecoderTrainerOptions options_;
};

}  // namespace tril
