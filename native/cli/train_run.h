// A run of `tril train`: its folder, and the loop.
#pragma once

#include <tril/model/model_config_json.h>
#include <tril/model/model_file.h>
#include <tril/text/tokenizer.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "program.h"
#include "run_settings.h"
#include "train_data.h"

namespace tril::cli {

// Everything that a run is made of.
struct TrainPlan {
  RunSettings settings;
  ModelConfig config;
  TrainerOptions options;
  TrainTexts texts;
  Tokenizer tokenizer;
  std::vector<std::byte> checkpoint;         // the file to go on from; empty: a new run
  std::string vocabulary_note = {};          // why it is smaller than was asked for
  std::optional<ModelParameters> from = {};  // the values to begin with; none: they are drawn
  ModelTokens tokens = {};                   // what config.json names
  std::optional<LoraOptions> lora = {};      // of an adapter; none: the whole model is trained
};

// Trains to the end, or until it is interrupted, alone in its folder; in one process, or as one of
// several, each of which makes the same plan. Lines about it go to standard error, the report to
// standard output.
ExitCode run_training(const Program& program, const std::filesystem::path& folder,
                      const std::function<TrainPlan()>& plan);

}  // namespace tril::cli
