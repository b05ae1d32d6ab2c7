// The exports of trainer.h, beside those in bindings.cc.
#include <emscripten/bind.h>

#include "guard.h"
#include "names.h"
#include "trainer.h"

using namespace tril::js;
using namespace emscripten;

EMSCRIPTEN_BINDINGS(tril_trainer) {
  class_<Training>("_Trainer")
      .smart_ptr<TrainingHandle>("_TrainerHandle")
      .function("step", guard<&trainer_step>)
      .function("evaluate", guard<&trainer_evaluate>)
      .function("cost", guard<&trainer_cost>)
      .function("done", guard<&trainer_done>)
      .function("parameterCount", guard<&trainer_parameter_count>)
      .function("hasTokenizer", guard<&trainer_has_tokenizer>)
      .function("settings", guard<&trainer_settings>)
      .function("generate", guard<&trainer_generate>)
      .function("encode", guard<&trainer_encode>)
      .function("decode", guard<&trainer_decode>)
      .function("trace", guard<&trainer_trace>)
      .function("tensors", guard<&trainer_tensors>)
      .function("setParameters", guard<&trainer_set_parameters>)
      .function("save", guard<&trainer_save>)
      .function("restore", guard<&trainer_restore>)
      .function("file", guard<&trainer_file>);
  function("_trainer", guard<&make_trainer>);
  function("_trainingNames", guard<&training_names>);
}
