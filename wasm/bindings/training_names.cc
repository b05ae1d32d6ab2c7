#include <emscripten/bind.h>
#include <tril/model/trainer.h>
#include <tril/text/train_tokenizer.h>

#include "guard.h"
#include "names.h"

namespace tril::js {

namespace {

// The names of a kind of option of models and their training, like option_names.
Names training_names(const std::string& kind) {
  if (kind == "family") return names_in(kModelFamilies);
  if (kind == "norm") return names_in(kModelNorms);
  if (kind == "normPlace") return names_in(kModelNormPlaces);
  if (kind == "positions") return names_in(kModelPositions);
  if (kind == "feedForward") return names_in(kModelFeedForwards);
  if (kind == "rotaryScaling") return names_in(kRotaryScalingKinds);
  if (kind == "optimizer") return names_in(kTrainingOptimizers);
  if (kind == "objective") return names_in(kTrainingObjectives);
  if (kind == "tokenizer") return names_in(kTokenizerKinds);
  fail("training_names", "kind", {"there is no \"", kind, "\""});
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_training_names) {
  using namespace emscripten;
  function("_trainingNames", guard<&training_names>);
}

}  // namespace tril::js
