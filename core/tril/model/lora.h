// LoRA (Hu et al. 2021): a matrix W [out, in] of a model that is trained further stays as it is,
// and what is learned is added to it as a product of two thin ones:
//
//   W + (alpha / rank) B A,  A [rank, in], B [out, rank]
//
// A is drawn, B begins at 0: so does what is added. Names and defaults are PEFT's, Hugging Face's
// library (src/peft/tuners/lora).
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

// What an adapter is like.
struct LoraOptions {
  Index rank = 8;    // from 1 to the model's width
  double alpha = 8;  // what is added is multiplied by alpha / rank
  // The modules whose matrices it changes, by the ends of their names: "v_proj", "mlp.c_proj".
  // None: queries and values, or the one matrix that they are stored in (lora_targets).
  std::vector<std::string> targets = {};

  // The same settings.
  bool operator==(const LoraOptions&) const = default;
};

// The default targets of a family, PEFT's: "q_proj" and "v_proj", "c_attn" of GPT-2.
std::vector<std::string> lora_targets(ModelFamily family);

namespace detail {

// A matrix of a model, as its files have it, with what is added to it.
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
// A and B of all pairs, in turn, laid out in `memory`, by PEFT's names, shapes and order of rows:
// "base_model.model.transformer.h.0.attn.c_attn.lora_A.weight" [rank, in], "...lora_B.weight"
// [out, rank].
std::vector<StoredParameter> stored_lora(ModelFamily family, const std::vector<LoraPair>& pairs,
                                         SavedMemory& memory);
// The same with A and B set to where they lie.
std::vector<StoredParameter> place_lora(ModelFamily family, std::vector<LoraPair>& pairs,
                                        SavedMemory& memory);
// The name that a tensor has there: `name` is "h.0.attn.c_attn.weight", `matrix` 'A' or 'B'.
std::string lora_name(ModelFamily family, const std::string& name, char matrix);

}  // namespace detail

// Owns A and B, their gradients, and the values W of the matrices that it changes. Borrows the
// model, in which they stand merged, so that whatever runs or writes the model has them. From here
// on it has gradients of these matrices only.
class LoraAdapter final : public Trainable {
 public:
  // A is even in +-1 / sqrt(in), as PEFT draws it (Kaiming's bound for a slope of sqrt(5)). Throws
  // Error for a rank or an alpha out of range, and for a target that is no matrix of a layer,
  // saying which there are; the model is then as it was.
  LoraAdapter(LanguageModel& model, const LoraOptions& options, std::uint64_t seed);

  // As they were given, with the targets that they stand for.
  const LoraOptions& options() const noexcept { return options_; }
  // The one it was given, with A and B merged.
  LanguageModel& model() noexcept { return model_; }
  // The same.
  const LanguageModel& model() const noexcept { return model_; }
  // All A and B, and all their gradients, side by side; what lies between them is 0.
  VectorView<float> values() noexcept override { return values_; }
  VectorView<const float> values() const noexcept { return values_; }
  VectorView<float> gradient() noexcept override { return gradient_; }
  // A and B are matrices.
  Index decayed() const noexcept override { return values_.shape()[0]; }
  // How many numbers A and B are.
  Index parameter_count() const noexcept;
  // All that it owns.
  std::size_t bytes() const noexcept;

  // d_A = alpha / rank B^T d_W,  d_B = alpha / rank d_W A^T, from the model's gradients.
  void take_gradients(const Context& context = {}) override;
  // Puts W + alpha / rank B A into the model, after A and B have changed.
  void merge(const Context& context = {}) override;

  ModelLoss accumulate(const TrainingBatch& batch, const ModelGradientOptions& options,
                       const Context& context) override {
    return model_.accumulate(batch, options, context);
  }

  // Those of the model, with A and B merged.
  std::vector<StoredParameter> parameters() const override { return model_.parameters(); }
  // A and B as files of PEFT's have them, in memory that is laid out as values(): themselves, or
  // their moments. Not to be written where it may not be.
  std::vector<StoredParameter> parameters(const VectorView<const float>& memory) const override;
  // The parameters of the model that do not change.
  std::vector<StoredParameter> base() const override;

 private:
  // The gradients of a pair: those of W, of the model, and those of A and B.
  struct Gradients {
    MatrixView<float> weight, a, b;
  };

  LanguageModel& model_;
  LoraOptions options_;
  Buffer<float, 1> values_, gradient_, base_;
  std::vector<detail::LoraPair> pairs_;
  std::vector<Gradients> gradients_;           // one each
  std::vector<MatrixView<float>> base_views_;  // W of each
};

}  // namespace tril
