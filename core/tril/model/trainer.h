// Training: gradients of batches, clipping by their norm, and updates by a schedule. One trainer
// serves everything that is Trainable. A language model (or its adapter) is trained on windows of a
// stream of tokens, or, like an encoder-decoder, on given batches.
//
//   LanguageModel model(config, seed);
//   Trainer trainer(model, options);
//   while (trainer.steps() < 2000) {
//     const TrainingStep step = trainer.step(tokens, parallel);  // step.loss, step.gradient_norm
//   }
//
//   EncoderDecoder model(config, seed);
//   Trainer trainer(model, TrainerOptions::for_sequences());
//   SequenceBatch batch;
//   for (std::uint64_t n = 0; n < 400; ++n) {
//     draw_sequences(SequenceTask::reverse, 32, 6, 9, seed, n, batch);
//     trainer.step({batch.view(batch.source), batch.view(batch.target), batch.view(batch.labels)});
//   }
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/message.h>
#include <tril/foundation/stopwatch.h>
#include <tril/model/batches.h>
#include <tril/model/trainable.h>
#include <tril/model/trainer_options.h>
#include <tril/training/optimizers.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tril {

// The result of a step.
struct TrainingStep {
  std::int64_t step = 0;     // number of the step, from 0
  double loss = 0;           // mean over all targets, in nats, before the update
  double gradient_norm = 0;  // norm of the gradient before clipping
  double learning_rate = 0;  // the rate of the schedule
  double seconds = 0;        // duration of the step
  Index tokens = 0;          // number of tokens in its batches

  // Parts of `seconds`:
  double forward_seconds = 0;    // the forward pass, with the loss
  double backward_seconds = 0;   // the backward pass
  double optimizer_seconds = 0;  // clipping and the update
};

// Data parallelism: several trainers, each with its own model in its own process, train one model
// together. Each computes the gradients of its part of every batch.
struct TrainingShare {
  Index part = 0;   // from 0 to below `parts`
  Index parts = 1;  // at most the size of a batch
  // Replaces `gradient` and `sums` by their sums over all processes, in every process. With
  // from_first only part 0 needs the sum of the gradients.
  std::function<void(VectorView<float> gradient, std::span<double> sums)> add_up = {};
  // Replaces the bytes by those of part 0, in every process. If it is set, part 0 alone has the
  // moments and updates the parameters, and the others copy its loss, norm and parameters.
  // Otherwise each process updates its own parameters, and different processors, which round
  // differently, drift apart. All must begin with the same parameters.
  std::function<void(std::span<std::byte>)> from_first = {};
};

// Owns the moments and borrows the trained object. A step is a function of the model, the moments,
// the options, the batches and the step's number alone: restoring these (checkpoint.h) resumes the
// run bit for bit, on any number of threads.
class Trainer {
 public:
  // Trains a LanguageModel, an EncoderDecoder, or only a LoraAdapter of a model: gradients, their
  // norm, moments and weight decay are then those of A and B. Throws Error for options out of
  // range, and for those that do not fit the model.
  Trainer(Trainable& trained, const TrainerOptions& options);

  // A step against the gradient of the mean loss of all labels that count. The gradients of the
  // batches are accumulated one after the other, at most options().batch sequences at once, so only
  // the largest takes memory.
  //
  // Throws Error where a batch does not fit the model, naming the one of several,
  // "batches.2.labels"; and where the loss or the gradient is not finite, naming a gradient that is
  // not (Trainable::not_finite). Parameters and moments are then unchanged.
  TrainingStep step(std::span<const TrainingBatch> batches, const Context& context = {});
  // The same over one batch.
  TrainingStep step(const TrainingBatch& batch, const Context& context = {}) {
    return step({&batch, 1}, context);
  }
  // The same with tokens and targets [B, T] for a language model.
  TrainingStep step(MatrixView<const std::int32_t> tokens, MatrixView<const std::int32_t> targets,
                    const Context& context = {}) {
    return step(TrainingBatch{{}, tokens, targets}, context);
  }
  // The same over batches drawn from a stream of tokens, for a language model. Throws Error also
  // where the stream is too short.
  TrainingStep step(std::span<const std::int32_t> stream, const Context& context = {});

