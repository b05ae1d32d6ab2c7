// Models in training: the core's LanguageModel and Trainer, what they learn from, and the tokenizer
// of that.
#pragma once

#include <tril/model/model_file.h>
#include <tril/model/training_text.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "tensor.h"

namespace tril::js {

// What a Training is made from.
struct TrainingPlan {
  ModelConfig config;
  TrainerOptions options;
  std::optional<Tokenizer> tokenizer;  // none: there are only numbers
  TrainingTokens data;                 // empty: every step is given its own
  Metadata about;                      // what is kept with a checkpoint
};

// One that JavaScript owns; what it takes counts as the engine's.
class Training {
 public:
  Training(Engine& engine, TrainingPlan plan);
  ~Training();
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  Engine& engine;
  TrainingPlan plan;
  LanguageModel model;
  Trainer trainer;

  // After whatever may have taken memory.
  void count_bytes() noexcept;

 private:
  double bytes_ = 0;
};

using TrainingHandle = std::shared_ptr<Training>;

// Throws Error where the data has no window to `what`, "train on" or "measure on".
void check_length(const std::vector<TokenId>& tokens, const ModelConfig& config, const char* call,
                  const char* what);

// Throws Error where a checkpoint says that it was trained on other data.
void check_same_data(const Metadata& checkpoint, const Metadata& about);

// From settings, names and texts by turns as the core's set_settings has them; what is learned
// from, `source` being "text", "tokens" or "batches"; and perhaps a checkpoint to go on from.
// Throws Error for whatever does not fit, before any step.
TrainingHandle make_trainer(Engine& engine, const Names& settings, const std::string& source,
                            const Bytes& text, const Integers& tokens, const std::string& tokenizer,
                            const Bytes& checkpoint);

// The exports of a trainer. Batches are [rows, T], tokens and targets; 0 rows: of the data.
Numbers trainer_step(Training& training, const Integers& tokens, const Integers& targets, int rows);
// Flops and bytes of forward, backward and optimizer.
Numbers trainer_cost(const Training& training, int batches, int tokens);
// Mean loss, targets that count, and those that are held most likely.
Numbers trainer_evaluate(Training& training, const Integers& tokens, const Integers& targets,
                         int rows);
double trainer_done(const Training& training);
double trainer_parameter_count(const Training& training);
bool trainer_has_tokenizer(const Training& training);
// Names and texts by turns.
Names trainer_settings(const Training& training);
// The tokens that follow a prompt; without one, the first of the data. A seed below 0: the
// trainer's and the number of its steps.
Integers trainer_generate(Training& training, const Integers& prompt, int count, double temperature,
                          int top_k, double seed);
Integers trainer_encode(const Training& training, const Bytes& text);
Bytes trainer_decode(const Training& training, const Integers& tokens);
// { logits, "layers.0.weights", ... } of [rows, T] tokens, or, 0 rows, of one sequence.
NamedTensors trainer_trace(Training& training, const Integers& tokens, int rows);
// Copies of the "parameters", "gradients", "first" or "second" moments, all of them or those of
// these names.
NamedTensors trainer_tensors(Training& training, const std::string& which, const Names& names);
// Puts these in the place of the parameters of these names; none where one does not fit.
void trainer_set_parameters(Training& training, const Names& names, const NamedTensors& values);
Bytes trainer_save(const Training& training);
void trainer_restore(Training& training, const Bytes& checkpoint);
// "model.safetensors", "config.json" or "tokenizer.json".
Bytes trainer_file(const Training& training, const std::string& name);

}  // namespace tril::js
