// The folder of a language model, as the commands that run one take it.
#pragma once

#include <tril/model/pretrained.h>
#include <tril/model/sentence_encoder.h>

#include <string>

#include "program.h"

namespace tril::cli {

struct ModelFolder {
  std::string path;
  Index context = 0;  // tokens at once; 0: as config.json says
  ParameterMemory weights = ParameterMemory::as_in_files;

  // --model, --context and --weights.
  void add_to(CLI::App& command);
  // Reads it, and shows how far it is.
  PretrainedModel read() const;
  // The same of a sentence encoder.
  SentenceEncoder read_encoder() const;
  // Throws Failure where the folder has none.
  const Tokenizer& tokenizer_of(const PretrainedModel& model) const;
};

}  // namespace tril::cli
