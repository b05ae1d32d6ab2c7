// What the trainers of all models do once a step's gradients are added up: clip them by their norm,
// and move the values against them by a schedule. Trainer (trainer.h) and EncoderDecoderTrainer
// (encoder_decoder_trainer.h) say which batches a step is of.
#pragma once

#include <tril/files/safetensors.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/message.h>
#include <tril/foundation/named.h>
#include <tril/foundation/stopwatch.h>
#include <tril/model/batches.h>
#include <tril/model/trainable.h>
#include <tril/training/optimizers.h>
#include <tril/training/schedule.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

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

  friend bool operator==(const TrainerOptions&, const TrainerOptions&) = default;
};

// What a step was.
struct TrainingStep {
  std::int64_t step = 0;     // its number, from 0
  double loss = 0;           // before it, the mean of all targets, in nats
  double gradient_norm = 0;  // before clipping
  double learning_rate = 0;  // of the schedule
  double seconds = 0;        // duration of the step
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

// What a checkpoint says of a trainer.
struct TrainerState {
  Metadata settings;       // as GradientTrainer::settings
  std::int64_t steps = 0;  // how many are done
};

// Owns the moments and borrows what is trained. What happens in a step is a function of the model,
// the moments, the options, the batches and the step's number alone: who restores these
// (checkpoint.h) goes on with the same bits, on any number of threads.
class GradientTrainer {
 public:
  virtual ~GradientTrainer() = default;

  // The one it was given.
  Trainable& trained() const noexcept { return trained_; }
  // How many steps are done.
  std::int64_t steps() const noexcept { return steps_; }
  // What it moves.
  VectorView<float> values() noexcept { return trained_.values(); }
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

  // All settings by name, those of the model and its own, as a checkpoint has them.
  virtual Metadata settings() const = 0;
  // What a checkpoint says of one. Throws Error, naming the entry, where it is none of a trainer
  // of this kind.
  virtual TrainerState read_state(const Safetensors& file) const = 0;

 protected:
  // Throws Error, in the name of `kind`, for options of a step that are out of range.
  GradientTrainer(const char* kind, Trainable& trained, const TrainerOptions& options);
  // The context of calls that take its working memory.
  Context own(const Context& context) noexcept { return {scratch_, context.parallel}; }

  // The weight of each of so many targets in their mean.
  static double share_of(Index counted) noexcept {
    return 1 / static_cast<double>(counted > 0 ? counted : 1);
  }
  // How many targets count.
  static Index counted(const MatrixView<const std::int32_t>& targets) noexcept;

  // Adds up the gradients of the batch of that number, and its times.
  ModelLoss accumulate(const TrainingBatch& batch, ModelGradientOptions options, Index number,
                       TrainingStep& result, const Context& context);
  // Moves the values, once all gradients are in, and completes the result: its loss is the sum of
  // these, times `factor`. Throws Error, saying why, where the loss or the gradient is not finite;
  // values and moments are then as they were.
  void move(double losses, double factor, TrainingStep& result, const detail::Stopwatch& watch,
            const Context& context);
  // Which gradient is not finite, in the words of an error.
  virtual std::string not_finite(double loss) const = 0;
  // The last of these that is not finite; null: all are.
  static const StoredParameter* last_not_finite(const std::vector<StoredParameter>& gradients);

  const TrainerOptions step_options_;  // as they were given
  TrainingShare share_;                // all of every batch, unless set

 private:
  void move(Index from, Index to, const AdamWOptions& options, const Context& context);
  // Fails in the name of one of the trainer's calls, "step".
  [[noreturn]] void fail_in(const char* call, const char* argument, const Message& problem) const;

  const char* kind_;
  Trainable& trained_;
  Buffer<float, 1> first_, second_;
  std::int64_t steps_ = 0;
  Scratch scratch_;
};

}  // namespace tril
