// The loss of a batch, and its gradient: the common part of all models that can be trained.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>

#include <cstdint>
#include <optional>

namespace tril {

// The loss of a batch.
struct ModelLoss {
  double sum = 0;              // sum over all targets that count, in nats
  Index counted = 0;           // number of targets that count
  Index correct = 0;           // number of these that the model finds most likely
  double forward_seconds = 0;  // duration of accumulate() up to here

  // The mean over targets; 0 where none counts.
  double mean() const noexcept { return counted > 0 ? sum / static_cast<double>(counted) : 0; }
  // Adds the loss of another batch, but not its duration.
  ModelLoss& operator+=(const ModelLoss& other) noexcept {
    sum += other.sum, counted += other.counted, correct += other.correct;
    return *this;
  }
};

// Options of accumulating gradients.
struct ModelGradientOptions {
  double scale = 1;  // factor of the sum of losses; 1 / all targets: the mean
  std::optional<std::uint64_t> dropout_seed = {};  // none: no dropout
  // The number of its first sequence, if it is a part of a batch, so that dropout is that of the
  // whole batch.
  Index first_sequence = 0;
};

namespace detail {

// Throws Error in the name of `call` unless ids [B, T] have no gaps and are in the vocabulary, or,
// where `ignored`, kIgnoredTarget.
void check_ids(const char* call, const char* name, const MatrixView<const std::int32_t>& ids,
               Index vocabulary, bool ignored);
// Throws Error in the name of `call` for options out of range.
void check_gradient_options(const char* call, const ModelGradientOptions& options);
// The loss of labels [B, T] by logits [B T, V].
ModelLoss loss_of(const MatrixView<const float>& logits,
                  const MatrixView<const std::int32_t>& labels, const Context& context);
// The same; then the logits are the gradient of scale * its sum.
ModelLoss loss_and_gradient(const MatrixView<float>& logits,
                            const MatrixView<const std::int32_t>& labels, double scale,
                            const Context& context);

}  // namespace detail

}  // namespace tril
