// Reads and writes a model's settings as Hugging Face's config.json.
#pragma once

#include <tril/files/element_type.h>
#include <tril/model/model_config.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// Special tokens that a model's files name. Ids outside its vocabulary are dropped: a small GPT-2
// keeps the 50256 of the large one in its files.
struct ModelTokens {
  std::vector<std::int32_t> begin, end, pad;  // bos_token_id, eos_token_id, pad_token_id

  // Whether all tokens are equal.
  bool operator==(const ModelTokens&) const = default;
};

// The text of a config.json that Hugging Face's class of the family reads (GPT2Config, LlamaConfig,
// ...). Settings that the class does not know, such as a GPT-2 without biases, have own names that
// begin with "tril_": "tril_biases". A model that is not causal has its own model_type,
// "tril-masked-gpt2", which Hugging Face refuses. `type` is that of the file of weights beside it.
std::string model_config_json(const ModelConfig& config, ElementType type = ElementType::float32,
                              const ModelTokens& tokens = {});

// The settings in a config.json, for a model to run.
struct PretrainedConfig {
  ModelConfig config;  // the model's settings
  ModelTokens tokens;  // tokens that begin, end and pad a text
};

// Reads a config.json of a supported family (`model_type`), encoders and masked models included.
// Throws Error, naming the entry, where one is missing, has a wrong type, or asks for anything that
// a ModelConfig cannot express: another activation, another scaling of rotary positions, a window
// in a family without one here, layers that differ in another way than every nth.
PretrainedConfig parse_model_config(std::string_view file);

// The tokens that end a text by a generation_config.json: its eos_token_id, if it has one. It
// overrides that of config.json, as in transformers' generate: only this file has the token that
// ends a turn of Llama 3's chat. Its other entries are defaults of sampling, which the caller
// chooses. Throws Error where it is not such a file.
std::optional<std::vector<std::int32_t>> parse_generation_config(std::string_view file,
                                                                 Index vocabulary);

}  // namespace tril
