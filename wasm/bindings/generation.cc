// Texts that a model makes: the core's Generation, which JavaScript owns.
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
#include "parameters.h"

namespace tril::js {

namespace {

// A text in the making. It keeps its model alive.
class Generated {
 public:
  Generated(ModelHandle given, const std::vector<std::int32_t>& prompt,
            const GenerationOptions& options, std::vector<float> given_values)
      : model(std::move(given)),
        values(std::move(given_values)),
        generation(model->model, prompt, options),
        bytes_(static_cast<double>(generation.session().bytes())) {
    model->engine.usage.bytes += bytes_;
  }
  ~Generated() { model->engine.usage.bytes -= bytes_; }
  Generated(const Generated&) = delete;
  Generated& operator=(const Generated&) = delete;

  ModelHandle model;
  std::vector<float> values;  // that its changes borrow
  Generation generation;
  std::string text;  // what the last token added

 private:
  double bytes_;
};

using GeneratedHandle = std::shared_ptr<Generated>;

GeneratedHandle model_generate(const ModelHandle& model, const Integers& prompt, int max_tokens,
                               double temperature, int top_k, double top_p, double min_p,
                               double seed, const Names& stop, const Integers& changes,
                               const Floats& values) {
  GenerationOptions options;
  options.max_tokens = max_tokens;
  options.sampling = {temperature, top_k, top_p, min_p};
  options.seed = static_cast<std::uint64_t>(seed);
  options.stop = emscripten::vecFromJSArray<std::string>(stop);
  ChangesWithValues changed = changes_of(model->model.parameters.config(), changes, values);
  options.changes = changed.changes;
  return std::make_shared<Generated>(model, numbers_of(prompt), options, std::move(changed.values));
}

// Draws the next token; below 0 at the end.
int generated_next(Generated& generated) {
  Engine& engine = generated.model->engine;
  const auto next = generated.generation.next(engine.context);
  generated.text = next ? next->text : generated.generation.rest();
  return next ? next->token : -1;
}

// The text that has become final with the last token, or, at the end, the rest.
Bytes generated_text(const Generated& generated) {
  return to_javascript(std::as_bytes(std::span(generated.text)));
}

// A name of kGenerationEnds.
std::string generated_end(const Generated& generated) {
  return std::string(name_of(kGenerationEnds, generated.generation.end()));
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
}

}  // namespace tril::js
