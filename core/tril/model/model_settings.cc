// Settings as texts and back: one walk over each struct serves both, and the comparison.
#include <tril/foundation/check.h>
#include <tril/model/model_file.h>

#include <charconv>
#include <cstdlib>
#include <type_traits>

namespace tril {
namespace {

constexpr const char* kRead = "read_checkpoint";

// visit(name, value) of numbers, visit(name, value, names) of what has names.
template <typename Config, typename Visit>
void for_each_model_setting(Config& config, const Visit& visit) {
  visit("family", config.family, kModelFamilies);
  visit("norm", config.norm, kModelNorms);
  visit("positions", config.positions, kModelPositions);
  visit("feed_forward", config.feed_forward, kModelFeedForwards);
  visit("biases", config.biases);
  visit("tied_head", config.tied_head);
  visit("causal", config.causal);
  visit("layers", config.layers);
  visit("heads", config.heads);
  visit("kv_heads", config.kv_heads);
  visit("width", config.width);
  visit("hidden", config.hidden);
  visit("context", config.context);
  visit("vocabulary", config.vocabulary);
  visit("eps", config.eps);
  visit("rotary_base", config.rotary_base);
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
  } else {
    char text[40];  // the shortest that gives the same bits back has at most 24 characters
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
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

 private:
  std::string prefix_;
  Metadata& settings_;
};

class Reader {
 public:
  Reader(std::string prefix, const Metadata& settings)
      : prefix_(std::move(prefix)), settings_(settings) {}
  template <typename T>
  void operator()(const char* name, T& value) const {
    const std::string& text = entry(name);
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
    if (!is_read) fail(kRead, (prefix_ + name).c_str(), {"\"", text, "\" cannot be read"});
  }
  template <typename T, std::size_t Count>
  void operator()(const char* name, T& value, const Named<T> (&names)[Count]) const {
    value = value_named(names, entry(name), kRead, (prefix_ + name).c_str());
  }

 private:
  const std::string& entry(const char* name) const {
    const auto at = settings_.find(prefix_ + name);
    if (at == settings_.end())
      fail(kRead, (prefix_ + name).c_str(), "is missing: this is no checkpoint");
    return at->second;
  }

  std::string prefix_;
  const Metadata& settings_;
};

}  // namespace

Metadata checkpoint_settings(const ModelConfig& config, const TrainerOptions& options) {
  Metadata settings;
  for_each_model_setting(config, Writer("model.", settings));
  for_each_trainer_option(options, Writer("trainer.", settings));
  return settings;
}

Checkpoint read_checkpoint(const Safetensors& file) {
  Checkpoint checkpoint;
  for_each_model_setting(checkpoint.config, Reader("model.", file.metadata));
  for_each_trainer_option(checkpoint.options, Reader("trainer.", file.metadata));
  Reader("trainer.", file.metadata)("done", checkpoint.steps);
  check_model_config(checkpoint.config, kRead);
  if (checkpoint.steps < 0) fail(kRead, "trainer.done", "must be at least 0");
  return checkpoint;
}

}  // namespace tril
