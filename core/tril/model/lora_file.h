// Adapters as files of Hugging Face's library PEFT: adapter_config.json and
// adapter_model.safetensors. They belong in a folder of their own, since transformers takes a
// folder with an adapter_config.json for the adapter of another model.
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
// The bytes of an adapter_model.safetensors: A and B as float32, with PEFT's names.
std::vector<std::byte> lora_file(const LoraAdapter& adapter);
// The same piece by piece.
void write_lora_file(const LoraAdapter& adapter, const WritePiece& write);

// The scaling of B A in an adapter_config.json. Ranks and modules follow from the tensors.
struct StoredLoraConfig {
  double alpha = 8;      // B A is multiplied by alpha / rank,
  bool by_root = false;  // or by alpha / sqrt(rank) (use_rslora; Kalajdzievski 2023)
};
// Reads an adapter_config.json. Throws Error, naming the entry, where it is not for LoRA, or has
// alphas by pattern.
StoredLoraConfig parse_lora_config(std::string_view file);

// An adapter of a loaded model. The matrices it changes are held as floats, whatever type the files
// have: rounding to 16 bits or q8_0 would lose much of the change.
//
//   const StoredLora lora(parse_lora_config(text), file_bytes, parameters.config());
//   lora.hold_as_floats(reader, parameters);  // before the reader finds the model's tensors
//   ...
//   lora.merge(parameters);  // after the last of them has been read
class StoredLora {
 public:
  // Reads an adapter_model.safetensors; ranks may differ between matrices. Throws Error, naming the
  // tensor, for any tensor that is not A or B of a matrix of such a model: DoRA's magnitudes,
  // biases, or fully trained layers.
  StoredLora(const StoredLoraConfig& config, std::span<const std::byte> file,
             const ModelConfig& model);

  // Tells a reader, before its first find(), to hold the changed matrices as floats.
  void hold_as_floats(ParameterReader& reader, const ModelParameters& parameters) const;
  // Adds the scaled B A to them. Throws Error where they have not been read or are not floats;
  // nothing is changed then.
  void merge(ModelParameters& parameters, const Context& context = {}) const;

 private:
  std::vector<detail::LoraPair> pairs_;  // A and B in values_; `target` has no data
  Buffer<float, 1> values_;
};

}  // namespace tril
