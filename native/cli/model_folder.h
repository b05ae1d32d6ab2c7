// The folder of a language model, as taken by the commands that run one.
#pragma once

#include <tril/model/pretrained.h>
#include <tril/model/sentence_encoder.h>

#include <string>

#include "program.h"

namespace tril::cli {

struct ModelFolder {
  std::string path, lora;
  Index context = 0;  // in tokens; 0: as in config.json
  ParameterMemory weights = ParameterMemory::as_in_files;

  // Adds --model, --lora, --context and --weights.
  void add_to(CLI::App& command);
  // Reads the model and shows the progress.
  PretrainedModel read() const;
  // The same for a sentence encoder.
  SentenceEncoder read_encoder() const;
  // Throws Failure where the folder has no tokenizer.
  const Tokenizer& tokenizer_of(const PretrainedModel& model) const;
};

}  // namespace tril::cli
