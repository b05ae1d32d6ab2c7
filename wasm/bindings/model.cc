#include "model.h"

#include <emscripten/bind.h>
#include <tril/text/tokenizer_file.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

using emscripten::val;

std::string text_of(const Bytes& bytes) {
  const auto characters = emscripten::convertJSArrayToNumberVector<char>(bytes);
  return {characters.begin(), characters.end()};
}
// All of them, to memory of their size.
void copy(const Bytes& bytes, std::span<std::byte> out) {
  val(emscripten::typed_memory_view(out.size(), reinterpret_cast<std::uint8_t*>(out.data())))
      .call<void>("set", bytes);
}
std::vector<std::byte> bytes_of(const Bytes& bytes) {
  std::vector<std::byte> copied(bytes["length"].as<std::size_t>());
  copy(bytes, copied);
  return copied;
}
std::vector<std::int32_t> numbers_of(const Integers& integers) {
  return emscripten::convertJSArrayToNumberVector<std::int32_t>(integers);
}
Integers to_javascript(const std::vector<std::int32_t>& numbers) {
  return Integers(
      val(emscripten::typed_memory_view(numbers.size(), numbers.data())).call<val>("slice"));
}

// What a catch of of_file does.
[[noreturn]] void fail_of_file(const char* name, const Error& error) {
  if (error.argument() == "memory") throw;
  const bool is_pair = std::string_view(name) == "vocab.json";
  const bool is_file = error.argument() == (is_pair ? "vocabulary" : "file");
  fail("loadModel", name, {is_file ? "" : error.argument() + ": ", error.problem()});
}

// body(), whose errors are those of a file.
template <typename Body>
auto of_file(const char* name, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    fail_of_file(name, error);
  }
}

std::optional<Tokenizer> tokenizer_of(const Bytes& tokenizer, const Bytes& merges) {
  const std::string file = text_of(tokenizer), pairs = text_of(merges);
  if (file.empty()) return {};
  if (pairs.empty()) return of_file("tokenizer.json", [&] { return parse_tokenizer_json(file); });
  return of_file("vocab.json", [&] { return parse_vocabulary_and_merges(file, pairs); });
}

const Tokenizer& tokenizer_of(const Model& model, const char* call) {
  if (!model.model.tokenizer) fail(call, "tokenizer", "there was none among the files");
  return *model.model.tokenizer;
}

}  // namespace

Model::Model(Engine& given_engine, const PretrainedConfig& config,
             std::optional<Tokenizer> tokenizer)
    : engine(given_engine),
      model{ModelParameters(config.config, ParameterMemory::as_in_files), config.tokens.end,
            std::move(tokenizer), config.tokens},
      reader(model.parameters) {}

Model::~Model() { engine.usage.bytes -= static_cast<double>(model.parameters.bytes()); }

ModelHandle make_model(Engine& engine, const Bytes& config, const Bytes& generation,
                       const Bytes& tokenizer, const Bytes& merges, int context) {
  const std::string text = text_of(config);
  PretrainedConfig settings = of_file("config.json", [&] { return parse_model_config(text); });
  settings.config = with_context(settings.config, context, "loadModel");
  std::optional<Tokenizer> read = tokenizer_of(tokenizer, merges);
  if (read && reaches_beyond(*read, settings.config.vocabulary)) {
    fail("loadModel", "tokenizer",
         {"has ", static_cast<Index>(read->size()), " tokens, and the model a vocabulary of ",
          settings.config.vocabulary});
  }
  std::optional<std::vector<std::int32_t>> ends;
  if (const std::string file = text_of(generation); !file.empty()) {
    ends = of_file("generation_config.json",
                   [&] { return parse_generation_config(file, settings.config.vocabulary); });
  }
  const ModelHandle model = of_file(
      "config.json", [&] { return std::make_shared<Model>(engine, settings, std::move(read)); });
  if (ends) model->model.end_tokens = std::move(*ends);
  return model;
}

Names model_shards(const Bytes& index) {
  const std::string text = text_of(index);
  return Names(
      val::array(of_file("model.safetensors.index.json", [&] { return parse_shard_index(text); })));
}

double model_begin(const std::string& name, const Bytes& begin, double file_size) {
  const std::vector<std::byte> bytes = bytes_of(begin);
  return of_file(name.c_str(), [&] {
    return static_cast<double>(safetensors_begin(bytes, static_cast<std::size_t>(file_size)));
  });
}

