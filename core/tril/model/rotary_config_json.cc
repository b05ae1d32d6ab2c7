#include <tril/foundation/check.h>
#include <tril/foundation/elementary.h>
#include <tril/model/model_config_parts.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace tril::detail {
namespace {

// The context length before positions were scaled.
constexpr const char* kOriginal = "original_max_position_embeddings";

// The default magnitude of longrope's cosines and sines: sqrt(1 + ln(s) / ln(original)), where s is
// the ratio of the context to the original one.
double default_magnitude(double factor, Index original) {
  if (factor <= 1) return 1;
  return std::sqrt(1 + logarithm(factor) / logarithm(static_cast<double>(original)));
}
double times_longer(const ModelConfig& config, Index original) {
  return static_cast<double>(config.context) / static_cast<double>(original);
}

// The rope_scaling of longrope. It has only three entries where these are sufficient, as other
// libraries require; `original` is next to it.
JsonText longrope_json(const ModelConfig& config) {
  const RotaryScaling& scaling = config.rotary_scaling;
  JsonWriter json('{');
  json.add("type", name_of(kRotaryScalingKinds, scaling.kind));
  json.add("short_factor", scaling.short_factors);
  json.add("long_factor", scaling.long_factors);
  const double otherwise =
      default_magnitude(times_longer(config, scaling.original), scaling.original);
  if (scaling.magnitude != otherwise) json.add("attention_factor", scaling.magnitude);
  return std::move(json).end();
}

// The content of rope_scaling.
JsonText scaling_json(const ModelConfig& config) {
  const RotaryScaling& scaling = config.rotary_scaling;
  if (scaling.kind == RotaryScalingKind::longrope) return longrope_json(config);
  JsonWriter json('{');
  json.add("rope_type", name_of(kRotaryScalingKinds, scaling.kind));
  json.add("factor", scaling.factor);
  if (scaling.kind == RotaryScalingKind::llama3) {
    json.add("low_freq_factor", scaling.low);
    json.add("high_freq_factor", scaling.high);
  }
  if (scaling.kind != RotaryScalingKind::linear) {
    json.add(kOriginal, scaling.original);
  }
  return std::move(json).end();
}

// Reads longrope. Older files have its original length next to rope_scaling; the newest have the
// ratio of the context to it.
void read_longrope(const JsonObject& file, const JsonObject& rope, const FamilyEntry& entry,
                   ModelConfig& config) {
  RotaryScaling& scaling = config.rotary_scaling;
  scaling.short_factors = rope.list_of_numbers("short_factor");
  scaling.long_factors = rope.list_of_numbers("long_factor");
  const Index original = entry.default_original > 0 ? entry.default_original : config.context;
  scaling.original = rope.integer(kOriginal, file.integer(kOriginal, original));
  if (scaling.original < 1) return;  // refused below
  double factor = times_longer(config, scaling.original);
  if (!file.has(kOriginal)) factor = rope.number("factor", factor);
  scaling.magnitude = rope.number("attention_factor", default_magnitude(factor, scaling.original));
}

}  // namespace

void read_rotary(const char* call, const JsonObject& file, const FamilyEntry& entry,
                 ModelConfig& config) {
  const bool is_new = file.has("rope_parameters");
  const std::string place = is_new ? "rope_parameters" : "rope_scaling";
  JsonObject rope = file.object(place.c_str());
  if (entry.rotary_local_base) {
    config.rotary_local_base = file.number(entry.rotary_local_base, config.rotary_local_base);
    // The newest files have one base for each kind of layer.
    const JsonObject local = rope.object("sliding_attention");
    config.rotary_local_base = local.number("rope_theta", config.rotary_local_base);
    if (rope.has("full_attention")) rope = rope.object("full_attention");
  }
  const auto number = [&](const char* beside, const char* name, double otherwise) {
    otherwise = file.number(beside, otherwise);
    return is_new ? rope.number(name, otherwise) : otherwise;
  };
  config.rotary_base = number(entry.rotary_base, "rope_theta", config.rotary_base);
  const double share =
      number(entry.rotary_share, "partial_rotary_factor", entry.default_rotary_share);
  if (!(share > 0 && share <= 1)) {
    fail(call, entry.rotary_share, {"must be above 0 and at most 1, is ", share});
  }
  if (share < 1) {
    const double turned = share * static_cast<double>(config.head_width());
    if (turned < 2) {
      fail(call, entry.rotary_share,
           {"turns fewer than 2 of a head's ", config.head_width(), " elements"});
    }
    config.rotary_width = static_cast<Index>(std::min(turned, 0x1p53));
  }
  std::string kind = rope.text("rope_type", rope.text("type", "default"));
  if (kind == "default") return;
  if (kind == "su") kind = "longrope";  // its former name
  RotaryScaling& scaling = config.rotary_scaling;
  scaling.kind = value_named(kRotaryScalingKinds, kind, call, place.c_str(), "rope_type");
  if (scaling.kind == RotaryScalingKind::longrope) {
    read_longrope(file, rope, entry, config);
  } else {
    scaling.factor = rope.number("factor");
  }
  if (scaling.kind == RotaryScalingKind::dynamic) {
    scaling.original = rope.integer(kOriginal, config.context);
  }
  if (scaling.kind == RotaryScalingKind::llama3) {
    scaling.low = rope.number("low_freq_factor");
    scaling.high = rope.number("high_freq_factor");
    scaling.original = rope.integer(kOriginal);
  }
  // Checked here, where the file's names of the numbers are known.
  const auto named = [&](const char* name) { return place + '.' + name; };
  const std::string factor = named("factor"), original = named(kOriginal);
  const std::string high = named("high_freq_factor"), magnitude = named("attention_factor");
  const std::string shorter = named("short_factor"), longer = named("long_factor");
  check_rotary_scaling(scaling, config.turned_width() / 2, call,
                       {factor.c_str(), original.c_str(), high.c_str(), shorter.c_str(),
                        longer.c_str(), magnitude.c_str()});
}

void add_rotary_scaling(JsonWriter& json, const ModelConfig& config) {
  const RotaryScaling& scaling = config.rotary_scaling;
  if (scaling.kind == RotaryScalingKind::none) return;
  json.add("rope_scaling", scaling_json(config));
  if (scaling.kind == RotaryScalingKind::longrope) json.add(kOriginal, scaling.original);
}

}  // namespace tril::detail
