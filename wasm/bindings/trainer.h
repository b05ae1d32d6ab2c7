// Models in training: the core's LanguageModel and Trainer, their data, and its tokenizer.
#pragma once

#include <tril/model/model_file.h>
#include <tril/model/training_text.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learner.h"

namespace tril::js {

// The parts of a Training.
struct TrainingPlan {
  ModelConfig config;
  TrainerOptions options;
  const ModelParameters* from = nullptr;  // the values to begin with; null: they are drawn
  ModelTokens named = {};                 // what config.json names
  std::optional<LoraOptions> lora = {};   // of an adapter; none: the whole model is trained
  std::optional<Tokenizer> tokenizer;     // none: there are only numbers
  TrainingTokens data;                    // empty: every step is given its own
  Metadata about;                         // what is kept with a checkpoint
};

// A language model in training that JavaScript owns.
class Training : public Learner {
 public:
  Training(Engine& engine, TrainingPlan plan);

  Trainer& learning() noexcept override { return trainer; }

  TrainingPlan plan;
  LanguageModel model;
  std::optional<LoraAdapter> adapter;
  Trainer trainer;

 protected:
  std::size_t bytes() const noexcept override;
};

using TrainingHandle = std::shared_ptr<Training>;

// Throws Error where the tokens are too few for a window to `what`, "train on" or "measure on".
void check_length(const std::vector<TokenId>& tokens, const ModelConfig& config, const char* call,
                  const char* what);

}  // namespace tril::js