Numbers model_open(Model& model, const std::string& name, const Bytes& header, double file_size) {
  const std::vector<std::byte> bytes = bytes_of(header);
  std::vector<ParameterPlace>& found = model.places[name];
  found = of_file(name.c_str(), [&] {
    return model.reader.find(parse_safetensors_header(bytes, static_cast<std::size_t>(file_size)));
  });
  std::vector<double> places;
  for (const ParameterPlace& each : found) {
    places.push_back(static_cast<double>(each.begin));
    places.push_back(static_cast<double>(each.size));
  }
  return Numbers(val::array(places));
}

void model_read(Model& model, const std::string& name, int parameter, double begin,
                const Bytes& bytes) {
  const std::size_t before = model.model.parameters.bytes();
  model.reader.allocate();  // what is missing is missing in all files
  of_file(name.c_str(), [&] {
    const ParameterPlace& place = model.places.at(name).at(static_cast<std::size_t>(parameter));
    model.reader.read(place, static_cast<std::size_t>(begin), bytes["length"].as<std::size_t>(),
                      [&](std::span<std::byte> out) { copy(bytes, out); });
  });
  model.engine.usage.bytes += static_cast<double>(model.model.parameters.bytes() - before);
}

void model_finish(Model& model) {
  model.reader.finish();
  model.places.clear();
}

std::string model_parameters(const Model& model) {
  const ModelParameters& parameters = model.model.parameters;
  std::string types;
  Index count = 0;
  for (const auto& [type, numbers] : parameters.types()) {
    if (!types.empty()) types += ',';
    types += std::string("\"") + element_name(type) + "\":" + std::to_string(numbers);
    count += numbers;
  }
  return "{\"count\":" + std::to_string(count) +
         ",\"bytes\":" + std::to_string(parameters.bytes()) + ",\"types\":{" + types + "}}";
}

std::string model_config(const Model& model) {
  return model_config_json(model.model.parameters.config(), ElementType::float32,
                           model.model.tokens);
}

bool model_has_tokenizer(const Model& model) { return model.model.tokenizer.has_value(); }

Integers model_encode(const Model& model, const Bytes& text) {
  return to_javascript(tokenizer_of(model, "encode").encode(text_of(text)));
}

Bytes model_decode(const Model& model, const Integers& tokens) {
  const std::string text = tokenizer_of(model, "decode").decode(numbers_of(tokens));
  return to_javascript(std::as_bytes(std::span(text)));
}

namespace {

ChangesWithValues changes_of(const ModelConfig& config, const Integers& changes,
                             const Floats& values) {
  enum { layer, head, attention, feed_forward, residual };
  ChangesWithValues made{emscripten::convertJSArrayToNumberVector<float>(values), {}};
  ModelChanges& all = made.changes;
  const std::vector<std::int32_t> parts = numbers_of(changes);
  const float* next = made.values.data();
  for (std::size_t n = 0; n + 4 < parts.size(); n += 5) {
    const Index kind = parts[n], at = parts[n + 1], number = parts[n + 2], position = parts[n + 3];
    const Index width = kind == head ? config.head_width() : config.width;
    VectorView<const float> value;
    if (parts[n + 4] != 0) {
      value = {next, {width}};
      next += width;
    }
    if (kind == layer) {
      all.without_layers.push_back(at);
    } else if (kind == head) {
      all.heads.push_back({at, number, position, value});
    } else if (kind == residual) {
      all.residual.push_back({at, position, value});
    } else {
      const LayerPart part = kind == attention ? LayerPart::attention : LayerPart::feed_forward;
      all.sublayers.push_back({at, part, position, value});
    }
  }
  return made;
}

}  // namespace

