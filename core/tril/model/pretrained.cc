#include <tril/files/file.h>
#include <tril/foundation/check.h>
#include <tril/model/json_object.h>
#include <tril/model/memory_needed.h>
#include <tril/model/pretrained.h>
#include <tril/model/tokenizer_file.h>

#include <algorithm>
#include <bit>
#include <cstring>
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

bool is_narrow(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16;
}
bool holds_floats(ElementType type) {
  return is_narrow(type) || type == ElementType::float32 || type == ElementType::float64;
}

}  // namespace

ParameterReader::ParameterReader(ModelParameters& parameters)
    : model_(parameters),
      parameters_(stored_parameters(parameters.config(), parameters.places())) {}

// The parameter that a tensor is; null where it is passed over.
const StoredParameter* ParameterReader::parameter_of(const NamedTensor& tensor) const {
  const ModelConfig& config = model_.config();
  std::string_view name = tensor.name;
  constexpr std::string_view kPrefix = "transformer.";
  if (config.family == ModelFamily::gpt2 && name.starts_with(kPrefix)) {
    name.remove_prefix(kPrefix.size());
  }
  const auto at = std::ranges::find(parameters_, name, &StoredParameter::name);
  if (at != parameters_.end()) return &*at;
  if (is_passed_over(config, name)) return nullptr;
  const std::string_view family = name_of(kModelFamilies, config.family);
  fail(kCall, tensor.name.c_str(),
       {"is no parameter of a model of the family ", family, " with ", config.layers, " layers"});
}

std::vector<ParameterPlace> ParameterReader::find(const Safetensors& header) {
  std::vector<ParameterPlace> found;
  for (const NamedTensor& each : header.tensors) {
    const StoredParameter* const parameter = parameter_of(each);
    if (!parameter) continue;
    const StoredTensor& tensor = each.tensor;
    if (tensor.shape != parameter->shape) {
      fail(kCall, each.name.c_str(), {"shape must be ", parameter->shape, ", is ", tensor.shape});
    }
    if (!holds_floats(tensor.type)) fail(kCall, each.name.c_str(), "holds no floats");
    if (!found_.insert(parameter->name).second) {
      fail(kCall, each.name.c_str(), "is there twice");
    }
    if (parameter->matrix) {
      const bool narrow = is_narrow(tensor.type) && parameter->matrix->size(1) % 2 == 0;
      const ElementType type = narrow ? tensor.type : ElementType::float32;
      const auto [at, is_first] = types_.emplace(parameter->matrix, type);
      if (!is_first && at->second != type) at->second = ElementType::float32;
    }
    found.push_back({parameter, tensor, each.begin, *stored_bytes(tensor.shape, tensor.type)});
  }
  return found;
}

// In the order in which matrices are walked through, the types that they were found with.
void ParameterReader::allocate() {
  std::vector<ElementType> types;
  for_each_parameter(model_.places(), [&](const ParameterName&, const auto& view) {
    if constexpr (requires { MatrixView<float>(view); }) {
      if (!view) return;
      const auto type = types_.find(&view);
      types.push_back(type == types_.end() ? ElementType::float32 : type->second);
    }
  });
  model_.allocate(types);
  const auto placed = stored_parameters(model_.config(), model_.places());
  for (std::size_t n = 0; n < placed.size(); ++n) parameters_[n].data = placed[n].data;
}

