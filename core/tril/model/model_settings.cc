// Settings as texts and back: one walk over each struct serves both, and the comparison.
#include <tril/foundation/check.h>
#include <tril/foundation/exact_number.h>
#include <tril/model/model_file.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

namespace tril {
namespace {

// visit(name, value) of numbers, visit(name, value, names) of what has names, visit.newer() of what
// older checkpoints do not have.
template <typename Config, typename Visit>
void for_each_model_setting(Config& config, const Visit& visit) {
  visit("family", config.family, kModelFamilies);
  visit("norm", config.norm, kModelNorms);
  visit("positions", config.positions, kModelPositions);
  visit("feed_forward", config.feed_forward, kModelFeedForwards);
  visit("biases", config.biases);
  visit("tied_head", config.tied_head);
  visit("causal", config.causal);
  visit.newer("scaled_scores", config.scaled_scores);
  visit.newer("residual", config.residual);
  visit("layers", config.layers);
  visit("heads", config.heads);
  visit("kv_heads", config.kv_heads);
  visit("width", config.width);
  visit("hidden", config.hidden);
  visit("context", config.context);
  visit("vocabulary", config.vocabulary);
  visit("eps", config.eps);
  visit("rotary_base", config.rotary_base);
  visit.newer("projection_biases", config.projection_biases);
  visit.newer("rotary_scaling", config.rotary_scaling.kind, kRotaryScalingKinds);
  visit.newer("rotary_scaling_factor", config.rotary_scaling.factor);
  visit.newer("rotary_scaling_original", config.rotary_scaling.original);
  visit.newer("rotary_scaling_low", config.rotary_scaling.low);
  visit.newer("rotary_scaling_high", config.rotary_scaling.high);
  visit("dropout", config.dropout);
}
template <typename Options, typename Visit>
void for_each_trainer_option(Options& options, const Visit& visit) {
  visit("batch", options.batch);
  visit("accumulation", options.accumulation);
  visit("learning_rate", options.schedule.learning_rate);
  visit("lowest_rate", options.schedule.lowest);
  visit("warmup", options.schedule.warmup);
  visit("steps", options.schedule.steps);
  visit("beta1", options.beta1);
  visit("beta2", options.beta2);
  visit("eps", options.eps);
  visit.newer("optimizer", options.optimizer, kTrainingOptimizers);
  visit.newer("momentum", options.momentum);
  visit("weight_decay", options.weight_decay);
  visit("clip", options.clip);
  visit("seed", options.seed);
  visit("objective", options.batches.objective, kTrainingObjectives);
  visit("mask_token", options.batches.mask_token);
  visit("mask_vocabulary", options.batches.vocabulary);
}

template <typename T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    return exact_number_text(value);
  } else {
    return std::to_string(value);
  }
}

class Writer {
 public:
  Writer(std::string prefix, Metadata& settings)
      : prefix_(std::move(prefix)), settings_(settings) {}
  template <typename T>
  void operator()(const char* name, const T& value) const {
    settings_[prefix_ + name] = text_of(value);
  }
  template <typename T, std::size_t Count>
  void operator()(const char* name, const T& value, const Named<T> (&names)[Count]) const {
    settings_[prefix_ + name] = name_of(names, value);
  }
  void newer(const char* name, const auto&... each) const { (*this)(name, each...); }

 private:
  std::string prefix_;
  Metadata& settings_;
};

// What is not there is an error, or left as it is.
enum class Missing { refused, left };

class Reader {
 public:
  Reader(std::string prefix, const Metadata& settings, const char* call, Missing missing)
      : prefix_(std::move(prefix)), settings_(settings), call_(call), missing_(missing) {}
  template <typename T>
  void operator()(const char* name, T& value) const {
    const std::string* const found = entry(name);
    if (!found) return;
    const std::string& text = *found;
    const char* const end = text.data() + text.size();
    bool is_read = false;
    if constexpr (std::is_same_v<T, bool>) {
      value = text == "true";
      is_read = value || text == "false";
    } else if constexpr (std::is_floating_point_v<T>) {
      char* last = nullptr;  // not std::from_chars, which libc++ does not have for these
      value = std::strtod(text.c_str(), &last);
      is_read = !text.empty() && last == end;
    } else {
      const std::from_chars_result result = std::from_chars(text.data(), end, value);
      is_read = result.ec == std::errc() && result.ptr == end;
    }
    if (!is_read) fail(call_, (prefix_ + name).c_str(), {"\"", text, "\" cannot be read"});
  }
  template <typename T, std::size_t Count>
  void operator()(const char* name, T& value, const Named<T> (&names)[Count]) const {
    const std::string* const text = entry(name);
    if (text) value = value_named(names, *text, call_, (prefix_ + name).c_str(), name);
  }
  void newer(const char* name, auto&... each) const {
    if (settings_.contains(prefix_ + name)) (*this)(name, each...);
  }

 private:
  const std::string* entry(const char* name) const {
    const auto at = settings_.find(prefix_ + name);
    if (at != settings_.end()) return &at->second;
    if (missing_ == Missing::left) return nullptr;
    fail(call_, (prefix_ + name).c_str(), "is missing: this is no checkpoint");
  }

  std::string prefix_;
  const Metadata& settings_;
  const char* call_;
  Missing missing_;
};

void read_settings(const Metadata& settings, const char* call, Missing missing, ModelConfig& config,
                   TrainerOptions& options) {
  for_each_model_setting(config, Reader("model.", settings, call, missing));
  for_each_trainer_option(options, Reader("trainer.", settings, call, missing));
}

}  // namespace

Metadata checkpoint_settings(const ModelConfig& config, const TrainerOptions& options) {
  Metadata settings;
  for_each_model_setting(config, Writer("model.", settings));
  for_each_trainer_option(options, Writer("trainer.", settings));
  return settings;
}

void set_settings(const Metadata& given, ModelConfig& config, TrainerOptions& options) {
  constexpr const char* kCall = "set_settings";
  const Metadata known = checkpoint_settings(config, options);
  for (const auto& [name, text] : given) {
    if (!known.contains(name)) fail(kCall, name.c_str(), "there is no such setting");
  }
  ModelConfig new_config = config;
  TrainerOptions new_options = options;
  read_settings(given, kCall, Missing::left, new_config, new_options);
  config = new_config, options = new_options;
}

Checkpoint read_checkpoint(const Safetensors& file) {
  constexpr const char* kCall = "read_checkpoint";
  Checkpoint checkpoint;
  read_settings(file.metadata, kCall, Missing::refused, checkpoint.config, checkpoint.options);
  Reader("trainer.", file.metadata, kCall, Missing::refused)("done", checkpoint.steps);
  check_model_config(checkpoint.config, kCall);
  if (checkpoint.steps < 0) fail(kCall, "trainer.done", "must be at least 0");
  return checkpoint;
}

}  // namespace tril