NamedTensors model_forward(Model& model, const Integers& tokens, bool trace, bool lens, bool scores,
                           const Integers& given_changes, const Floats& values) {
  constexpr const char* kCall = "forward";
  Engine& engine = model.engine;
  const ModelConfig& config = model.model.parameters.config();
  const std::vector<std::int32_t> ids = numbers_of(tokens);
  const auto count = static_cast<Index>(ids.size());
  if (count == 0) fail(kCall, "tokens", "there are none");
  if (count > config.context) {
    fail(kCall, "tokens", {"are ", count, ", and the context is ", config.context});
  }
  const ChangesWithValues changed = changes_of(config, given_changes, values);
  check_model_changes(config, changed.changes, kCall);
  DecodingSession session(model.model.parameters, count);
  session.set_changes(changed.changes);

  Results results(engine, kCall);
  // A tensor of the view's shape, but for a first axis of one sequence.
  const auto make = [&](const std::string& name, auto& view) {
    const auto& shape = view.shape();
    const auto begin = shape.begin() + (shape.size() > 2 ? 1 : 0);
    view = {results.make(name, DynamicShape(begin, shape.end())).data(), shape};
  };
  const auto make_wanted = [&](const std::string& name, auto& view) {
    if (view.count() > 0) make(name, view);
  };
  MatrixView<float> logits(nullptr, {count, config.vocabulary});
  make("logits", logits);
  ModelTrace wanted;
  if (trace) {
    SavedMemory shapes;
    wanted = model_trace(config, count, 0, shapes, {.scores = scores});
    make("embedded", wanted.embedded);
    for (std::size_t n = 0; n < wanted.layers.size(); ++n) {
      const std::string at = "layers." + std::to_string(n) + ".";
      ModelLayerTrace& layer = wanted.layers[n];
      make(at + "normed1", layer.normed1);
      make_wanted(at + "unrotatedQueries", layer.attention.unrotated_queries);
      make_wanted(at + "unrotatedKeys", layer.attention.unrotated_keys);
      make(at + "queries", layer.attention.queries);
      make(at + "keys", layer.attention.keys);
      make(at + "values", layer.attention.values);
      make_wanted(at + "scores", layer.attention.attention.scores);
      make(at + "weights", layer.attention.attention.weights);
      make(at + "heads", layer.attention.heads);
      make(at + "attention", layer.from_attention);
      make(at + "between", layer.between);
      make(at + "normed2", layer.normed2);
      make(at + "hidden", layer.feed_forward.hidden);
      make(at + "activated", layer.feed_forward.activated);
      make(at + "feedForward", layer.from_feed_forward);
      make(at + "out", layer.out);
    }
    make("finalNormed", wanted.final_normed);
  }
  session.append(ids, logits, engine.scratch, engine.parallel, wanted);
  for (std::size_t n = 0; lens && n < wanted.layers.size(); ++n) {
    MatrixView<float> seen(nullptr, logits.shape());
    make("layers." + std::to_string(n) + ".logits", seen);
    session.read_out(wanted.layers[n].out, seen, engine.scratch, engine.parallel);
  }
  return results.hand_over();
}

Generated::Generated(ModelHandle given, const std::vector<std::int32_t>& prompt,
                     const GenerationOptions& options, std::vector<float> given_values)
    : model(std::move(given)),
      values(std::move(given_values)),
      generation(model->model, prompt, options),
      bytes_(static_cast<double>(generation.session().bytes())) {
  model->engine.usage.bytes += bytes_;
}

Generated::~Generated() { model->engine.usage.bytes -= bytes_; }

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

int generated_next(Generated& generated) {
  Engine& engine = generated.model->engine;
  const auto next = generated.generation.next(engine.scratch, engine.parallel);
  generated.text = next ? next->text : generated.generation.rest();
  return next ? next->token : -1;
}

Bytes generated_text(const Generated& generated) {
  return to_javascript(std::as_bytes(std::span(generated.text)));
}

std::string generated_end(const Generated& generated) {
  return std::string(name_of(kGenerationEnds, generated.generation.end()));
}

}  // namespace tril::js

using namespace tril::js;
using namespace emscripten;

EMSCRIPTEN_BINDINGS(tril_model) {
  class_<Model>("_Model")
      .smart_ptr<ModelHandle>("_ModelHandle")
      .function("open", guard<&model_open>)
      .function("read", guard<&model_read>)
      .function("finish", guard<&model_finish>)
      .function("config", guard<&model_config>)
      .function("parameters", guard<&model_parameters>)
      .function("hasTokenizer", guard<&model_has_tokenizer>)
      .function("encode", guard<&model_encode>)
      .function("decode", guard<&model_decode>)
      .function("forward", guard<&model_forward>);
  class_<Generated>("_Generated")
      .smart_ptr<GeneratedHandle>("_GeneratedHandle")
      .function("next", guard<&generated_next>)
      .function("text", guard<&generated_text>)
      .function("end", guard<&generated_end>);
  function("_model", guard<&make_model>);
  function("_modelShards", guard<&model_shards>);
  function("_modelBegin", guard<&model_begin>);
  function("_modelGenerate", guard<&model_generate>);
}
