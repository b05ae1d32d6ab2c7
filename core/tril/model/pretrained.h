// Models that others have trained: a folder with config.json, model.safetensors, perhaps in parts,
// and a tokenizer, as Hugging Face's libraries write it, and `tril train`; or a GGUF file, which is
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

// What stands in a GGUF file before its tensors' elements. Throws Error, whose argument is "file",
// where it is none, and as parse_gguf_header does.
std::vector<std::byte> read_gguf_header(FileReader& file);

}  // namespace detail

// The files that a model.safetensors.index.json lists, each once, in their order. Throws Error
// where it is none, or a file has a path.
std::vector<std::string> parse_shard_index(std::string_view file);

// A model to be run.
struct PretrainedModel {
  ModelParameters parameters;            // all of them
  std::vector<std::int32_t> end_tokens;  // those that end a text
  std::optional<Tokenizer> tokenizer;    // none where the files have none
  ModelTokens tokens = {};               // as config.json or the GGUF file names them
};

// Whether texts become tokens outside a model's vocabulary: the two are not of the same model.
// Added tokens may lie beyond it, as a [PAD] that no model has learned; they are refused where a
// model is given them.
bool reaches_beyond(const Tokenizer& tokenizer, Index vocabulary);

// How far reading is.
struct ReadProgress {
  std::string path;    // of the file that is being read
  std::uint64_t read;  // bytes of the parameters that are there
  std::uint64_t all;   // of all of them; 0 as long as it is not known
};

// How a folder is read.
struct PretrainedOptions {
  Index context = 0;  // tokens at once, as with_context (model_config.h) takes them; 0: as the file
  ParameterMemory weights = ParameterMemory::as_in_files;  // how they are held
  std::filesystem::path lora = {};  // folder of an adapter (lora_file.h) to be merged; empty: none
  std::function<void(const ReadProgress&)> progress = {};  // called with each file and each piece
};

// Reads a GGUF file, or a folder: config.json, and what ends a text by generation_config.json;
// model.safetensors or the parts that model.safetensors.index.json lists; tokenizer.json, or
// vocab.txt, or vocab.json and merges.txt. Besides the parameters there is little in memory at
// once: a piece (ParameterReader::kPiece), or the largest of the other files. Throws Error, with
// the path of the file, where one is missing, cut short, or not what the others say; where the
// tokenizer reaches beyond the vocabulary; as with_context and StoredLora do; and where memory is
// not enough.
PretrainedModel read_pretrained(const std::filesystem::path& path,
                                const PretrainedOptions& options = {});

}  // namespace tril
