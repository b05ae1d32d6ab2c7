// What reads and what writes a config.json have in common: names in it, and its parts.
#pragma once

#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/foundation/named.h>
#include <tril/model/model_config.h>
#include <tril/model/model_family.h>

#include <string_view>

namespace tril::detail {

// Lists of an entry a layer: what it is, and 1 where it turns queries and keys.
inline constexpr const char *kLayerTypeList = "layer_types", *kTurnedList = "no_rope_layers";
// In front of the family where tokens see both sides: a type that other libraries refuse, which
// would take the model for one that sees only what came before.
inline constexpr std::string_view kMaskedPrefix = "tril-masked-";

// Activations by their names in files; the first of each is written.
inline constexpr Named<Activation> kActivationNames[] = {
    {"silu", Activation::silu},          {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"gelu_new", Activation::gelu_tanh}, {"gelu_fast", Activation::gelu_tanh},
    {"gelu", Activation::gelu},          {"swish", Activation::silu},
    {"relu", Activation::relu}};

// Whether a layer sees all keys, by what it is called.
inline constexpr Named<bool> kLayerTypes[] = {{"full_attention", true},
                                              {"sliding_attention", false}};

// What no family has a name for is said under one of our own, "tril_residual".
inline constexpr const char* kOwnPrefix = "tril_";

// The settings of a file, as the family's own library reads it. Throws Error, naming the entry,
// where one is missing or out of range.
ModelConfig read_family(const JsonObject& file, ModelFamily family);

// Reads how rotary positions turn. Newer files have all of it in rope_parameters; what is not there
// may still be beside them. Throws Error in the name of `call` and of the entry, where a number is
// out of range.
void read_rotary(const char* call, const JsonObject& file, const FamilyEntry& entry,
                 ModelConfig& config);

// Adds rope_scaling, and what stands beside it, where positions are scaled.
void add_rotary_scaling(JsonWriter& json, const ModelConfig& config);

}  // namespace tril::detail
