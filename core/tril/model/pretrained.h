// Models that others have trained: a folder with config.json, model.safetensors, perhaps in parts,
// and a tokenizer, as Hugging Face's libraries write it, and `tril train`.
//
//   const PretrainedModel model = read_pretrained("SmolLM2-135M");
//   DecodingSession session(model.parameters.config(), model.parameters.weights());
#pragma once

#include <tril/files/safetensors.h>
#include <tril/foundation/buffer.h>
#include <tril/model/model_config_json.h>
#include <tril/model/model_weights.h>
#include <tril/model/tokenizer.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The parameters of a model, in one block of memory.
class ModelParameters {
 public:
  // All 0. Throws Error as check_model_config does, and, saying how much they take and how much
  // there is, where memory does not suffice.
  explicit ModelParameters(const ModelConfig& config);

  // As it was given.
  const ModelConfig& config() const noexcept { return config_; }
  // Where each lies; good as long as this is.
  const BasicModelWeights<float>& weights() const noexcept { return weights_; }
  // What they take.
  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(values_.shape()[0]) * sizeof(float);
  }

 private:
  ModelConfig config_;
  Buffer<float, 1> values_;
  BasicModelWeights<float> weights_;
};

// A parameter in a file.
struct ParameterPlace {
  const StoredParameter* parameter;  // which of the reader's it is
  StoredTensor tensor;               // as the header says
  std::size_t begin, size;           // its bytes in the file
};

// Fills parameters from the files of a model, one tensor after the other, so that nothing is in
// memory twice: float32, or float16 and bfloat16, which are widened. Taken are the names of the
// family with the prefix that some files have ("transformer.h.0..."), and passed over what is no
// parameter: GPT-2's masks, tables of rotary positions, and a head that is the embedding.
class ParameterReader {
 public:
  // Fills `parameters`, which it borrows.
  explicit ParameterReader(ModelParameters& parameters);

  // The parameters in a file, by its header. Throws Error, naming the tensor, where one has another
  // shape than the settings say, holds no floats, is none of the model's, or was read before.
  std::vector<ParameterPlace> find(const Safetensors& header) const;
  // One of them, from so many bytes of the file.
  void read(const ParameterPlace& place, std::span<const std::byte> bytes);
  // After the last file. Throws Error, naming the first tensor that was in none.
  void finish() const;

 private:
  const StoredParameter* parameter_of(const NamedTensor& tensor) const;

  const ModelConfig& config_;
  std::vector<StoredParameter> parameters_;
  std::set<std::string_view> read_;  // names of parameters_
  std::vector<float> elements_;      // of one tensor, where memory has another order
};

// The files that a model.safetensors.index.json lists, each once, in their order. Throws Error
// where it is none, or a file has a path.
std::vector<std::string> parse_shard_index(std::string_view file);

// A model to be run.
struct PretrainedModel {
  ModelParameters parameters;            // all of them, as floats
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
