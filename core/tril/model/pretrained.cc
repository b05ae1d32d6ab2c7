#include <tril/files/file.h>
#include <tril/files/gguf.h>
#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/files/mistaken_file.h>
#include <tril/foundation/check.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/model/gguf_config.h>
#include <tril/model/lora_file.h>
#include <tril/model/pretrained.h>
#include <tril/text/gguf_tokenizer.h>
#include <tril/text/tokenizer_file.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "read_pretrained";
constexpr std::size_t kGgufLook = std::size_t{1} << 16;  // read of a file at first

// Reads part of a file.
std::vector<std::byte> read(FileReader& file, std::size_t begin, std::size_t size) {
  std::vector<std::byte> bytes(size);
  file.read(begin, bytes);
  return bytes;
}

}  // namespace

std::vector<std::byte> detail::read_gguf_header(FileReader& file) {
  std::vector<std::byte> begin;
  std::size_t needed = std::min(kGgufLook, file.size());
  do {
    begin = read(file, 0, needed);
    if (!is_gguf(begin)) {
      detail::refuse_mistaken_file(kCall, "file",
                                   {reinterpret_cast<const char*>(begin.data()), begin.size()});
      fail(kCall, "file", "is no GGUF file; a model's other files are read from their folder");
    }
    needed = gguf_begin(begin, file.size());
  } while (needed > begin.size());
  return begin;
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
      fail(kIndex, "weight_map",
           {detail::shown(name), " is not the name of a file in the same folder"});
    }
  }
  return {names.begin(), names.end()};
}

bool reaches_beyond(const Tokenizer& tokenizer, Index vocabulary) {
  std::unordered_set<TokenId> added;
  for (const AddedToken& each : tokenizer.parts().added) added.insert(each.id);
  TokenId size = tokenizer.size();
  while (size > vocabulary && added.contains(size - 1)) --size;
  return size > vocabulary;
}

