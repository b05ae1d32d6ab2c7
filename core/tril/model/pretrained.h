// Loads trained models: a folder with config.json, model.safetensors, perhaps in parts, and a
// tokenizer, as Hugging Face's libraries and `tril train` write it; or a GGUF file, which contains
// all of that.
//
//   const PretrainedModel model = read_pretrained("SmolLM2-135M");
//   DecodingSession session(model.parameters);
#pragma once

#include <tril/model/model_config_json.h>
#include <tril/model/parameter_reader.h>
#include <tril/text/tokenizer.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

class FileReader;

namespace detail {

// The header of a GGUF file, all bytes before the elements. Throws Error, whose argument is "file",
// where it is not a GGUF file, and as parse_gguf_header does.
std::vector<std::byte> read_gguf_header(FileReader& file);

}  // namespace detail

// The files listed in a model.safetensors.index.json, each once, in order. Throws Error where it is
// not an index, or a file has a path.
std::vector<std::string> parse_shard_index(std::string_view file);

// A loaded model.
struct PretrainedModel {
  ModelParameters parameters;            // all parameters
  std::vector<std::int32_t> end_tokens;  // tokens that end a text
  std::optional<Tokenizer> tokenizer;    // nothing where the files have none
  ModelTokens tokens = {};               // as named in config.json or the GGUF file
};

// Whether texts can give tokens outside a model's vocabulary, so that the tokenizer belongs to
// another model. Added tokens may be outside it, such as a [PAD] that no model has learned; the
// model refuses them.
bool reaches_beyond(const Tokenizer& tokenizer, Index vocabulary);

// The progress of reading.
struct ReadProgress {
  std::string path;    // the file that is being read
  std::uint64_t read;  // bytes of the parameters that have been read
  std::uint64_t all;   // bytes of all parameters; 0 while unknown
};

// Options of reading.
struct PretrainedOptions {
  Index context = 0;  // as in with_context (model_config.h); 0: that of the files
  ParameterMemory weights = ParameterMemory::as_in_files;  // types in memory
  std::filesystem::path lora = {};  // folder of an adapter to merge (lora_file.h); empty: none
  std::function<void(const ReadProgress&)> progress = {};  // called for each file and each piece
};

// Reads a GGUF file, or a folder: config.json, and the end tokens from generation_config.json;
// model.safetensors or the parts that model.safetensors.index.json lists; tokenizer.json, or
// vocab.txt, or vocab.json and merges.txt. Besides the parameters it needs little memory: a piece
// (ParameterReader::kPiece), or the largest of the other files. Throws Error, with the path of the
// file, where a file is missing, truncated, or does not fit the others; where the tokenizer reaches
// beyond the vocabulary; as with_context and StoredLora do; and where there is not enough memory.
PretrainedModel read_pretrained(const std::filesystem::path& path,
                                const PretrainedOptions& options = {});

}  // namespace tril
