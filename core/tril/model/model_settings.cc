// Settings as texts and back: one walk over each struct serves both, and the comparison.
#include <tril/foundation/check.h>
#include <tril/model/model_file.h>
#include <tril/model/model_settings.h>
#include <tril/model/settings_text.h>

#include <algorithm>

namespace tril {
namespace {

using detail::MissingSetting;
using detail::SettingsReader;
using detail::SettingsWriter;

template <typename Config, typename Visit>
void for_each_setting(Config& config, const Visit& visit) {
  visit("family", config.family, kModelFamilies);  // of those that are trained
  detail::for_each_model_setting(config, visit);
}
template <typename Options, typename Visit>
void for_each_trainer_option(Options& options, const Visit& visit) {
  visit("batch", options.batch);
  visit("accumulation", options.accumulation);
  detail::for_each_step_setting(options, visit);
  visit.newer("optimizer", options.optimizer, kTrainingOptimizers);
  visit.newer("momentum", options.momentum);
  visit("seed", options.seed);
  visit("objective", options.batches.objective, kTrainingObjectives);
  visit("mask_token", options.batches.mask_token);
  visit("mask_vocabulary", options.batches.vocabulary);
}

void read_settings(const Metadata& settings, const char* call, MissingSetting missing,
                   ModelConfig& config, TrainerOptions& options) {
  for_each_setting(config, SettingsReader("model.", settings, call, missing));
  for_each_trainer_option(options, SettingsReader("trainer.", settings, call, missing));
}

// As texts without commas, which no name of a module has.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

void read_lora_settings(const Metadata& settings, const char* call, LoraOptions& options) {
  const SettingsReader read("lora.", settings, call, MissingSetting::left);
  read("rank", options.rank);
  read("alpha", options.alpha);
  const auto targets = settings.find("lora.targets");
  if (targets != settings.end() && !targets->second.empty()) {
    options.targets = parts_of(targets->second);
  }
}

}  // namespace

Metadata checkpoint_settings(const ModelConfig& config, const TrainerOptions& options,
                             const std::optional<LoraOptions>& lora) {
  Metadata settings;
  for_each_setting(config, SettingsWriter("model.", settings));
  for_each_trainer_option(options, SettingsWriter("trainer.", settings));
  if (!lora) return settings;
  const SettingsWriter write("lora.", settings);
  write("rank", lora->rank);
  write("alpha", lora->alpha);
  std::string& targets = settings["lora.targets"];
  for (const std::string& each : lora->targets) targets += (targets.empty() ? "" : ",") + each;
  return settings;
}

void set_settings(const Metadata& given, LoraOptions& options) {
  constexpr const char* kCall = "set_settings";
  detail::check_known_settings(kCall, given,
                               {{"lora.rank", ""}, {"lora.alpha", ""}, {"lora.targets", ""}});
  LoraOptions new_options = options;
  read_lora_settings(given, kCall, new_options);
  options = new_options;
}

void set_settings(const Metadata& given, ModelConfig& config, TrainerOptions& options) {
  constexpr const char* kCall = "set_settings";
  detail::check_known_settings(kCall, given, checkpoint_settings(config, options));
  ModelConfig new_config = config;
  TrainerOptions new_options = options;
  read_settings(given, kCall, MissingSetting::left, new_config, new_options);
  config = new_config, options = new_options;
}

Checkpoint read_checkpoint(const Safetensors& file) {
  constexpr const char* kCall = "read_checkpoint";
  Checkpoint checkpoint;
  read_settings(file.metadata, kCall, MissingSetting::refused, checkpoint.config,
                checkpoint.options);
  SettingsReader("trainer.", file.metadata, kCall, MissingSetting::refused)("done",
                                                                            checkpoint.steps);
  if (file.metadata.contains("lora.rank")) {
    read_lora_settings(file.metadata, kCall, checkpoint.lora.emplace());
  }
  check_model_config(checkpoint.config, kCall);
  if (checkpoint.steps < 0) fail(kCall, "trainer.done", "must be at least 0");
  return checkpoint;
}

}  // namespace tril
