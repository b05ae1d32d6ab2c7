// The bindings of the trainer of every model: steps over batches, settings, parameters, gradients
// and moments, checkpoints.
#pragma once

#include <tril/model/checkpoint.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "parameters.h"

namespace tril::js {

// The name of the data's fingerprint in a checkpoint.
inline constexpr const char* kFingerprint = "data_fingerprint";

// A model in training that JavaScript owns. Its memory counts as the engine's.
class Learner {
 public:
  Learner(Engine& given, Metadata kept) : engine(given), about(std::move(kept)), memory_(given) {}
  virtual ~Learner() = default;

  virtual Trainer& learning() noexcept = 0;
  // Throws Error like restore_checkpoint, and where the checkpoint was trained on other data.
  void restore(const Safetensors& checkpoint);
  // Updates the count of its memory. To be called after each call that may have taken memory.
  void count_bytes() noexcept;

  Engine& engine;
  Metadata about;  // metadata saved with a checkpoint

 protected:
  // The bytes of the model and its data.
  virtual std::size_t bytes() const noexcept = 0;

 private:
  CountedBytes memory_;
};

// Rows of numbers that follow each other in a JavaScript array.
class GivenRows {
 public:
  explicit GivenRows(const Integers& given) : numbers_(numbers_of(given)), next_(numbers_.data()) {}

  // Takes the next rows.
  MatrixView<const std::int32_t> take(Index rows, Index length) noexcept {
    const MatrixView<const std::int32_t> view(next_, {rows, length});
    next_ += view.count();
    return view;
  }
  // All rows.
  MatrixView<const std::int32_t> all(Index rows) const noexcept {
    return {numbers_.data(), {rows, static_cast<Index>(numbers_.size()) / rows}};
  }

 private:
  std::vector<std::int32_t> numbers_;
  const std::int32_t* next_;
};

// Batches in JavaScript arrays. `sizes` has B, S and T of each. The tokens of each are its sources
// [B, S], which a language model lacks (S is 0), its targets [B, T] and, except for batches without
// labels, its labels [B, T].
struct GivenBatches {
  GivenRows tokens;
  std::vector<TrainingBatch> all;

  GivenBatches(const Integers& given, const Integers& sizes, bool have_labels = true);
};

}  // namespace tril::js
