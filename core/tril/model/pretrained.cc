#include <tril/files/file.h>
#include <tril/foundation/check.h>
#include <tril/model/json_object.h>
#include <tril/model/memory_needed.h>
#include <tril/model/pretrained.h>
#include <tril/model/tokenizer_file.h>

#include <algorithm>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "read_pretrained";

// What Hugging Face's files hold besides parameters.
bool is_passed_over(const ModelConfig& config, std::string_view name) {
  if (name == "lm_head.weight") return config.tied_head;
  if (config.family != ModelFamily::gpt2) return name.ends_with(".rotary_emb.inv_freq");
  return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias");
}

bool holds_floats(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16 ||
         type == ElementType::float32 || type == ElementType::float64;
}

}  // namespace

ModelParameters::ModelParameters(const ModelConfig& config) : config_(config) {
  SavedMemory size;
  model_layout(config, size);
  const std::uint64_t bytes = sizeof(float) * static_cast<std::uint64_t>(size.count());
  detail::with_memory(kCall, "the parameters", bytes,
                      [&] { values_ = Buffer<float, 1>({size.count()}); });
  SavedMemory memory(values_);
  weights_ = model_layout(config, memory).weights;
}

ParameterReader::ParameterReader(ModelParameters& parameters)
    : config_(parameters.config()),
      parameters_(stored_parameters(parameters.config(), parameters.weights())) {}

// The parameter that a tensor is; null where it is passed over.
const StoredParameter* ParameterReader::parameter_of(const NamedTensor& tensor) const {
  std::string_view name = tensor.name;
  constexpr std::string_view kPrefix = "transformer.";
  if (config_.family == ModelFamily::gpt2 && name.starts_with(kPrefix)) {
    name.remove_prefix(kPrefix.size());
  }
  const auto at = std::ranges::find(parameters_, name, &StoredParameter::name);
  if (at != parameters_.end()) return &*at;
  if (is_passed_over(config_, name)) return nullptr;
  const std::string_view family = name_of(kModelFamilies, config_.family);
  fail(kCall, tensor.name.c_str(),
       {"is no parameter of a model of the family ", family, " with ", config_.layers, " layers"});
}

std::vector<ParameterPlace> ParameterReader::find(const Safetensors& header) const {
  std::vector<ParameterPlace> found;
  for (const NamedTensor& each : header.tensors) {
    const StoredParameter* const parameter = parameter_of(each);
    if (!parameter) continue;
    const StoredTensor& tensor = each.tensor;
    if (tensor.shape != parameter->shape) {
      fail(kCall, each.name.c_str(), {"shape must be ", parameter->shape, ", is ", tensor.shape});
    }
    if (!holds_floats(tensor.type)) fail(kCall, each.name.c_str(), "holds no floats");
    const bool is_twice =
        std::ranges::find(found, parameter, &ParameterPlace::parameter) != found.end();
    if (is_twice || read_.contains(parameter->name)) {
      fail(kCall, each.name.c_str(), "is there twice");
    }
    found.push_back({parameter, tensor, each.begin, *stored_bytes(tensor.shape, tensor.type)});
  }
  return found;
}

void ParameterReader::read(const ParameterPlace& place, std::span<const std::byte> bytes) {
  const StoredParameter& parameter = *place.parameter;
  StoredTensor tensor = place.tensor;
  tensor.bytes = bytes;
  const auto count = static_cast<std::size_t>(parameter.count());
  if (parameter.transposed) {
    elements_.resize(count);
    read_elements(tensor, std::span<float>(elements_));
    parameter.copy_from(elements_.data());
  } else {
    read_elements(tensor, std::span<float>(parameter.data, count));
  }
  read_.insert(parameter.name);
}

void ParameterReader::finish() const {
  for (const StoredParameter& each : parameters_) {
    if (read_.contains(each.name)) continue;
    fail(kCall, each.name.c_str(), {"is missing; its shape would be ", each.shape});
  }
}

