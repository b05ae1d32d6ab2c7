// Reads a model's settings from a GGUF file, by way of the equivalent config.json.
#pragma once

#include <tril/files/gguf.h>
#include <tril/model/model_config_json.h>

#include <optional>
#include <span>

namespace tril {

// Reads the settings of a supported general.architecture; the file's eos and eot tokens end texts.
// Throws Error, naming the key, where one is missing, has another type or an unsupported value; and
// as parse_model_config does.
PretrainedConfig parse_gguf_config(const Gguf& file);

// Llama 3's scaling of positions from the tensor of a file, which has the factor by which each pair
// rotates more slowly. Nothing where the factors are not of such a scaling with low 1 and high 4,
// which all published models have.
std::optional<RotaryScaling> rotary_scaling_of(double base, std::span<const float> factors);

}  // namespace tril
