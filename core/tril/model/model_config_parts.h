// Common parts of the reader and the writer of config.json.
#pragma once

#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/foundation/named.h>
#include <tril/model/model_config.h>
#include <tril/model/model_family.h>

#include <string_view>

namespace tril::detail {

// Lists with an entry for each layer: its kind, and 1 where it rotates queries and keys.
inline constexpr const char *kLayerTypeList = "layer_types", *kTurnedList = "no_rope_layers";
// Precedes the family of a model that is not causal. Other libraries refuse such a type; otherwise
// they would take the model for a causal one.
inline constexpr std::string_view kMaskedPrefix = "tril-masked-";

// Activations by their names in files; the first name of each is written.
inline constexpr Named<Activation> kActivationNames[] = {
    {"silu", Activation::silu},          {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"gelu_new", Activation::gelu_tanh}, {"gelu_fast", Activation::gelu_tanh},
    {"gelu", Activation::gelu},          {"swish", Activation::silu},
    {"relu", Activation::relu}};

// Whether a layer sees all keys, by the name of its kind.
inline constexpr Named<bool> kLayerTypes[] = {{"full_attention", true},
                                              {"sliding_attention", false}};

// The prefix of settings that no family has, as in "tril_residual".
inline constexpr const char* kOwnPrefix = "tril_";

// The settings of a file, read as the family's own library reads them. Throws Error, naming the
// entry, where one is missing or out of range.
ModelConfig read_family(const JsonObject& file, ModelFamily family);

// Reads the settings of rotary positions. Newer files have them in rope_parameters; entries missing
// there may be next to it. Throws Error, naming `call` and the entry, where a number is out of
// range.
void read_rotary(const char* call, const JsonObject& file, const FamilyEntry& entry,
                 ModelConfig& config);

// Adds rope_scaling and the entries next to it, where positions are scaled.
void add_rotary_scaling(JsonWriter& json, const ModelConfig& config);

}  // namespace tril::detail
