// Models that others have trained: a folder with config.json, model.safetensors, perhaps in parts,
// and a tokenizer, as Hugging Face's libraries write it, and `tril train`.
//
//   const PretrainedModel model = read_pretrained("SmolLM2-135M");
//   DecodingSession session(model.parameters);
#pragma once

#include <tril/files/safetensors.h>
#include <tril/model/model_config_json.h>
#include <tril/model/model_parameters.h>
#include <tril/model/tokenizer.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// A parameter in a file.
struct ParameterPlace {
  const StoredParameter* parameter;  // which of the reader's it is
  StoredTensor tensor;               // as the header says
  std::size_t begin, size;           // its bytes in the file
};

// Fills parameters from the files of a model, one tensor after the other, so that nothing is in
// memory twice. Parameters that have no memory yet get it with the first tensor that is read, as
// those that were found by then say: a matrix whose tensors are all float16, or all bfloat16, keeps
// its type; all other numbers become floats, and so does a matrix of an odd number of columns.
// Taken are the names of the family with the prefix that some files have ("transformer.h.0..."),
// and passed over what is no parameter: GPT-2's masks, tables of rotary positions, and a head that
// is the embedding.
class ParameterReader {
 public:
  // Fills `parameters`, which it borrows, and which must stay where they are.
  explicit ParameterReader(ModelParameters& parameters);

  // The parameters in a file, by its header. Throws Error, naming the tensor, where one has another
  // shape than the settings say, holds no floats, is none of the model's, or was found before.
  std::vector<ParameterPlace> find(const Safetensors& header);
  // One of them, from so many bytes of the file. Throws Error where it is the first and memory does
  // not suffice.
  void read(const ParameterPlace& place, std::span<const std::byte> bytes);
  // After the last file. Throws Error, naming the first tensor that was in none.
  void finish() const;

 private:
  const StoredParameter* parameter_of(const NamedTensor& tensor) const;

  void allocate();

  ModelParameters& model_;
  std::vector<StoredParameter> parameters_;
  std::set<std::string_view> found_, read_;                // names of parameters_
  std::map<const MatrixView<float>*, ElementType> types_;  // of matrices that were found
};

// The files that a model.safetensors.index.json lists, each once, in their order. Throws Error
// where it is none, or a file has a path.
std::vector<std::string> parse_shard_index(std::string_view file);

// A model to be run.
struct PretrainedModel {
  ModelParameters parameters;            // all of them
  std::vector<std::int32_t> end_tokens;  // those that end a text
  std::optional<Tokenizer> tokenizer;    // none where the folder has none
};

// Is told the path of the file that is read next.
using FileProgress = std::function<void(const std::string& path)>;

// Reads a folder: config.json; model.safetensors or the parts that model.safetensors.index.json
// lists; tokenizer.json, or vocab.json and merges.txt. One tensor at a time is in memory besides
// the parameters. Throws Error, with the path of the file, where one is missing, cut short, or not
// what the others say; where the tokenizer has more tokens than the vocabulary; and where memory
// does not suffice.
PretrainedModel read_pretrained(const std::filesystem::path& folder,
                                const FileProgress& progress = {});

}  // namespace tril
