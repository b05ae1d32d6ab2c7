// Training: batches from a stream of tokens, gradients, clipping, and steps by a schedule.
//
//   LanguageModel model(config, seed);
//   Trainer trainer(model, options);
//   while (trainer.steps() < 2000) {
//     const TrainingStep step = trainer.step(tokens, parallel);  // step.loss, step.gradient_norm
//   }
#pragma once

#include <tril/model/batches.h>
#include <tril/model/gradient_trainer.h>
#include <tril/model/lora.h>

#include <cstdint>
#include <span>
#include <string>

namespace tril {

// Trains a language model, or an adapter for one, on windows of a stream or on given sequences.
class Trainer : public GradientTrainer {
 public:
  // Throws Error for options out of range, and for an objective that the model is not made for.
  Trainer(LanguageModel& model, const TrainerOptions& options);
  // Of an adapter's model, of which the adapter alone moves: gradients, their norm, moments and
  // weight decay are those of A and B.
  Trainer(LoraAdapter& adapter, const TrainerOptions& options);

  // One step. Throws Error where the stream is too short or holds what is not a token; and where
  // the loss or the gradient is not finite, saying which parameter's gradient went first: of those
  // that are not finite, the one that the backward pass comes to first, from the head through the
  // layers to the embedding. A tied matrix is the head where the loss is not finite, else the
  // embedding. Parameters and moments are then as they were before.
  TrainingStep step(std::span<const std::int32_t> stream, const Context& context = {});

  // The same over sequences that the caller has chosen, tokens and targets [B, T], however many:
  // the gradient is that of the mean over all targets that count. Throws Error as
  // LanguageModel::accumulate does, before anything is written, and as above.
  TrainingStep step(MatrixView<const std::int32_t> tokens, MatrixView<const std::int32_t> targets,
                    const Context& context = {});

  // From here on only this part of every batch is computed, and its gradients are added up with
  // those of the others, which all step alike. Throws Error for a part that there is not, or more
  // than one without add_up.
  void set_share(TrainingShare share);

  // The loss over so many windows, evenly spaced in a stream that is not trained on.
  ModelLoss evaluate(std::span<const std::int32_t> stream, Index windows,
                     const Context& context = {});
  // The same over as many as fit side by side, and those of 20 batches at most.
  ModelLoss evaluate(std::span<const std::int32_t> stream, const Context& context = {});
  // The loss of targets [B, T]. Throws Error as LanguageModel::loss does.
  ModelLoss evaluate(MatrixView<const std::int32_t> tokens, MatrixView<const std::int32_t> targets,
                     const Context& context = {});

  // The one it was given.
  LanguageModel& model() noexcept { return model_; }
  // The same.
  const LanguageModel& model() const noexcept { return model_; }
  // As they were given.
  const TrainerOptions& options() const noexcept { return step_options_; }
  // The one it was given; null: the whole model moves.
  LoraAdapter* adapter() noexcept { return adapter_; }
  const LoraAdapter* adapter() const noexcept { return adapter_; }
  Metadata settings() const override;
  TrainerState read_state(const Safetensors& file) const override;

 private:
  Trainer(LanguageModel& model, LoraAdapter* adapter, const TrainerOptions& options);
  std::string not_finite(double loss) const override;

  LanguageModel& model_;
  LoraAdapter* adapter_;
  TokenBatch batch_;
};

}  // namespace tril
