// A model's settings in a GGUF file, as the config.json that says the same.
#pragma once

#include <tril/files/gguf.h>
#include <tril/model/model_config_json.h>

#include <optional>
#include <span>

namespace tril {

// Reads them, of the families that general.architecture may name; texts end at the file's eos and
// eot tokens. Throws Error, naming the key, where one is missing, has another type or says what no
// model here can be; and as parse_model_config does.
PretrainedConfig parse_gguf_config(const Gguf& file);

// Llama 3's scaling of positions, which a file has as a tensor: by which factor each pair turns
// slower. Nothing where they are of no such scaling whose low and high are 1 and 4, as those of all
// published models are.
std::optional<RotaryScaling> rotary_scaling_of(double base, std::span<const float> factors);

}  // namespace tril
