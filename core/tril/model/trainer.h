// Training of language models: batches from a stream of tokens, gradients, clipping, and updates by
// a schedule.
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
  // Trains a model. Throws Error for options out of range, and for an objective that does not fit
  // the model.
  Trainer(LanguageModel& model, const TrainerOptions& options);
  // Trains only an adapter of a model: gradients, their norm, moments and weight decay are those of
  // A and B.
  Trainer(LoraAdapter& adapter, const TrainerOptions& options);

  // A training step. Throws Error where the stream is too short or has an id that is not a token,
  // and where the loss or the gradient is not finite. The latter error names the first gradient
  // that is not finite in the order of the backward pass, from the head through the layers to the
  // embedding; a tied matrix counts as the head where the loss is not finite, else as the
  // embedding. Parameters and moments are then unchanged.
  TrainingStep step(std::span<const std::int32_t> stream, const Context& context = {});

  // The same for any number of sequences that the caller has chosen, tokens and targets [B, T]. The
  // gradient is that of the mean over all targets that count. Throws Error as
  // LanguageModel::accumulate does, before anything is written, and as above.
  TrainingStep step(MatrixView<const std::int32_t> tokens, MatrixView<const std::int32_t> targets,
                    const Context& context = {});

  // From now on computes only this part of every batch, and adds up its gradients with those of the
  // other processes, which all make the same steps. Throws Error for a part that does not exist,
  // and for more than one without add_up.
  void set_share(TrainingShare share);

  // The loss over `windows` windows, evenly spaced in a stream that is not trained on.
  ModelLoss evaluate(std::span<const std::int32_t> stream, Index windows,
                     const Context& context = {});
  // The same over as many windows as fit without overlap, and at most 20 batches.
  ModelLoss evaluate(std::span<const std::int32_t> stream, const Context& context = {});
  // The loss of targets [B, T]. Throws Error as LanguageModel::loss does.
  ModelLoss evaluate(MatrixView<const std::int32_t> tokens, MatrixView<const std::int32_t> targets,
                     const Context& context = {});

  // The model that is trained.
  LanguageModel& model() noexcept { return model_; }
  // The same.
  const LanguageModel& model() const noexcept { return model_; }
  // The given options.
  const TrainerOptions& options() const noexcept { return step_options_; }
  // The adapter that is trained; null: the whole model.
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
