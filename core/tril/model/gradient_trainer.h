// The common part of all trainers: once the gradients of a step are accumulated, it clips them by
// their norm and updates the parameters by a schedule. Trainer (trainer.h) and
// EncoderDecoderTrainer (encoder_decoder_trainer.h) choose the batches of a step.
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

// The optimizers (training/optimizers.h): AdamW, or stochastic gradient descent, which has a
// momentum, and neither betas nor eps.
enum class TrainingOptimizer : std::uint8_t { adamw, sgd };
// Their names.
inline constexpr Named<TrainingOptimizer> kTrainingOptimizers[] = {
    {"adamw", TrainingOptimizer::adamw}, {"sgd", TrainingOptimizer::sgd}};

// Options of a trainer. The defaults are nanoGPT's recipe for characters on a CPU (Karpathy 2022).
struct TrainerOptions {
  Index batch = 12;        // windows of a batch, computed at once
  Index accumulation = 1;  // batches whose gradients are accumulated in a step
  // The learning rates.
  Schedule schedule = {.learning_rate = 1e-3, .lowest = 1e-4, .warmup = 100, .steps = 2000};
  TrainingOptimizer optimizer = TrainingOptimizer::adamw;
  double beta1 = 0.9;         // AdamW: decay of the first moment
  double beta2 = 0.99;        // AdamW: decay of the second moment
  double eps = 1e-8;          // AdamW: added to the root of the second moment
  double momentum = 0;        // SGD: share of the last update that is kept
  double weight_decay = 0.1;  // of matrices only
  double clip = 1;            // maximum norm of the gradient; 0: none
  std::uint64_t seed = 1337;  // of windows and dropout
  BatchOptions batches = {};  // the targets

  friend bool operator==(const TrainerOptions&, const TrainerOptions&) = default;
};

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
  Index part = 0;   // from 0 to below parts
  Index parts = 1;  // at most a batch
  // Replaces `gradient` and `sums` by their sums over all processes, in every process. With
  // from_first only part 0 needs the sum of the gradients.
  std::function<void(VectorView<float> gradient, std::span<double> sums)> add_up = {};
  // Replaces the bytes by those of part 0, in every process. If it is set, part 0 alone has the
  // moments and updates the parameters, and the others copy its loss, norm and parameters.
  // Otherwise each process updates its own parameters, and different processors, which round
  // differently, drift apart. All must begin with the same parameters.
  std::function<void(std::span<std::byte>)> from_first = {};
};

// The state of a trainer in a checkpoint.
struct TrainerState {
  Metadata settings;       // as from GradientTrainer::settings
  std::int64_t steps = 0;  // number of steps done
};

// Owns the moments and borrows what is trained. A step is a function of the model, the moments, the
// options, the batches and the step's number alone: restoring these (checkpoint.h) resumes the run
// bit for bit, on any number of threads.
class GradientTrainer {
 public:
  virtual ~GradientTrainer() = default;

  // What is trained.
  Trainable& trained() const noexcept { return trained_; }
  // The number of steps done.
  std::int64_t steps() const noexcept { return steps_; }
  // The values that it updates.
  VectorView<float> values() noexcept { return trained_.values(); }
  // The moments of AdamW, with the layout of values(). The first holds SGD's momentum.
  VectorView<float> first_moment() noexcept { return first_; }
  VectorView<float> second_moment() noexcept { return second_; }
  VectorView<const float> first_moment() const noexcept { return first_; }
  VectorView<const float> second_moment() const noexcept { return second_; }
  // Sets the number of steps, after values and moments have been restored. Throws Error below 0.
  void set_steps(std::int64_t steps);
  // The bytes of working memory that steps have needed.
  std::size_t scratch_bytes() const noexcept { return scratch_.capacity(); }

  // All settings of the model and the trainer by name, as in a checkpoint.
  virtual Metadata settings() const = 0;
  // The state in a checkpoint. Throws Error, naming the entry, where it is not of a trainer of this
  // kind.
  virtual TrainerState read_state(const Safetensors& file) const = 0;

 protected:
  // Throws Error, in the name of `kind`, for options out of range.
  GradientTrainer(const char* kind, Trainable& trained, const TrainerOptions& options);
  // A context with its own working memory and the given threads.
  Context own(const Context& context) noexcept { return {scratch_, context.parallel}; }

  // The weight of one of `counted` targets in their mean.
  static double share_of(Index counted) noexcept {
    return 1 / static_cast<double>(counted > 0 ? counted : 1);
  }
  // The number of targets that count.
  static Index counted(const MatrixView<const std::int32_t>& targets) noexcept;

  // Accumulates the gradients of batch `number`, and its durations.
  ModelLoss accumulate(const TrainingBatch& batch, ModelGradientOptions options, Index number,
                       TrainingStep& result, const Context& context);
  // Updates the values, once all gradients are accumulated, and completes the result, whose loss is
  // `losses` * `factor`. Throws Error, saying why, where the loss or the gradient is not finite;
  // values and moments are then unchanged.
  void move(double losses, double factor, TrainingStep& result, const detail::Stopwatch& watch,
            const Context& context);
  // The text of the error that names the gradient that is not finite.
  virtual std::string not_finite(double loss) const = 0;
  // The last of these gradients that is not finite; null where all are finite.
  static const StoredParameter* last_not_finite(const std::vector<StoredParameter>& gradients);

  const TrainerOptions step_options_;  // the given options
  TrainingShare share_;                // every batch as a whole (default)

 private:
  void move(Index from, Index to, const AdamWOptions& options, const Context& context);
  // Throws Error in the name of a call of the trainer, such as "step".
  [[noreturn]] void fail_in(const char* call, const char* argument, const Message& problem) const;

  const char* kind_;
  Trainable& trained_;
  Buffer<float, 1> first_, second_;
  std::int64_t steps_ = 0;
  Scratch scratch_;
};

}  // namespace tril