namespace {

// The elements as they are in the file.
void load(const StoredTensor& tensor, std::span<std::uint16_t> out) noexcept {
  const std::byte* from = tensor.bytes.data();
  if (std::endian::native == std::endian::little) {
    std::memcpy(out.data(), from, out.size_bytes());
    return;
  }
  for (std::uint16_t& each : out) {
    const auto low = std::to_integer<unsigned>(*from++), high = std::to_integer<unsigned>(*from++);
    each = static_cast<std::uint16_t>(high << 8 | low);
  }
}
// As floats.
void load(const StoredTensor& tensor, std::span<float> out) { read_elements(tensor, out); }

// All of a tensor to where it belongs. Of one that memory has in another order, the rows of a cache
// line at a time.
template <typename T>
void load_parameter(const StoredParameter& parameter, const StoredTensor& tensor, T* to) {
  if (!parameter.transposed) return load(tensor, {to, static_cast<std::size_t>(tensor.count())});
  const Index rows = tensor.shape[0], cols = tensor.shape[1];
  const Index most = static_cast<Index>(kAlignment / sizeof(T));
  const std::size_t row_bytes = static_cast<std::size_t>(cols) * element_size(tensor.type);
  std::vector<T> elements(static_cast<std::size_t>(std::min(most, rows) * cols));
  for (Index first = 0; first < rows; first += most) {
    const Index count = std::min(most, rows - first);
    StoredTensor part{.type = tensor.type, .shape = {count, cols}};
    part.bytes = tensor.bytes.subspan(static_cast<std::size_t>(first) * row_bytes,
                                      static_cast<std::size_t>(count) * row_bytes);
    load(part, std::span(elements).first(static_cast<std::size_t>(count * cols)));
    for (Index m = 0; m < cols; ++m) {
      for (Index n = 0; n < count; ++n) {
        to[m * rows + first + n] = elements[static_cast<std::size_t>(n * cols + m)];
      }
    }
  }
}

}  // namespace

void ParameterReader::read(const ParameterPlace& place, std::span<const std::byte> bytes) {
  if (model_.bytes() == 0) allocate();
  const StoredParameter& parameter = *place.parameter;
  StoredTensor tensor = place.tensor;
  tensor.bytes = bytes;
  if (bytes.size() != place.size) {
    fail(kCall, parameter.name.c_str(),
         {bytes.size(), " bytes are not the ", place.size, " it has"});
  }
  const bool narrow = std::ranges::any_of(model_.narrow(), [&](const NarrowMatrix& each) {
    return parameter.matrix && each.stand_in().data() == parameter.matrix->data();
  });
  if (narrow) {
    load_parameter(parameter, tensor, reinterpret_cast<std::uint16_t*>(parameter.data));
  } else {
    load_parameter(parameter, tensor, parameter.data);
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
    return look(name, use);
  }
  // The same, and nobody is told.
  template <typename Use>
  auto look(const std::string& name, const Use& use) const {
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

// Part of a file.
std::span<const std::byte> read(FileReader& file, std::size_t begin, std::size_t size,
                                std::vector<std::byte>& bytes) {
  if (bytes.capacity() < size) bytes = {};  // not both at once
  bytes.resize(size);
  file.read(begin, bytes);
  return bytes;
}

std::vector<ParameterPlace> find_parameters(FileReader& file, ParameterReader& reader) {
  std::vector<std::byte> bytes;
  constexpr std::size_t kLook = 64;  // enough to tell what stands in place of such a file
  const std::size_t begin =
      safetensors_begin(read(file, 0, std::min(kLook, file.size()), bytes), file.size());
  return reader.find(parse_safetensors_header(read(file, 0, begin, bytes), file.size()));
}

void read_parameters(const Folder& folder, ModelParameters& parameters) {
  constexpr const char* kWhole = "model.safetensors";
  constexpr const char* kIndex = "model.safetensors.index.json";
  ParameterReader reader(parameters);
  const bool is_sharded = !folder.has(kWhole) && folder.has(kIndex);
  const std::vector<std::string> files =
      is_sharded ? folder.read_text(kIndex, parse_shard_index) : std::vector<std::string>{kWhole};
  std::vector<std::vector<ParameterPlace>> places;  // a list for each file
  for (const std::string& name : files) {
    folder.look(name, [&](FileReader& file) { places.push_back(find_parameters(file, reader)); });
  }
  std::vector<std::byte> bytes;
  for (std::size_t n = 0; n < files.size(); ++n) {
    folder.open(files[n], [&](FileReader& file) {
      for (const ParameterPlace& each : places[n]) {
        reader.read(each, read(file, each.begin, each.size, bytes));
      }
    });
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
  PretrainedModel model{
      folder.named("config.json",
                   [&] { return ModelParameters(config.config, ParameterMemory::as_in_files); }),
      config.end_tokens, std::move(tokenizer)};
  read_parameters(folder, model.parameters);
  return model;
}

}  // namespace tril
