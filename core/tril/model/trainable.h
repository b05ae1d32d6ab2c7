// The interface of everything that a trainer (trainer.h) can train and checkpoints can store:
// values and gradients, each in one block of memory, the accumulation of a batch's gradients,
// parameters by name, and settings. Language models (language_model.h), their adapters (lora.h) and
// encoder-decoders (encoder_decoder.h) implement it; trainable.cc collects their differences for a
// trainer.
//
// Word vectors have their own trainer (word_vector_trainer.h), which differs. Each window updates
// the few rows of its words at once, and a step is thousands of windows. So there is no gradient of
// all values to accumulate and clip, an optimizer would read and write the moments of every row in
// every window, and the learning rate falls with the words that are left. It saves only the
// vectors, from which no run resumes. The loops over steps and runs are shared, also with a Worker
// (eachStep, reportsOf).
#pragma once

#include <tril/files/safetensors.h>
#include <tril/foundation/context.h>
#include <tril/model/model_loss.h>
#include <tril/model/model_weights.h>
#include <tril/model/trainer_options.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tril {

// A batch of sequences without gaps, one per row.
struct TrainingBatch {
  MatrixView<const std::int32_t> source = {};  // [B, S]; not for a language model
  MatrixView<const std::int32_t> target = {};  // [B, T], input of the model
  MatrixView<const std::int32_t> labels = {};  // [B, T], expected output: ids, kIgnoredTarget
};

// Anything that can be trained.
class Trainable {
 public:
  // All trained values, and all their gradients, each contiguous and with the same layout; gaps
  // between parameters are 0.
  virtual VectorView<float> values() noexcept = 0;
  virtual VectorView<const float> values() const noexcept = 0;
  virtual VectorView<float> gradient() noexcept = 0;
  // Weight decay applies to the first decayed() values, the matrices.
  virtual Index decayed() const noexcept = 0;

  // Throws Error, in the name of `call`, for a batch that does not fit the model.
  virtual void check(const TrainingBatch& batch, const char* call) const = 0;
  // Returns the loss of the labels. Throws Error as check() does.
  virtual ModelLoss loss(const TrainingBatch& batch, const Context& context) = 0;
  // Sets gradient() to 0.
  virtual void clear_gradients() noexcept = 0;
  // Returns the loss of the labels, and adds the gradient of scale * its sum to gradient(). Throws
  // Error, before anything is written, for a batch that does not fit the model.
  virtual ModelLoss accumulate(const TrainingBatch& batch, const ModelGradientOptions& options,
                               const Context& context) = 0;
  // Completes gradient(). Call it after all batches of a step.
  virtual void take_gradients(const Context&) {}
  // Makes the model compute with changed values(). Call it after changing them.
  virtual void merge(const Context&) {}

  // All parameters of the model, in the form of its files.
  virtual std::vector<StoredParameter> parameters() const = 0;
  // The trained parameters in values().
  virtual std::vector<StoredParameter> trained_parameters() const { return parameters(); }
  // The trained parameters in memory with the layout of values(): themselves, bit for bit,
  // gradients or moments.
  template <typename T>
  std::vector<BasicStoredParameter<T>> parameters(const VectorView<T>& memory) const {
    return stored_parameters_in(memory.data(), trained_parameters(), values().data());
  }
  // The parameters that are not trained, which a checkpoint needs, too.
  virtual std::vector<StoredParameter> base() const { return {}; }

  // The name of its trainer in errors.
  virtual const char* trainer_name() const noexcept = 0;
  // Throws Error, in the name of `call`, for options that do not fit the model.
  virtual void check(const TrainerOptions& options, const char* call) const = 0;
  // The length of a window of a stream in tokens; 0 where the model is trained only on given
  // batches.
  virtual Index window() const noexcept = 0;
  // All settings of the model, and of a trainer with these options, by name, as in a checkpoint.
  virtual Metadata settings(const TrainerOptions& options) const = 0;
  // Reads the state in a checkpoint. Throws Error, naming the entry, where it belongs to another
  // kind.
  virtual TrainerState read_state(const Safetensors& file) const = 0;
  // The text of the error for a loss or a gradient that is not finite, which names a gradient that
  // is not.
  virtual std::string not_finite(double loss) const = 0;

 protected:
  ~Trainable() = default;
};

}  // namespace tril
