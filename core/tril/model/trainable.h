// What can be trained, as a trainer and its checkpoints know it: values and their gradients in one
// block of memory each, a batch whose gradients are added up, and parameters by name. Language
// models (language_model.h), adapters for them (lora.h) and encoder-decoders (encoder_decoder.h).
//
// Word vectors have a trainer of their own (word_vector_trainer.h), and this is what differs: each
// window moves the few rows of its words at once, and a step is thousands of windows. So there is
// no gradient of all values to add up and to clip, an optimizer's moments would be read and written
// for every row at every window, and the learning rate falls by the words that are left. What is
// saved is the vectors, from which no run goes on. Steps and runs are one function for all on
// either side of a Worker (eachStep, reportsOf).
#pragma once

#include <tril/foundation/context.h>
#include <tril/model/model_weights.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tril {

// A target that counts for nothing.
inline constexpr std::int32_t kIgnoredTarget = -100;

// What a model says about a batch.
struct ModelLoss {
  double sum = 0;     // of the losses of all targets that count, in nats
  Index counted = 0;  // how many those are
  Index correct = 0;  // for how many of them the target is what the model holds most likely
  double forward_seconds = 0;  // duration of accumulate() up to here

  // Of one target; 0 where none counts.
  double mean() const noexcept { return counted > 0 ? sum / static_cast<double>(counted) : 0; }
  // Adds what it says about another batch, without the time.
  ModelLoss& operator+=(const ModelLoss& other) noexcept {
    sum += other.sum, counted += other.counted, correct += other.correct;
    return *this;
  }
};

// How gradients are added up.
struct ModelGradientOptions {
  double scale = 1;  // of the sum of the losses; 1 / all targets gives the gradient of their mean
  std::optional<std::uint64_t> dropout_seed = {};  // none: nothing is left out
  // Of a part of a batch, where it begins in the whole: so that the same is left out of it.
  Index first_sequence = 0;
};

// Sequences that are computed together, each a row, without gaps.
struct TrainingBatch {
  MatrixView<const std::int32_t> source = {};  // [B, S]; of a language model there is none
  MatrixView<const std::int32_t> target = {};  // [B, T], which the model is given
  MatrixView<const std::int32_t> labels = {};  // [B, T], which it is to give: ids, kIgnoredTarget
};

// What can be trained.
class Trainable {
 public:
  // All values that move, and all their gradients, side by side and laid out alike; what lies
  // between parameters is 0.
  virtual VectorView<float> values() noexcept = 0;
  virtual VectorView<float> gradient() noexcept = 0;
  // Of these the first so many are matrices, which weight decay is for.
  virtual Index decayed() const noexcept = 0;

  // The losses of the labels; the gradient of scale * their sum is added to the others. Throws
  // Error, before anything is written, for a batch that does not fit the model.
  virtual ModelLoss accumulate(const TrainingBatch& batch, const ModelGradientOptions& options,
                               const Context& context) = 0;
  // To be called once all batches of a step are in: gradient() is complete after it.
  virtual void take_gradients(const Context&) {}
  // To be called after values() have changed, so that the model computes with them.
  virtual void merge(const Context&) {}

  // All parameters of the model, as its files have them.
  virtual std::vector<StoredParameter> parameters() const = 0;
  // Those that move, in memory that is laid out as values(): themselves, with the bits that they
  // have there, gradients, moments. Not to be written where it may not be.
  virtual std::vector<StoredParameter> parameters(const VectorView<const float>& memory) const = 0;
  // What a checkpoint needs beside those that move: the parameters that do not.
  virtual std::vector<StoredParameter> base() const { return {}; }

 protected:
  ~Trainable() = default;
};

}  // namespace tril
