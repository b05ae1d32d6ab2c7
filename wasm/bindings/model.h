// Models that others have trained, to be run: the core's PretrainedModel, DecodingSession and
// Generation.
#pragma once

#include <tril/model/generation.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files.h"
#include "tensor.h"

namespace tril::js {

// One that JavaScript owns, while its files come and after; what it takes counts as the engine's.
class Model {
 public:
  Model(Engine& engine, const PretrainedConfig& config, std::optional<Tokenizer> tokenizer);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  Engine& engine;
  PretrainedModel model;
  ParameterReader reader;
  std::map<std::string, std::vector<ParameterPlace>> places;  // in each file, by its name
};

using ModelHandle = std::shared_ptr<Model>;

// From the bytes of config.json, of generation_config.json, and of tokenizer.json, or, with merges,
// vocab.json; none where a file is empty; `context` as with_context takes it. Throws Error naming
// the file.
ModelHandle make_model(Engine& engine, const Bytes& config, const Bytes& generation,
                       const Bytes& tokenizer, const Bytes& merges, int context);
// The files that a model.safetensors.index.json lists.
Names model_shards(const Bytes& index);

// Where the tensors of a .safetensors file of so many bytes begin, by its first 8
// or more.
double model_begin(const std::string& name, const Bytes& begin, double file_size);

// The exports of a model. Of each of its files the bytes before the tensors, for which it says
// where the parameters are, first byte and size by turns; then, when all of them have been opened,
// the bytes of these, by their number, piece by piece from the byte `begin` of each on; and at the
// end whether all were there:
Numbers model_open(Model& model, const std::string& name, const Bytes& header, double file_size);
void model_read(Model& model, const std::string& name, int parameter, double begin,
                const Bytes& bytes);
void model_finish(Model& model);
// How many numbers of which type the parameters are, and what they take, as JSON.
std::string model_parameters(const Model& model);
// model_config_json.
std::string model_config(const Model& model);
bool model_has_tokenizer(const Model& model);
Integers model_encode(const Model& model, const Bytes& text);
Bytes model_decode(const Model& model, const Integers& tokens);
// { logits }; with a trace { logits, embedded, "layers.0.weights", ..., finalNormed }, and, where
// they are asked for, "layers.0.logits", the logit lens, and "layers.0.scores". Of each change a
// kind (layer, head, attention, feed-forward, residual stream behind so many layers), layer, head,
// position and whether it has values, which `values` has one behind the other.
NamedTensors model_forward(Model& model, const Integers& tokens, bool trace, bool lens, bool scores,
                           const Integers& changes, const Floats& values);

// Changes with the values that they borrow.
struct ChangesWithValues {
  std::vector<float> values;
  ModelChanges changes;
};

// A text that goes on. It keeps its model.
class Generated {
 public:
  Generated(ModelHandle model, const std::vector<std::int32_t>& prompt,
            const GenerationOptions& options, std::vector<float> values);
  ~Generated();
  Generated(const Generated&) = delete;
  Generated& operator=(const Generated&) = delete;

  ModelHandle model;
  std::vector<float> values;  // that its changes borrow
  Generation generation;
  std::string text;  // behind the last token

 private:
  double bytes_;
};

using GeneratedHandle = std::shared_ptr<Generated>;

GeneratedHandle model_generate(const ModelHandle& model, const Integers& prompt, int max_tokens,
                               double temperature, int top_k, double top_p, double min_p,
                               double seed, const Names& stop, const Integers& changes,
                               const Floats& values);
// The next token; below 0 at the end.
int generated_next(Generated& generated);
// What is sure to be of the text with it, or, at the end, what was held back.
Bytes generated_text(const Generated& generated);
// A name of kGenerationEnds.
std::string generated_end(const Generated& generated);

}  // namespace tril::js
