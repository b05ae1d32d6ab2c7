// A model's settings as Hugging Face's config.json, read and written.
#pragma once

#include <tril/files/element_type.h>
#include <tril/model/model_config.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// Tokens that the files of a model name. What is not a token of its vocabulary is left out: a small
// GPT-2 keeps the 50256 of the large one.
struct ModelTokens {
  std::vector<std::int32_t> begin, end, pad;  // bos_token_id, eos_token_id, pad_token_id

  // The same tokens.
  bool operator==(const ModelTokens&) const = default;
};

// The text of a config.json, as Hugging Face's class of that family reads it (GPT2Config,
// LlamaConfig, ...). What that does not know, such as a GPT-2 without biases, is said under names
// of our own, "tril_" and the setting's: "tril_biases". A model that is not causal has a model_type
// of its own, "tril-masked-gpt2", which they refuse. `type`: of the weights' file beside it.
std::string model_config_json(const ModelConfig& config, ElementType type = ElementType::float32,
                              const ModelTokens& tokens = {});

// What a config.json says of a model that is to be run.
struct PretrainedConfig {
  ModelConfig config;  // its settings
  ModelTokens tokens;  // those that begin, end and fill up a text
};

// Reads one, of the families that there are (`model_type`), encoders and masked ones included.
// Throws Error, naming the entry, where one is missing, is not what it should be, or asks for what
// no ModelConfig can be: another activation, another scaling of rotary positions, a window of a
// family that has none here, layers that differ, but not every nth.
PretrainedConfig parse_model_config(std::string_view file);

// What ends a text by a generation_config.json: its eos_token_id, where it has one. That counts,
// and not what config.json says, as transformers' generate has it: Llama 3's chat ends its turns by
// a token that is here alone. All else in it is defaults of sampling, which are the caller's
// choice. Throws Error where it is no such file.
std::optional<std::vector<std::int32_t>> parse_generation_config(std::string_view file,
                                                                 Index vocabulary);

}  // namespace tril
