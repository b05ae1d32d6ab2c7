// A run of `tril train`: its folder and its loop.
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

// The parts of a run.
struct TrainPlan {
  RunSettings settings;
  ModelConfig config;
  TrainerOptions options;
  TrainTexts texts;
  Tokenizer tokenizer;
  std::vector<std::byte> checkpoint;         // the file to resume from; empty: a new run
  std::string vocabulary_note = {};          // why it is smaller than asked for
  std::optional<ModelParameters> from = {};  // initial values (default: drawn)
  ModelTokens tokens = {};                   // the tokens named in config.json
  std::optional<LoraOptions> lora = {};      // of an adapter; none: trains the whole model
};

// Trains to the end or until interrupted, and alone in its folder, in one process or as one of
// several with the same plan. Lines about it go to standard error, the report to standard output.
ExitCode run_training(const Program& program, const std::filesystem::path& folder,
                      const std::function<TrainPlan()>& plan);

}  // namespace tril::cli
