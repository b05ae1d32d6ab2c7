// A language model that can be trained. Its parameters, its gradients, and the results that a
// forward pass saves for the backward pass are each one block of memory.
//
//   LanguageModel model(config, seed);
//   model.clear_gradients();
//   const ModelLoss loss = model.accumulate(tokens, targets, {}, context);
//   adamw_step(...);  // or Trainer (trainer.h), which does all of it
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/check.h>
#include <tril/model/model_parameters.h>
#include <tril/model/model_pass.h>
#include <tril/model/trainable.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tril {

// Owns a model's memory. Results do not depend on the number of threads. After the first call with
// the largest batch, nothing is allocated.
class LanguageModel final : public Trainable {
 public:
  // Initialises the parameters (model_weights.h). Throws Error as check_model_config does, and for
  // an encoder's settings, OutOfMemory where there is not enough memory.
  LanguageModel(const ModelConfig& config, std::uint64_t seed);
  // Copies the parameters of a loaded model, as floats, to train it further. `context` is as in
  // with_context (model_config.h), `dropout` is the setting of that name. Throws Error as
  // with_context and check_model_config do, and where the parameters have not been read,
  // OutOfMemory where there is not enough memory.
  explicit LanguageModel(const ModelParameters& parameters, Index context = 0, double dropout = 0);

  // The given settings.
  const ModelConfig& config() const noexcept { return config_; }
  // The parameters.
  const BasicModelWeights<float>& weights() const noexcept { return values_layout_.weights; }
  // The gradients of the parameters, in a struct of the same form.
  const BasicModelWeights<float>& gradients() const noexcept { return gradient_layout_.weights; }
  // All parameters, and all their gradients, each contiguous and with the same layout; gaps between
  // parameters are 0.
  VectorView<float> values() noexcept override { return values_; }
  VectorView<const float> values() const noexcept override { return values_; }
  VectorView<float> gradient() noexcept override { return gradient_; }
  Index decayed() const noexcept override { return values_layout_.decayed; }
  Index parameter_count() const noexcept { return tril::parameter_count(weights()); }
  // The floats that a pass over B sequences of T tokens saves. For GPT-2's family that is B T (L (8
  // C + 2 F + H + 4) + 2 C + 2 + V), without gaps.
  Index saved_count(Index batches, Index tokens) const;

  // The logits [B T, V] of tokens [B, T], T at most the context; valid until the next call.
  // `attention`, if given, has one view [B, H, T, T] per layer, which is filled with the weights of
  // its heads. Throws Error where T is too long or an id is not a token, before anything is
  // written.
  MatrixView<const float> logits(MatrixView<const std::int32_t> tokens, const Context& context = {},
                                 std::span<const TensorView<float, 4>> attention = {});

  // The loss of targets [B, T], which are ids or kIgnoredTarget. Throws as logits() does, and for a
  // target that is not a token.
  ModelLoss loss(MatrixView<const std::int32_t> tokens, MatrixView<const std::int32_t> targets,
                 const Context& context = {});

  // The same; adds the gradient of scale * sum to gradient().
  ModelLoss accumulate(MatrixView<const std::int32_t> tokens,
                       MatrixView<const std::int32_t> targets, const ModelGradientOptions& options,
                       const Context& context = {});
  ModelLoss accumulate(const TrainingBatch& batch, const ModelGradientOptions& options,
                       const Context& context) override {
    return accumulate(batch.target, batch.labels, options, context);
  }

  ModelLoss loss(const TrainingBatch& batch, const Context& context) override {
    return loss(batch.target, batch.labels, context);
  }

  // Throws, in the name of `call`, the errors of loss() and accumulate(); does nothing else.
  void check(const MatrixView<const std::int32_t>& tokens,
             const MatrixView<const std::int32_t>& targets, const char* call) const;
  void check(const TrainingBatch& batch, const char* call) const override {
    if (batch.source.count() > 0) fail(call, "source", "is for an encoder-decoder");
    check(batch.target, batch.labels, call);
  }

  // Sets all gradients to 0.
  void clear_gradients() noexcept override;
  using Trainable::parameters;
  std::vector<StoredParameter> parameters() const override;

  // The functions for its trainer.
  const char* trainer_name() const noexcept override { return "Trainer"; }
  void check(const TrainerOptions& options, const char* call) const override;
  Index window() const noexcept override { return config_.context; }
  Metadata settings(const TrainerOptions& options) const override;
  TrainerState read_state(const Safetensors& file) const override;
  // Names the first gradient that is not finite in the order of the backward pass, from the head
  // through the layers to the embedding; a tied matrix counts as the head where the loss is not
  // finite, else as the embedding.
  std::string not_finite(double loss) const override;

  // Restricts gradients to these matrices of weights(), by number (zip_matrices): gradients() then
  // has null views for all other parameters, and gradient() consists of these matrices alone.
  void keep_gradients_of(std::span<const Index> matrices);
  // The bytes that it owns: values, gradients, and the memory of its largest pass.
  std::size_t bytes() const noexcept;

 private:
  // Results of the last pass, laid out in saved_memory_.
  struct Saved {
    MatrixView<float> embedded;
    std::vector<detail::LayerTrace> layers;
    detail::SublayerTrace final_norm;
    MatrixView<float> logits;
    // The capped logits, for backward: the loss overwrites `logits` with its gradient.
    MatrixView<float> capped;
  };

  // Allocates without initialising.
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
  Index batches_ = 0, tokens_ = 0;  // the sizes of saved_
  Saved saved_;
};

}  // namespace tril