  // Restricts this trainer to its part of every batch, and adds up its gradients with those of the
  // other processes, which all make the same steps. Throws Error for a part that does not exist,
  // and for more than one part without add_up.
  void set_share(TrainingShare share);

  // The loss of all labels of the batches that count. Throws Error where a batch does not fit the
  // model, as step() does.
  ModelLoss evaluate(std::span<const TrainingBatch> batches, const Context& context = {});
  // The same for one batch.
  ModelLoss evaluate(const TrainingBatch& batch, const Context& context = {}) {
    return evaluate(std::span(&batch, 1), context);
  }
  // The same for tokens and targets [B, T] of a language model.
  ModelLoss evaluate(MatrixView<const std::int32_t> tokens, MatrixView<const std::int32_t> targets,
                     const Context& context = {}) {
    return evaluate(TrainingBatch{{}, tokens, targets}, context);
  }
  // The loss over `windows` windows, evenly spaced in a validation stream.
  ModelLoss evaluate(std::span<const std::int32_t> stream, Index windows,
                     const Context& context = {});
  // The same over as many windows as fit without overlap, and at most 20 batches.
  ModelLoss evaluate(std::span<const std::int32_t> stream, const Context& context = {});

  // The trained object.
  Trainable& trained() const noexcept { return trained_; }
  // The given options.
  const TrainerOptions& options() const noexcept { return options_; }
  // All settings of the model and the trainer by name, as in a checkpoint.
  Metadata settings() const { return trained_.settings(options_); }
  // The number of steps done.
  std::int64_t steps() const noexcept { return steps_; }
  // Sets the number of steps, after values and moments have been restored. Throws Error below 0.
  void set_steps(std::int64_t steps);
  // The trained values.
  VectorView<float> values() noexcept { return trained_.values(); }
  // The moments of AdamW, with the layout of values(). The first holds SGD's momentum.
  VectorView<float> first_moment() noexcept { return first_; }
  VectorView<float> second_moment() noexcept { return second_; }
  VectorView<const float> first_moment() const noexcept { return first_; }
  VectorView<const float> second_moment() const noexcept { return second_; }
  // The bytes of working memory that the steps have needed.
  std::size_t scratch_bytes() const noexcept { return scratch_.capacity(); }

 private:
  // Throws Error in the name of `call` where there are no batches or one does not fit the model.
  void check(std::span<const TrainingBatch> batches, const char* call) const;
  // Accumulates the gradients of its share of a batch, and its durations; returns the sum of
  // losses. Counts the parts that are computed at once in `part`, which decides over dropout.
  double accumulate(const TrainingBatch& batch, double scale, Index& part, TrainingStep& result,
                    const Context& context);
  // Updates the values, once all gradients are accumulated, and completes the result. Throws Error,
  // saying why, where the loss or the gradient is not finite; values and moments are then
  // unchanged.
  void move(double scale, TrainingStep& result, const detail::Stopwatch& watch,
            const Context& context);
  void move(Index from, Index to, const AdamWOptions& options, const Context& context);
  // The length of a window. Throws Error, in the name of a call, where the model has no windows.
  Index window(const char* call) const;
  // A context with its own working memory and the given threads.
  Context own(const Context& context) noexcept { return {scratch_, context.parallel}; }
  // Throws Error in the name of a call of the trainer, such as "step".
  [[noreturn]] void fail_in(const char* call, const char* argument, const Message& problem) const;

  Trainable& trained_;
  const TrainerOptions options_;
  const std::string step_, evaluate_;  // these calls in errors; steps take no memory
  TrainingShare share_;                // every batch as a whole (default)
  Buffer<float, 1> first_, second_;
  std::int64_t steps_ = 0;
  TokenBatch drawn_;          // the windows of a step
  std::vector<double> sums_;  // the sum of losses of each batch of a step
  Scratch scratch_;
};

// An encoder-decoder's trainer, as errors name it.
using EncoderDecoderTrainer = Trainer;

}  // namespace tril
