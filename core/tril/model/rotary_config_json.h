// The part of a config.json that says how rotary positions turn.
#pragma once

#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/model/model_config.h>
#include <tril/model/model_family.h>

namespace tril::detail {

// Reads it. Newer files have all of it in rope_parameters; what is not there may still be beside
// them. Throws Error in the name of `call` and of the entry, where a number is out of range.
void read_rotary(const char* call, const JsonObject& file, const FamilyEntry& entry,
                 ModelConfig& config);

// Adds rope_scaling, and what stands beside it, where positions are scaled.
void add_rotary_scaling(JsonWriter& json, const ModelConfig& config);

}  // namespace tril::detail
