// Models trained elsewhere, to run: the core's PretrainedModel.
#pragma once

#include <tril/model/generation.h>
#include <tril/model/lora_file.h>
#include <tril/model/sentence_encoder.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tensor.h"

namespace tril::js {

// A model that JavaScript owns, while its files are read and after. Its memory counts as the
// engine's.
class Model {
 public:
  Model(Engine& engine, const PretrainedConfig& config, std::optional<Tokenizer> tokenizer,
        ParameterMemory weights, ParameterNames names = ParameterNames::of_family);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  Engine& engine;
  PretrainedModel model;
  ParameterReader reader;
  std::optional<StoredLora> lora;                             // merged when all files are read
  std::map<std::string, std::vector<ParameterRange>> ranges;  // in each file, by file name
  std::optional<SentenceSettings> sentence;                   // of a sentence encoder
};

using ModelHandle = std::shared_ptr<Model>;

// The types of parameters in memory: "q8_0", or those of the files.
ParameterMemory memory_of(const std::string& weights);
// Throws Error where a tokenizer does not belong to this model.
void check_tokenizer(const std::optional<Tokenizer>& tokenizer, const ModelConfig& config);

// Interventions, and the values that they borrow.
struct ChangesWithValues {
  std::vector<float> values;
  Interventions changes;
};

// Reads five numbers per change: its kind (layer, head, attention, feed-forward, or the residual
// stream after a number of layers), layer, head, position, and whether it has values, which follow
// each other in `values`.
ChangesWithValues changes_of(const ModelConfig& config, const Integers& changes,
                             const Floats& values);

// Gives logits, or their last row, and, with a trace, embedded, "layers.0.weights", ..., lnFinal,
// and, if asked for, "layers.0.logits", the logit lens, and "layers.0.scores". Changes are as in
// changes_of.
NamedTensors model_forward(Model& model, const Integers& tokens, bool last, bool trace, bool lens,
                           bool scores, const Integers& changes, const Floats& values);

}  // namespace tril::js
