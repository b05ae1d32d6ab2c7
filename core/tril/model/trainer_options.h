// The options of a trainer (trainer.h), and the state of one in a checkpoint (checkpoint.h).
#pragma once

#include <tril/files/safetensors.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>
#include <tril/model/batches.h>
#include <tril/training/schedule.h>

#include <cstdint>

namespace tril {

// The optimizers (training/optimizers.h): AdamW, or stochastic gradient descent, which has a
// momentum, but neither betas nor eps.
enum class TrainingOptimizer : std::uint8_t { adamw, sgd };
// Their names.
inline constexpr Named<TrainingOptimizer> kTrainingOptimizers[] = {
    {"adamw", TrainingOptimizer::adamw}, {"sgd", TrainingOptimizer::sgd}};

// Options of a trainer. The defaults are nanoGPT's recipe for characters on a CPU (Karpathy 2022).
struct TrainerOptions {
  Index batch = 12;        // sequences computed at once, and windows drawn for a batch
  Index accumulation = 1;  // batches drawn for a step, whose gradients are accumulated
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
  BatchOptions batches = {};  // the targets of windows

  // The defaults for an encoder-decoder: the betas and eps of Vaswani et al. 2017, section 5.3, no
  // weight decay, and every batch computed at once.
  static TrainerOptions for_sequences() noexcept {
    TrainerOptions options;
    options.batch = 1 << 24;
    options.beta2 = 0.98, options.eps = 1e-9, options.weight_decay = 0;
    return options;
  }
  friend bool operator==(const TrainerOptions&, const TrainerOptions&) = default;
};

// The state of a trainer in a checkpoint.
struct TrainerState {
  Metadata settings;       // as from Trainable::settings
  std::int64_t steps = 0;  // number of steps done
};

}  // namespace tril
