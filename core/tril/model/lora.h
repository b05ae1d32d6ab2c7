// LoRA (Hu et al. 2021): fine-tuning leaves a matrix W [out, in] of a model unchanged, and adds a
// learned product of two thin matrices to it:
//
//   W + (alpha / rank) B A,  A [rank, in], B [out, rank]
//
// A is random and B is 0 at first, and so is their product. Names and defaults are those of Hugging
// Face's library PEFT (src/peft/tuners/lora).
//
//   LanguageModel model(pretrained.parameters);
//   LoraAdapter adapter(model, {.rank = 8}, seed);
//   Trainer trainer(adapter, options);  // moves A and B, and nothing else
#pragma once

#include <tril/model/language_model.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tril {

// Options of an adapter.
struct LoraOptions {
  Index rank = 8;    // from 1 to the model's width
  double alpha = 8;  // the product is multiplied by alpha / rank
  // The modules that are adapted, by the ends of their names: "v_proj", "mlp.c_proj". Empty:
  // queries and values, or the matrix in which they are stacked (lora_targets).
  std::vector<std::string> targets = {};

  // Whether all options are equal.
  bool operator==(const LoraOptions&) const = default;
};

// The default targets of a family, as in PEFT: "q_proj" and "v_proj", for GPT-2 "c_attn".
std::vector<std::string> lora_targets(ModelFamily family);

namespace detail {

// A matrix of a model, in the form of its files, and its A and B.
struct LoraPair {
  StoredParameter target;
  Index rank;
  float scale;                       // alpha / rank
  MatrixView<float> a = {}, b = {};  // [rank, in] and [out, rank], rows as in the model's memory

  Index in() const noexcept { return target.shape[target.transposed ? 0 : 1]; }
  Index out() const noexcept { return target.shape[target.transposed ? 1 : 0]; }
};

// weight = base + scale B A, both [out, in]; base may be weight itself.
void merge_lora(const LoraPair& pair, const MatrixView<const float>& base,
                const MatrixView<float>& weight, const Context& context);
// A and B of all pairs in order, laid out in `memory`, with PEFT's names, shapes and order of rows:
// "base_model.model.transformer.h.0.attn.c_attn.lora_A.weight" [rank, in], "...lora_B.weight" [out,
// rank].
std::vector<StoredParameter> stored_lora(ModelFamily family, const std::vector<LoraPair>& pairs,
                                         SavedMemory& memory);
// The same; also points A and B of the pairs into the memory.
std::vector<StoredParameter> place_lora(ModelFamily family, std::vector<LoraPair>& pairs,
                                        SavedMemory& memory);
// PEFT's name of a tensor: `name` is "h.0.attn.c_attn.weight", `matrix` 'A' or 'B'.
std::string lora_name(ModelFamily family, const std::string& name, char matrix);

}  // namespace detail

// Owns A and B, their gradients, and the original W of each adapted matrix. Borrows the model and
// merges A and B into it, so that everything that runs or writes the model includes them. The model
// has gradients of these matrices only from then on.
class LoraAdapter final : public Trainable {
 public:
  // Draws A uniformly in +-1 / sqrt(in), as PEFT does (Kaiming's bound for a slope of sqrt(5)).
  // Throws Error for a rank or an alpha out of range, and for a target that is not a matrix of a
  // layer, listing those that are; the model is then unchanged.
  LoraAdapter(LanguageModel& model, const LoraOptions& options, std::uint64_t seed);

  // The given options, with default targets filled in.
  const LoraOptions& options() const noexcept { return options_; }
  // The model, with A and B merged.
  LanguageModel& model() noexcept { return model_; }
  // The model, with A and B merged.
  const LanguageModel& model() const noexcept { return model_; }
  // All A and B, and all their gradients, each contiguous; gaps between matrices are 0.
  VectorView<float> values() noexcept override { return values_; }
  VectorView<const float> values() const noexcept override { return values_; }
  VectorView<float> gradient() noexcept override { return gradient_; }
  // All values, as A and B are matrices.
  Index decayed() const noexcept override { return values_.shape()[0]; }
  // The number of elements of all A and B.
  Index parameter_count() const noexcept;
  // The bytes that it owns.
  std::size_t bytes() const noexcept;

  // d_A = alpha / rank B^T d_W,  d_B = alpha / rank d_W A^T, from the model's gradients.
  void take_gradients(const Context& context = {}) override;
  // Writes W + alpha / rank B A to the model, after A and B have changed.
  void merge(const Context& context = {}) override;

  // The calls of Trainable, as in the model.
  void check(const TrainingBatch& batch, const char* call) const override {
    model_.check(batch, call);
  }
  ModelLoss loss(const TrainingBatch& batch, const Context& context) override {
    return model_.loss(batch, context);
  }
  void clear_gradients() noexcept override { model_.clear_gradients(); }
  ModelLoss accumulate(const TrainingBatch& batch, const ModelGradientOptions& options,
                       const Context& context) override {
    return model_.accumulate(batch, options, context);
  }
  const char* trainer_name() const noexcept override { return model_.trainer_name(); }
  void check(const TrainerOptions& options, const char* call) const override {
    model_.check(options, call);
  }
  Index window() const noexcept override { return model_.window(); }
  TrainerState read_state(const Safetensors& file) const override {
    return model_.read_state(file);
  }
  std::string not_finite(double loss) const override { return model_.not_finite(loss); }
  // The settings of the model and of the adapter.
  Metadata settings(const TrainerOptions& options) const override;

  using Trainable::parameters;
  // The parameters of the model, with A and B merged.
  std::vector<StoredParameter> parameters() const override { return model_.parameters(); }
  // A and B in the form of PEFT's files.
  std::vector<StoredParameter> trained_parameters() const override { return stored_; }
  // The unchanging parameters of the model.
  std::vector<StoredParameter> base() const override;

 private:
  // The gradients of a pair: of W in the model, and of A and B.
  struct Gradients {
    MatrixView<float> weight, a, b;
  };

  LanguageModel& model_;
  LoraOptions options_;
  Buffer<float, 1> values_, gradient_, base_;
  std::vector<detail::LoraPair> pairs_;
  std::vector<StoredParameter> stored_;        // A and B of each pair
  std::vector<Gradients> gradients_;           // one per pair
  std::vector<MatrixView<float>> base_views_;  // W of each pair
};

}  // namespace tril
