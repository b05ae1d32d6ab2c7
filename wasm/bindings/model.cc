// Models trained elsewhere, read from their files.
#include "model.h"

#include <emscripten/bind.h>
#include <tril/files/json_writer.h>
#include <tril/model/evaluation.h>
#include <tril/model/gguf_config.h>
#include <tril/model/model_attention.h>
#include <tril/model/parameter_writer.h>
#include <tril/text/gguf_tokenizer.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "guard.h"
#include "parameters.h"
#include "tokenizer.h"

namespace tril::js {

namespace {

using emscripten::val;

// Copies all bytes to memory of the same size.
void copy(const Bytes& bytes, std::span<std::byte> out) {
  val(emscripten::typed_memory_view(out.size(), reinterpret_cast<std::uint8_t*>(out.data())))
      .call<void>("set", bytes);
}
std::vector<std::byte> bytes_of(const Bytes& bytes) {
  std::vector<std::byte> copied(bytes["length"].as<std::size_t>());
  copy(bytes, copied);
  return copied;
}

const Tokenizer& tokenizer_of(const Model& model, const char* call) {
  if (!model.model.tokenizer) fail(call, "tokenizer", "there was none among the files");
  return *model.model.tokenizer;
}

}  // namespace

Model::Model(Engine& given_engine, const PretrainedConfig& config,
             std::optional<Tokenizer> tokenizer, ParameterMemory weights, ParameterNames names)
    : engine(given_engine),
      model{ModelParameters(config.config, weights), config.tokens.end, std::move(tokenizer),
            config.tokens},
      reader(model.parameters, names) {}

Model::~Model() { engine.usage.bytes -= static_cast<double>(model.parameters.bytes()); }

ParameterMemory memory_of(const std::string& weights) {
  return weights == "q8_0" ? ParameterMemory::q8_0 : ParameterMemory::as_in_files;
}

void check_tokenizer(const std::optional<Tokenizer>& tokenizer, const ModelConfig& config) {
  if (!tokenizer || !reaches_beyond(*tokenizer, config.vocabulary)) return;
  fail("loadModel", "tokenizer",
       {"has ", static_cast<Index>(tokenizer->size()), " tokens, and the model a vocabulary of ",
        config.vocabulary});
}

namespace {

void check_language_model(const ModelConfig& config, const char* file) {
  if (config.has_head) return;
  fail("loadModel", file, "is of a sentence encoder, which loadEncoder opens");
}

// Makes a model from the bytes of config.json, of generation_config.json, and of tokenizer.json,
// or, with merges, vocab.json, each of which may be empty. `context` is as in with_context, and
// `weights` is "q8_0", or the types of the files. Throws Error naming the file.
ModelHandle make_model(Engine& engine, const Bytes& config, const Bytes& generation,
                       const Bytes& tokenizer, const Bytes& merges, int context,
                       const std::string& weights) {
  const std::string text = text_of(config);
  PretrainedConfig settings = of_file("config.json", [&] { return parse_model_config(text); });
  check_language_model(settings.config, "config.json");
  settings.config = with_context(settings.config, context, "loadModel");
  std::optional<Tokenizer> read = tokenizer_of(tokenizer, merges);
  check_tokenizer(read, settings.config);
  std::optional<std::vector<std::int32_t>> ends;
  if (const std::string file = text_of(generation); !file.empty()) {
    ends = of_file("generation_config.json",
                   [&] { return parse_generation_config(file, settings.config.vocabulary); });
  }
  const ModelHandle model = of_file("config.json", [&] {
    return std::make_shared<Model>(engine, settings, std::move(read), memory_of(weights));
  });
  if (ends) model->model.end_tokens = std::move(*ends);
  return model;
}

constexpr const char* kGguf = ".gguf";  // the extension of GGUF files

// Makes a model, or a sentence encoder, from the part of a GGUF file before its tensors, as for
// model_open.
ModelHandle make_gguf_model(Engine& engine, const std::string& name, const Bytes& header,
                            double file_size, int context, const std::string& weights,
                            bool is_encoder) {
  const char* const call = is_encoder ? "loadEncoder" : "loadModel";
  const std::vector<std::byte> bytes = bytes_of(header);
  return of_file(name.c_str(), [&] {
    const Gguf file = parse_gguf_header(bytes, static_cast<std::size_t>(file_size));
    PretrainedConfig settings = parse_gguf_config(file);
    std::optional<SentenceSettings> sentence;
    if (is_encoder) {
      check_encoder(settings.config, call);
      sentence = parse_sentence_settings(file);
    } else {
      check_language_model(settings.config, "file");
    }
    settings.config = with_context(settings.config, context, call);
    std::optional<Tokenizer> tokenizer = parse_gguf_tokenizer(file);
    if (is_encoder && !tokenizer) fail(call, "file", "has no tokenizer");
    check_tokenizer(tokenizer, settings.config);
    auto model = std::make_shared<Model>(engine, settings, std::move(tokenizer), memory_of(weights),
                                         ParameterNames::of_gguf);
    model->sentence = sentence;
    return model;
  });
}

// Gives the names of the files in a model.safetensors.index.json.
Names model_shards(const Bytes& index) {
  const std::string text = text_of(index);
  return Names(
      val::array(of_file("model.safetensors.index.json", [&] { return parse_shard_index(text); })));
}

// Gives the byte at which the tensors of a file begin, from its first 8 bytes or more; for a GGUF
// file it may give a larger number of bytes with which to call again.
double model_begin(const std::string& name, const Bytes& begin, double file_size) {
  const std::vector<std::byte> bytes = bytes_of(begin);
  return of_file(name.c_str(), [&] {
    const auto size = static_cast<std::size_t>(file_size);
    return static_cast<double>(name.ends_with(kGguf) ? gguf_begin(bytes, size)
                                                     : safetensors_begin(bytes, size));
  });
}

// A model is read in three steps. model_open takes the bytes of a file before its tensors, and
// gives the first byte and the size of each parameter. When all files have been opened, model_read
// takes the bytes of a parameter, piece by piece, from its byte `begin` on. model_finish throws
// Error unless all parameters were read.
Numbers model_open(Model& model, const std::string& name, const Bytes& header, double file_size) {
  const std::vector<std::byte> bytes = bytes_of(header);
  std::vector<ParameterRange>& found = model.ranges[name];
  found = of_file(name.c_str(), [&] {
    const auto size = static_cast<std::size_t>(file_size);
    return model.reader.find(name.ends_with(kGguf) ? parse_gguf_header(bytes, size).tensors
                                                   : parse_safetensors_header(bytes, size).tensors);
  });
  std::vector<double> ranges;
  for (const ParameterRange& each : found) {
    ranges.push_back(static_cast<double>(each.begin));
    ranges.push_back(static_cast<double>(each.size));
  }
  return Numbers(val::array(ranges));
}

void model_read(Model& model, const std::string& name, int parameter, double begin,
                const Bytes& bytes) {
  const std::size_t before = model.model.parameters.bytes();
  model.reader.allocate();  // throws Error for parameters missing in all files
  of_file(name.c_str(), [&] {
    const ParameterRange& range = model.ranges.at(name).at(static_cast<std::size_t>(parameter));
    model.reader.read(range, static_cast<std::size_t>(begin), bytes["length"].as<std::size_t>(),
                      [&](std::span<std::byte> out) { copy(bytes, out); });
  });
  model.engine.usage.bytes += static_cast<double>(model.model.parameters.bytes() - before);
}

void model_finish(Model& model) {
  model.reader.finish();
  model.ranges.clear();
  if (model.lora) model.lora->merge(model.model.parameters, model.engine.context);
  model.lora.reset();
}

// Takes the bytes of an adapter_config.json and an adapter_model.safetensors, before any file of
// the model is opened.
void model_adapt(Model& model, const Bytes& config, const Bytes& tensors) {
  const std::string text = text_of(config);
  const StoredLoraConfig settings =
      of_file("adapter_config.json", [&] { return parse_lora_config(text); });
  const std::vector<std::byte> bytes = bytes_of(tensors);
  const ModelParameters& parameters = model.model.parameters;
  model.lora = of_file("adapter_model.safetensors",
                       [&] { return StoredLora(settings, bytes, parameters.config()); });
  model.lora->hold_as_floats(model.reader, parameters);
}

// Gives the number of parameters of each type, and their bytes, as JSON.
std::string model_parameters(const Model& model) {
  constexpr int kLayout = tril::detail::kJsonTight;
  tril::detail::JsonWriter types('{', kLayout), all('{', kLayout);
  Index count = 0;
  for (const auto& [type, numbers] : model.model.parameters.types()) {
    types.add(name_of(kWeightKinds, type), numbers);
    count += numbers;
  }
  all.add("count", count), all.add("bytes", model.model.parameters.bytes());
  all.add("types", std::move(types).end());
  return std::move(all).end().text;
}

// Gives the core's model_config_json.
std::string model_config(const Model& model) {
  return model_config_json(model.model.parameters.config(), ElementType::float32,
                           model.model.tokens);
}

bool model_has_tokenizer(const Model& model) { return model.model.tokenizer.has_value(); }

Integers model_encode(const Model& model, const Bytes& text) {
  return encoded(tokenizer_of(model, "encode"), text);
}

Bytes model_decode(const Model& model, const Integers& tokens) {
  return decoded(tokenizer_of(model, "decode"), tokens);
}

// The type of most elements.
ElementType main_type(const ModelParameters& parameters) {
  const std::vector<NumbersOfType> types = parameters.types();
  return stored_type(std::ranges::max_element(types, {}, &NumbersOfType::count)->type);
}

// Gives the bytes of "model.safetensors", "config.json" or "tokenizer.json". The end tokens,
// whichever file named them, are written to config.json.
Bytes model_bytes(const Model& model, const std::string& name) {
  const ModelParameters& parameters = model.model.parameters;
  if (name == "model.safetensors") {
    const ParameterWriter writer(parameters);
    const val file = val::global("Uint8Array").new_(static_cast<double>(writer.size()));
    double at = 0;
    writer.write([&](std::span<const std::byte> piece) {
      const auto* const first = reinterpret_cast<const std::uint8_t*>(piece.data());
      file.call<void>("set", val(emscripten::typed_memory_view(piece.size(), first)), at);
      at += static_cast<double>(piece.size());
    });
    return Bytes(file);
  }
  if (name == "tokenizer.json") return file_of(tokenizer_of(model, "export"));
  ModelTokens tokens = model.model.tokens;
  tokens.end = model.model.end_tokens;
  const std::string text = model_config_json(parameters.config(), main_type(parameters), tokens);
  return to_javascript(std::as_bytes(std::span(text)));
}

// Fills `losses` with the losses of all tokens but the first. Gives their mean, their number, and
// the number of tokens that the model holds most likely.
Numbers model_evaluate(Model& model, const Integers& tokens, Tensor& losses) {
  losses.written();
  Engine& engine = model.engine;
  const ModelLoss loss = evaluate_text(model.model.parameters, numbers_of(tokens),
                                       {losses.data(), {losses.count()}}, engine.context);
  return to_javascript(loss);
}

// Gives the attention weights of all heads, [L, H, T, T].
TensorHandle model_weights_of(Model& model, const Integers& tokens) {
  const std::vector<std::int32_t> ids = numbers_of(tokens);
  const ModelParameters& parameters = model.model.parameters;
  const Shape<4> shape = model_attention_shape(parameters, static_cast<Index>(ids.size()));
  const auto out =
      std::make_shared<Tensor>(model.engine, DynamicShape(shape.begin(), shape.end()), "attention");
  model_attention(parameters, ids, {out->data(), shape}, model.engine.context);
  return out;
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_model) {
  using namespace emscripten;
  class_<Model>("_Model")
      .smart_ptr<ModelHandle>("_ModelHandle")
      .function("adapt", guard<&model_adapt>)
      .function("open", guard<&model_open>)
      .function("read", guard<&model_read>)
      .function("finish", guard<&model_finish>)
      .function("config", guard<&model_config>)
      .function("parameters", guard<&model_parameters>)
      .function("hasTokenizer", guard<&model_has_tokenizer>)
      .function("encode", guard<&model_encode>)
      .function("decode", guard<&model_decode>)
      .function("file", guard<&model_bytes>)
      .function("evaluate", guard<&model_evaluate>)
      .function("attention", guard<&model_weights_of>)
      .function("forward", guard<&model_forward>);
  function("_model", guard<&make_model>);
  function("_ggufModel", guard<&make_gguf_model>);
  function("_modelShards", guard<&model_shards>);
  function("_modelBegin", guard<&model_begin>);
}

}  // namespace tril::js
