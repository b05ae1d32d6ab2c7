// Text generation with a loaded model or one in training: the core's Generation, which JavaScript
// owns.
#include <emscripten/bind.h>
#include <tril/model/generation.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "guard.h"
#include "model.h"
#include "output.h"
#include "parameters.h"
#include "trainer.h"

namespace tril::js {

namespace {

// A text being generated. It keeps its model, or the model in training, alive.
class Generated {
 public:
  Generated(ModelHandle given, const std::vector<std::int32_t>& prompt,
            const GenerationOptions& options, std::vector<float> given_values)
      : model(std::move(given)),
        engine(model->engine),
        values(std::move(given_values)),
        generation(model->model, prompt, options),
        memory_(engine, generation.session().bytes()) {}
  Generated(TrainingHandle given, const std::vector<std::int32_t>& prompt,
            const GenerationOptions& options)
      : training(std::move(given)),
        engine(training->engine),
        generation(training->model, training->plan.tokenizer ? &*training->plan.tokenizer : nullptr,
                   prompt, options),
        memory_(engine) {}

  ModelHandle model;        // this one
  TrainingHandle training;  // or this one
  Engine& engine;
  std::vector<float> values;  // borrowed by its changes
  Generation generation;
  std::string text;  // the text of the last token

 private:
  CountedBytes memory_;
};

using GeneratedHandle = std::shared_ptr<Generated>;

GenerationOptions options_of(int max_tokens, double temperature, int top_k, double top_p,
                             double min_p, double seed, const Names& stop) {
  GenerationOptions options;
  options.max_tokens = max_tokens;
  options.sampling = {temperature, top_k, top_p, min_p};
  options.seed = static_cast<std::uint64_t>(seed);
  options.stop = emscripten::vecFromJSArray<std::string>(stop);
  return options;
}

GeneratedHandle model_generate(const ModelHandle& model, const Integers& prompt, int max_tokens,
                               double temperature, int top_k, double top_p, double min_p,
                               double seed, const Names& stop, const Integers& changes,
                               const Floats& values) {
  GenerationOptions options = options_of(max_tokens, temperature, top_k, top_p, min_p, seed, stop);
  ChangesWithValues changed = changes_of(model->model.parameters.config(), changes, values);
  options.changes = changed.changes;
  return std::make_shared<Generated>(model, numbers_of(prompt), options, std::move(changed.values));
}

// Without a prompt, generation begins with the first token of the data. A seed below 0 means the
// trainer's seed plus the number of its steps.
GeneratedHandle trainer_generate(const TrainingHandle& training, const Integers& prompt,
                                 int max_tokens, double temperature, int top_k, double top_p,
                                 double min_p, double seed, const Names& stop) {
  GenerationOptions options = options_of(max_tokens, temperature, top_k, top_p, min_p, seed, stop);
  const TrainingPlan& plan = training->plan;
  if (seed < 0) {
    options.seed = plan.options.seed + static_cast<std::uint64_t>(training->trainer.steps());
  }
  std::vector<std::int32_t> first = numbers_of(prompt);
  for (const auto* tokens : {&plan.data.validation, &plan.data.train}) {
    if (first.empty() && !tokens->empty()) first.push_back(tokens->front());
  }
  return std::make_shared<Generated>(training, first, options);
}

// Samples the next token; gives a number below 0 at the end.
int generated_next(Generated& generated) {
  Engine& engine = generated.engine;
  const auto next = generated.generation.next(engine.context);
  if (generated.training) generated.training->count_bytes();
  generated.text = next ? next->text : generated.generation.rest();
  return next ? next->token : -1;
}

// The text that has become final with the last token, or, at the end, the rest.
Bytes generated_text(const Generated& generated) {
  return to_javascript(std::as_bytes(std::span(generated.text)));
}

// Gives a name of kGenerationEnds.
std::string generated_end(const Generated& generated) {
  return std::string(name_of(kGenerationEnds, generated.generation.end()));
}

// logits [..., V]; gives the probabilities that tokens are sampled from, of the same shape.
TensorHandle sampling_probabilities(Engine& engine, const Tensor& logits, double temperature,
                                    int top_k, double top_p, double min_p, Tensor* out) {
  const Output output(engine, out, logits.shape(), "sampling_probabilities");
  tril::sampling_probabilities(rows_of(logits), {temperature, top_k, top_p, min_p},
                               rows_of(*output));
  return output.handle();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_generation) {
  using namespace emscripten;
  class_<Generated>("_Generated")
      .smart_ptr<GeneratedHandle>("_GeneratedHandle")
      .function("next", guard<&generated_next>)
      .function("text", guard<&generated_text>)
      .function("end", guard<&generated_end>);
  function("_modelGenerate", guard<&model_generate>);
  function("_trainerGenerate", guard<&trainer_generate>);
  function("_samplingProbabilities", guard<&sampling_probabilities>, allow_raw_pointers());
}

}  // namespace tril::js
