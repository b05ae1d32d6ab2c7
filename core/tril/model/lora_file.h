// Adapters as the files of PEFT, Hugging Face's library: adapter_config.json and
// adapter_model.safetensors. They belong into a folder of their own: where transformers finds an
// adapter_config.json beside a model, it takes the folder for an adapter of another model.
#pragma once

#include <tril/files/file.h>
#include <tril/files/safetensors.h>
#include <tril/model/lora.h>
#include <tril/model/parameter_reader.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The text of an adapter_config.json, as peft.LoraConfig reads it.
std::string lora_config_json(const LoraAdapter& adapter);
// The bytes of an adapter_model.safetensors: A and B by PEFT's names, float32.
std::vector<std::byte> lora_file(const LoraAdapter& adapter);
// The same piece by piece.
void write_lora_file(const LoraAdapter& adapter, const WritePiece& write);

// What an adapter_config.json says of how A and B are added. Ranks and modules are the tensors' to
// say.
struct StoredLoraConfig {
  double alpha = 8;      // what is added is multiplied by alpha / rank,
  bool by_root = false;  // or by alpha / sqrt(rank) (use_rslora; Kalajdzievski 2023)
};
// Reads one. Throws Error, naming the entry, where it is none of LoRA's, or has alphas by pattern.
StoredLoraConfig parse_lora_config(std::string_view file);

// An adapter of a model that is read to be run. The matrices that it changes are held as floats,
// whatever the files have: rounded to 16 bits or q8_0, much of what is added would be lost.
//
//   const StoredLora lora(parse_lora_config(text), file_bytes, parameters.config());
//   lora.hold_as_floats(reader, parameters);  // before the reader finds the model's tensors
//   ...
//   lora.merge(parameters);  // after the last of them has been read
class StoredLora {
 public:
  // Reads an adapter_model.safetensors, whose ranks may differ from matrix to matrix. Throws Error,
  // naming the tensor, where it has others than A and B of matrices of such a model: DoRA's
  // magnitudes, biases, or layers that were trained whole.
  StoredLora(const StoredLoraConfig& config, std::span<const std::byte> file,
             const ModelConfig& model);

  // Has a reader, which has found nothing yet, make floats of the matrices that are changed.
  void hold_as_floats(ParameterReader& reader, const ModelParameters& parameters) const;
  // Adds what was learned to them. Throws Error where they have not been read or are not floats,
  // and has then changed nothing.
  void merge(ModelParameters& parameters, const Context& context = {}) const;

 private:
  std::vector<detail::LoraPair> pairs_;  // A and B in values_; `target` has no data
  Buffer<float, 1> values_;
};

}  // namespace tril
