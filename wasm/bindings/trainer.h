// Models in training: the core's LanguageModel and Trainer, with their data and tokenizer.
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
  const ModelParameters* from = nullptr;  // initial values (default null: drawn)
  ModelTokens named = {};                 // the tokens named in config.json
  std::optional<LoraOptions> lora = {};   // of an adapter; none: trains the whole model
  std::optional<Tokenizer> tokenizer;     // none: there are only numbers
  TrainingTokens data;                    // empty: every step is given its own
  Metadata about;                         // metadata saved with a checkpoint
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