std::vector<std::string> parse_shard_index(std::string_view file) {
  constexpr const char* kIndex = "parse_shard_index";
  const detail::JsonObject index(kIndex, "file", file);
  if (!index.has("weight_map")) fail(kIndex, "weight_map", "is missing");
  std::set<std::string> names;
  for (const auto& entry : index.object("weight_map").texts()) names.insert(entry.second);
  if (names.empty()) fail(kIndex, "weight_map", "lists no files");
  for (const std::string& name : names) {
    if (name.empty() || name.find_first_of("/\\") != name.npos) {
      fail(kIndex, "weight_map", {"\"", name, "\" is not the name of a file in the same folder"});
    }
  }
  return {names.begin(), names.end()};
}

namespace {

// Of a file, errors with its path.
class Folder {
 public:
  Folder(const std::filesystem::path& path, const FileProgress& progress)
      : path_(path), progress_(progress) {}

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  bool has(const std::string& name) const {
    std::error_code ignored;
    return std::filesystem::exists(path_ / name, ignored);
  }
  // What use() makes of a file.
  template <typename Use>
  auto open(const std::string& name, const Use& use) const {
    if (progress_) progress_(at(name));
    return named(name, [&] {
      FileReader file(path_ / name);
      return use(file);
    });
  }
  // The same of its text.
  template <typename Use>
  auto read_text(const std::string& name, const Use& use) const {
    return open(name, [&](FileReader& file) {
      std::string text(file.size(), ' ');
      file.read(0, std::as_writable_bytes(std::span(text)));
      return use(std::string_view(text));
    });
  }
  // body(), whose errors are those of a file.
  template <typename Body>
  auto named(const std::string& name, const Body& body) const {
    try {
      return body();
    } catch (const Error& error) {
      const std::string& argument = error.argument();
      const bool is_file = argument == "file" || argument == "path";
      fail(kCall, at(name).c_str(), {is_file ? "" : argument + ": ", error.problem()});
    }
  }

 private:
  const std::filesystem::path& path_;
  const FileProgress& progress_;
};

void read_file_of_parameters(FileReader& file, ParameterReader& reader) {
  std::vector<std::byte> bytes;
  const auto read = [&](std::size_t begin, std::size_t size) {
    bytes.resize(size);
    file.read(begin, bytes);
    return std::span<const std::byte>(bytes);
  };
  constexpr std::size_t kLength = 8;
  const std::size_t begin = safetensors_begin(read(0, std::min(kLength, file.size())), file.size());
  const Safetensors header = parse_safetensors_header(read(0, begin), file.size());
  for (const ParameterPlace& place : reader.find(header)) {
    reader.read(place, read(place.begin, place.size));
  }
}

void read_parameters(const Folder& folder, ModelParameters& parameters) {
  constexpr const char* kWhole = "model.safetensors";
  constexpr const char* kIndex = "model.safetensors.index.json";
  ParameterReader reader(parameters);
  const bool is_sharded = !folder.has(kWhole) && folder.has(kIndex);
  const std::vector<std::string> files =
      is_sharded ? folder.read_text(kIndex, parse_shard_index) : std::vector<std::string>{kWhole};
  for (const std::string& name : files) {
    folder.open(name, [&](FileReader& file) { read_file_of_parameters(file, reader); });
  }
  folder.named(is_sharded ? kIndex : kWhole, [&] { reader.finish(); });
}

std::optional<Tokenizer> read_tokenizer_of(const Folder& folder) {
  try {
    if (folder.has("tokenizer.json")) return read_tokenizer(folder.at("tokenizer.json"));
    if (!folder.has("vocab.json")) return {};
    return read_tokenizer(folder.at("vocab.json"), folder.at("merges.txt"));
  } catch (const Error& error) {
    fail(kCall, error.argument().c_str(), error.problem());
  }
}

}  // namespace

PretrainedModel read_pretrained(const std::filesystem::path& path, const FileProgress& progress) {
  const Folder folder(path, progress);
  const PretrainedConfig config = folder.read_text("config.json", parse_model_config);
  std::optional<Tokenizer> tokenizer = read_tokenizer_of(folder);
  if (tokenizer && tokenizer->size() > config.config.vocabulary) {
    fail(kCall, path.string().c_str(),
         {"the tokenizer has ", static_cast<Index>(tokenizer->size()),
          " tokens, and the model a vocabulary of ", config.config.vocabulary});
  }
  PretrainedModel model{folder.named("config.json", [&] { return ModelParameters(config.config); }),
                        config.end_tokens, std::move(tokenizer)};
  read_parameters(folder, model.parameters);
  return model;
}

}  // namespace tril
