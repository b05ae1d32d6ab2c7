// Training: batches from a stream of tokens, gradients, clipping, and steps by a schedule.
//
//   LanguageModel model(config, seed);
//   Trainer trainer(model, options);
//   while (trainer.steps() < 2000) {
//     const TrainingStep step = trainer.step(tokens, parallel);  // step.loss, step.gradient_norm
//   }
#pragma once

#include <tril/foundation/named.h>
#include <tril/model/batches.h>
#include <tril/model/lora.h>
#include <tril/training/optimizers.h>
#include <tril/training/schedule.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace tril {

// How parameters move against their gradients (training/optimizers.h): by AdamW, or by stochastic
// gradient descent, which takes a momentum, and neither betas nor eps.
enum class TrainingOptimizer : std::uint8_t { adamw, sgd };
// Their names.
inline constexpr Named<TrainingOptimizer> kTrainingOptimizers[] = {
    {"adamw", TrainingOptimizer::adamw}, {"sgd", TrainingOptimizer::sgd}};

// nanoGPT's recipe for characters on a CPU (Karpathy 2022).
struct TrainerOptions {
  Index batch = 12;        // windows whose gradients are computed at once
  Index accumulation = 1;  // batches whose gradients make one step
  // Of learning rates.
  Schedule schedule = {.learning_rate = 1e-3, .lowest = 1e-4, .warmup = 100, .steps = 2000};
  TrainingOptimizer optimizer = TrainingOptimizer::adamw;
  double beta1 = 0.9;         // how much of AdamW's first moment a step keeps
  double beta2 = 0.99;        // and of its second
  double eps = 1e-8;          // added to the root of the second
  double momentum = 0;        // of SGD: how much of the last move a step keeps
  double weight_decay = 0.1;  // of matrices; 0 for all else
  double clip = 1;            // the largest norm of the gradient; 0: any
  std::uint64_t seed = 1337;  // which windows, and what dropout leaves out
  BatchOptions batches = {};  // what the targets are

  friend bool operator==(const TrainerOptions&, const TrainerOptions&);
};

// What a step was.
struct TrainingStep {
  std::int64_t step = 0;     // its number, from 0
  double loss = 0;           // before it, the mean of all targets, in nats
  double gradient_norm = 0;  // before clipping
  double learning_rate = 0;  // of the schedule
  double seconds = 0;        // that it took
  Index tokens = 0;          // that were looked at

  // Parts of these seconds:
  double forward_seconds = 0;    // the forward pass, with the loss
  double backward_seconds = 0;   // the backward pass
  double optimizer_seconds = 0;  // clipping and moving the parameters
};

// How several trainers, each with a model of its own in a process of its own, train one together:
// each computes the gradients of its part of every batch.
struct TrainingShare {
  Index part = 0;   // from 0 to below parts
  Index parts = 1;  // at most a batch
  // gradient and sums become, in every process, the sums over all of them. With from_first, only
  // part 0 needs the gradient's.
  std::function<void(VectorView<float> gradient, std::span<double> sums)> add_up = {};
  // The bytes become those of part 0 in every process. With it part 0 alone decides and moves the
  // parameters, and has the moments; the others take over its loss, norm and parameters. Where each
  // computes them on its own, processors of several kinds round differently and drift apart. All
  // must begin with the same parameters.
  std::function<void(std::span<std::byte>)> from_first = {};
};

// Owns the moments and borrows the model, or its adapter. What happens in a step is a function of
// the model, the moments, the options, the stream and the step's number alone: who restores these
// goes on with the same bits, on any number of threads.
class Trainer {
 public:
  // Throws Error for options out of range, and for an objective that the model is not made for.
  Trainer(LanguageModel& model, const TrainerOptions& options);
  // Of an adapter's model, of which the adapter alone moves: gradients, their norm, moments and
  // weight decay are those of A and B.
  Trainer(LoraAdapter& adapter, const TrainerOptions& options);

  // One step. Throws Error where the stream is too short or holds what is no token; and where the
  // loss or the gradient is not finite, saying which parameter's gradient went first: of those that
  // are not finite, the one that the backward pass comes to first, from the head through the layers
  // to the embedding. A tied matrix is the head where the loss is not finite, else the embedding.
  // Parameters and moments are then as they were before.
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
  const TrainerOptions& options() const noexcept { return options_; }
  // How many steps are done.
  std::int64_t steps() const noexcept { return steps_; }
  // The one it was given; null: the whole model moves.
  LoraAdapter* adapter() noexcept { return adapter_; }
  const LoraAdapter* adapter() const noexcept { return adapter_; }
  // What it moves: the values of the adapter, or those of the model.
  VectorView<float> values() noexcept { return adapter_ ? adapter_->values() : model_.values(); }
  // AdamW's, laid out as these values. SGD's momentum is in the first.
  VectorView<float> first_moment() noexcept { return first_; }
  VectorView<float> second_moment() noexcept { return second_; }
  VectorView<const float> first_moment() const noexcept { return first_; }
  VectorView<const float> second_moment() const noexcept { return second_; }
  // After values and moments were put back as they were when so many steps were done. Throws Error
  // below 0.
  void set_steps(std::int64_t steps);
  // Bytes of working memory that steps have needed.
  std::size_t scratch_bytes() const noexcept { return scratch_.capacity(); }

 private:
  Trainer(LanguageModel& model, LoraAdapter* adapter, const TrainerOptions& options);
  [[noreturn]] void fail_not_finite(double loss) const;

  LanguageModel& model_;
  LoraAdapter* adapter_;
  TrainerOptions options_;
  Buffer<float, 1> first_, second_;
  std::int64_t steps_ = 0;
  TrainingShare share_;
  TokenBatch batch_;
  Scratch scratch_;
};

}  // namespace tril
