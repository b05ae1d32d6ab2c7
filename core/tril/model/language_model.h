// A language model that can be trained: parameters, gradients, and what a forward pass leaves for
// its backward pass, each in one block of memory.
//
//   LanguageModel model(config, seed);
//   model.clear_gradients();
//   const ModelLoss loss = model.accumulate(tokens, targets, {}, context);
//   adamw_step(...);  // or Trainer (trainer.h), which does all of it
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/model/model_parameters.h>
#include <tril/model/model_pass.h>
#include <tril/model/trainable.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril {

// Owns a model's memory. Results do not depend on the number of threads. After the first call for
// the largest batch nothing is allocated but by `scratch`, and by that no more either.
class LanguageModel final : public Trainable {
 public:
  // Initialised (model_weights.h). Throws Error as check_model_config does, and for an encoder's
  // settings, OutOfMemory where there is less memory.
  LanguageModel(const ModelConfig& config, std::uint64_t seed);
  // With the values of a model that is run, widened to floats where it holds them otherwise: to be
  // trained further. `context` is the most tokens at once, as with_context (model_config.h) takes
  // it; `dropout` as the setting of that name. Throws Error as with_context and check_model_config
  // do, and where the parameters have not been read, OutOfMemory where there is less memory.
  explicit LanguageModel(const ModelParameters& parameters, Index context = 0, double dropout = 0);

  // As it was given.
  const ModelConfig& config() const noexcept { return config_; }
  // The parameters.
  const BasicModelWeights<float>& weights() const noexcept { return values_layout_.weights; }
  // Their gradients, in structs of the same form.
  const BasicModelWeights<float>& gradients() const noexcept { return gradient_layout_.weights; }
  // All parameters, and all their gradients, side by side and laid out alike; what lies between
  // parameters is 0.
  VectorView<float> values() noexcept override { return values_; }
  VectorView<const float> values() const noexcept { return values_; }
  VectorView<float> gradient() noexcept override { return gradient_; }
  Index decayed() const noexcept override { return values_layout_.decayed; }
  Index parameter_count() const noexcept { return tril::parameter_count(weights()); }
  // Floats that a pass over B sequences of T tokens keeps: without the gaps, of GPT-2's family,
  // B T (L (8 C + 2 F + H + 4) + 2 C + 2 + V).
  Index saved_count(Index batches, Index tokens) const;

  // The logits [B T, V] of tokens [B, T], T at most the context; good until the next call.
  // `attention`, where it is given, is filled with the weights of every head, [B, H, T, T] for each
  // layer. Throws Error where T is too long or an id is not a token, before anything is written.
  MatrixView<const float> logits(MatrixView<const std::int32_t> tokens, const Context& context = {},
                                 std::span<const TensorView<float, 4>> attention = {});

  // The losses of targets [B, T], ids or kIgnoredTarget. Throws as logits() does, and for a target
  // that is no token.
  ModelLoss loss(MatrixView<const std::int32_t> tokens, MatrixView<const std::int32_t> targets,
                 const Context& context = {});

  // The same, and the gradient of scale * sum is added to gradient().
  ModelLoss accumulate(MatrixView<const std::int32_t> tokens,
                       MatrixView<const std::int32_t> targets, const ModelGradientOptions& options,
                       const Context& context = {});
  ModelLoss accumulate(const TrainingBatch& batch, const ModelGradientOptions& options,
                       const Context& context) override {
    return accumulate(batch.target, batch.labels, options, context);
  }

  // Throws in the name of `call` what loss() and accumulate() would, and does nothing else.
  void check(const MatrixView<const std::int32_t>& tokens,
             const MatrixView<const std::int32_t>& targets, const char* call) const;

  // Sets them to 0.
  void clear_gradients() noexcept;
  std::vector<StoredParameter> parameters() const override;
  std::vector<StoredParameter> parameters(const VectorView<const float>& memory) const override;
  // From here on these matrices of the layers of weights() have gradients, and nothing else has:
  // gradients() are null views of all else, and gradient() is these alone.
  void keep_gradients_of(std::span<const MatrixView<float>* const> matrices);
  // All that it owns: values, gradients, and what its largest pass has left.
  std::size_t bytes() const noexcept;

 private:
  // Of the pass that was last, laid out in saved_memory_.
  struct Saved {
    MatrixView<float> embedded;
    std::vector<detail::LayerTrace> layers;
    detail::SublayerTrace final_norm;
    MatrixView<float> logits;
    // The capped logits, for backward: the loss overwrites `logits` with its gradient.
    MatrixView<float> capped;
  };

  // Nothing but the memory.
  explicit LanguageModel(const ModelConfig& config);
  void check(const MatrixView<const std::int32_t>& tokens, const char* call) const;
  void place(Index batches, Index tokens);
  Saved laid_out(Index batches, Index tokens, SavedMemory& memory) const;
  detail::ModelPass pass_over(const MatrixView<const std::int32_t>& tokens,
                              const Context& context) const noexcept;
  void forward(const MatrixView<const std::int32_t>& tokens, const detail::ModelPass& pass,
               std::span<const TensorView<float, 4>> attention = {});
  void backward(const MatrixView<const std::int32_t>& tokens, const detail::ModelPass& pass);
  const MatrixView<float>& head() const noexcept {
    return config_.tied_head ? weights().embedding : weights().head;
  }

  ModelConfig config_;
  Buffer<float, 1> values_, gradient_, saved_memory_;
  ModelLayout values_layout_, gradient_layout_;
  detail::RotaryTables rotary_;
  Index batches_ = 0, tokens_ = 0;  // that saved_ is laid out for
  Saved saved_;
};

}  // namespace tril