namespace {

// The files of a folder; errors carry their paths.
class Folder {
 public:
  Folder(const std::filesystem::path& path, const PretrainedOptions& options)
      : path_(path), options_(options) {}

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  bool has(const std::string& name) const {
    std::error_code ignored;
    return std::filesystem::exists(path_ / name, ignored);
  }
  void tell(const std::string& name, std::uint64_t read, std::uint64_t all) const {
    if (options_.progress) options_.progress({at(name), read, all});
  }
  // Returns use(content of a file), with the path in its errors.
  template <typename Use>
  auto open(const std::string& name, const Use& use) const {
    return named(name, [&] {
      FileReader file(path_ / name);
      return use(file);
    });
  }
  // The same for the text of a file.
  template <typename Use>
  auto read_text(const std::string& name, const Use& use) const {
    tell(name, 0, 0);
    return open(name, [&](FileReader& file) {
      std::string text(file.size(), ' ');
      file.read(0, std::as_writable_bytes(std::span(text)));
      return use(std::string_view(text));
    });
  }
  // Calls body() and adds the path of a file to its errors.
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
  const PretrainedOptions& options_;
};

std::vector<ParameterRange> find_parameters(FileReader& file, ParameterReader& reader) {
  constexpr std::size_t kLook = 64;  // enough to recognise another file in its place
  const std::size_t begin =
      safetensors_begin(read(file, 0, std::min(kLook, file.size())), file.size());
  return reader.find(parse_safetensors_header(read(file, 0, begin), file.size()));
}

// Reads the parameters found in files.
void read_found(const Folder& folder, const std::vector<std::string>& files,
                const std::vector<std::vector<ParameterRange>>& ranges,
                const std::string& all_files, ParameterReader& reader) {
  std::uint64_t done = 0, all = 0;
  for (const auto& each : ranges) {
    for (const ParameterRange& range : each) all += range.size;
  }
  folder.named(all_files, [&] { reader.allocate(); });
  for (std::size_t n = 0; n < files.size(); ++n) {
    folder.tell(files[n], done, all);
    folder.open(files[n], [&](FileReader& file) {
      for (const ParameterRange& each : ranges[n]) {
        const std::size_t part = element_size(each.tensor.type);
        const std::size_t piece = ParameterReader::kPiece / part * part;
        for (std::size_t begin = 0; begin < each.size; begin += piece) {
          const std::size_t size = std::min(piece, each.size - begin);
          reader.read(each, begin, size,
                      [&](std::span<std::byte> out) { file.read(each.begin + begin, out); });
          folder.tell(files[n], done += size, all);
        }
      }
    });
  }
  folder.named(all_files, [&] { reader.finish(); });
}

// Reads the parameters of all files. Headers come first, as they tell the type of each matrix.
void read_parameters(const Folder& folder, const std::optional<StoredLora>& lora,
                     ModelParameters& parameters) {
  constexpr const char* kWhole = "model.safetensors";
  constexpr const char* kIndex = "model.safetensors.index.json";
  ParameterReader reader(parameters);
  if (lora) lora->hold_as_floats(reader, parameters);
  const bool is_sharded = !folder.has(kWhole) && folder.has(kIndex);
  const std::vector<std::string> files =
      is_sharded ? folder.read_text(kIndex, parse_shard_index) : std::vector<std::string>{kWhole};
  std::vector<std::vector<ParameterRange>> ranges;  // a list for each file
  for (const std::string& name : files) {
    folder.open(name, [&](FileReader& file) { ranges.push_back(find_parameters(file, reader)); });
  }
  read_found(folder, files, ranges, is_sharded ? kIndex : kWhole, reader);
}

// The adapter to merge; none by default.
std::optional<StoredLora> read_lora(const PretrainedOptions& options, const ModelConfig& config) {
  if (options.lora.empty()) return {};
  if (std::error_code ignored; !std::filesystem::exists(options.lora, ignored)) {
    fail(kCall, options.lora.string().c_str(),
         {std::make_error_code(std::errc::no_such_file_or_directory).message()});
  }
  const Folder folder(options.lora, options);
  const StoredLoraConfig settings = folder.read_text("adapter_config.json", parse_lora_config);
  constexpr const char* kTensors = "adapter_model.safetensors";
  folder.tell(kTensors, 0, 0);
  return folder.open(kTensors, [&](FileReader& file) {
    return std::optional<StoredLora>(std::in_place, settings, read(file, 0, file.size()), config);
  });
}

std::optional<Tokenizer> read_tokenizer_of(const Folder& folder) {
  try {
    if (folder.has("tokenizer.json")) return read_tokenizer(folder.at("tokenizer.json"));
    if (folder.has("vocab.txt")) {
      constexpr const char* kSettings = "tokenizer_config.json";
      return read_word_pieces(folder.at("vocab.txt"),
                              folder.has(kSettings) ? folder.at(kSettings) : std::string());
    }
    if (!folder.has("vocab.json")) return {};
    return read_tokenizer(folder.at("vocab.json"), folder.at("merges.txt"));
  } catch (const Error& error) {
    fail(kCall, error.argument().c_str(), error.problem());
  }
}

void check_tokenizer(const std::optional<Tokenizer>& tokenizer, const ModelConfig& config,
                     const std::filesystem::path& path) {
  if (!tokenizer || !reaches_beyond(*tokenizer, config.vocabulary)) return;
  fail(kCall, path.string().c_str(),
       {"the tokenizer has ", static_cast<Index>(tokenizer->size()),
        " tokens, and the model a vocabulary of ", config.vocabulary});
}

// Reads a GGUF file, which contains everything.
PretrainedModel read_gguf(const std::filesystem::path& path, const PretrainedOptions& options) {
  const std::filesystem::path parent = path.parent_path();
  const Folder folder(parent, options);
  const std::string name = path.filename().string();
  folder.tell(name, 0, 0);
  std::vector<std::byte> header;
  Gguf gguf;
  PretrainedConfig settings;
  std::optional<Tokenizer> tokenizer;
  folder.open(name, [&](FileReader& file) {
    header = detail::read_gguf_header(file);
    gguf = parse_gguf_header(header, file.size());
    settings = parse_gguf_config(gguf);
    tokenizer = parse_gguf_tokenizer(gguf);
  });
  const ModelConfig config = with_context(settings.config, options.context, kCall);
  check_tokenizer(tokenizer, config, path);
  PretrainedModel model{
      folder.named(name, [&] { return ModelParameters(config, options.weights); }),
      settings.tokens.end, std::move(tokenizer), settings.tokens};
  const std::optional<StoredLora> lora = read_lora(options, config);
  ParameterReader reader(model.parameters, ParameterNames::of_gguf);
  if (lora) lora->hold_as_floats(reader, model.parameters);
  std::vector<std::vector<ParameterRange>> ranges(1);
  folder.named(name, [&] { ranges[0] = reader.find(gguf.tensors); });
  gguf = {};
  header = {};  // it has megabytes for a large vocabulary
  read_found(folder, {name}, ranges, name, reader);
  if (lora) lora->merge(model.parameters);
  return model;
}

}  // namespace

PretrainedModel read_pretrained(const std::filesystem::path& path,
                                const PretrainedOptions& options) {
  std::error_code ignored;
  // Includes paths that do not exist, so that the error names them.
  if (!std::filesystem::is_directory(path, ignored)) return read_gguf(path, options);
  const Folder folder(path, options);
  const PretrainedConfig settings = folder.read_text("config.json", parse_model_config);
  const ModelConfig config = with_context(settings.config, options.context, kCall);
  std::vector<std::int32_t> end_tokens = settings.tokens.end;
  if (constexpr const char* kGeneration = "generation_config.json"; folder.has(kGeneration)) {
    const auto ends = folder.read_text(kGeneration, [&](std::string_view text) {
      return parse_generation_config(text, config.vocabulary);
    });
    if (ends) end_tokens = *ends;
  }
  std::optional<Tokenizer> tokenizer = read_tokenizer_of(folder);
  check_tokenizer(tokenizer, config, path);
  PretrainedModel model{
      folder.named("config.json", [&] { return ModelParameters(config, options.weights); }),
      end_tokens, std::move(tokenizer), settings.tokens};
  const std::optional<StoredLora> lora = read_lora(options, config);
  read_parameters(folder, lora, model.parameters);
  if (lora) lora->merge(model.parameters);
  return model;
}

}  // namespace tril
