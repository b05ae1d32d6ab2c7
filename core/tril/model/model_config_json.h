// A model's settings as Hugging Face's config.json, read and written.
#pragma once

#include <tril/files/element_type.h>
#include <tril/model/model_config.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The text of a config.json, as Hugging Face's GPT2Config, LlamaConfig and Qwen2Config read it.
// What these do not know, such as a GPT-2 without biases, is said under names of our own,
// "tril_biases". A model that is not causal has a model_type of its own, "tril-masked-gpt2", which
// they refuse. `type`: of the weights' file beside it.
std::string model_config_json(const ModelConfig& config, ElementType type = ElementType::float32);

// What a config.json says of a model that is to be run.
struct PretrainedConfig {
  ModelConfig config;                    // its settings
  std::vector<std::int32_t> end_tokens;  // its eos_token_id: those that end a text
};

// Reads one, of the families that there are (`model_type`), masked ones included. Throws Error,
// naming the entry, where one is missing, is not what it should be, or asks for what no ModelConfig
// can be: another activation, another scaling of rotary positions, a window, heads whose width is
// their own.
PretrainedConfig parse_model_config(std::string_view file);

}  // namespace tril
