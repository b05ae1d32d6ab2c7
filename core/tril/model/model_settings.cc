// Settings as text and back: one walk over each struct serves both, and the comparison.
#include <tril/foundation/check.h>
#include <tril/model/encoder_decoder_file.h>
#include <tril/model/model_file.h>
#include <tril/model/model_settings.h>
#include <tril/model/settings_text.h>

#include <algorithm>
#include <concepts>

namespace tril {
namespace {

using detail::MissingSetting;
using detail::SettingsReader;
using detail::SettingsWriter;

template <typename T, typename Struct>
concept Either = std::same_as<std::remove_const_t<T>, Struct>;

template <Either<ModelConfig> Config, typename Visit>
void for_each_setting(Config& config, const Visit& visit) {
  visit("family", config.family, kModelFamilies);  // the families for training
  detail::for_each_model_setting(config, visit);
}
template <Either<EncoderDecoderConfig> Config, typename Visit>
void for_each_setting(Config& config, const Visit& visit) {
  visit("source_vocabulary", config.source_vocabulary);
  visit("target_vocabulary", config.target_vocabulary);
  visit("context", config.context);
  visit("encoder_layers", config.encoder_layers);
  visit("decoder_layers", config.decoder_layers);
  visit("heads", config.heads);
  visit("width", config.width);
  visit("hidden", config.hidden);
  visit("norm", config.norm, kNormOrders);
  visit("activation", config.activation, kActivations);
  visit("eps", config.eps);
  visit.newer("dropout", config.dropout);
  visit.newer("positions", config.positions, kSequencePositions);
  visit.newer("gated", config.gated);
}

// The options of a step: its rate, AdamW's numbers and clipping.
template <typename Options, typename Visit>
void for_each_step_setting(Options& options, const Visit& visit) {
  visit("learning_rate", options.schedule.learning_rate);
  visit("lowest_rate", options.schedule.lowest);
  visit("warmup", options.schedule.warmup);
  visit("steps", options.schedule.steps);
  visit("beta1", options.beta1);
  visit("beta2", options.beta2);
  visit("eps", options.eps);
  visit("weight_decay", options.weight_decay);
  visit("clip", options.clip);
}
// The options of a language model's trainer.
template <typename Options, typename Visit>
void for_each_option(const ModelConfig&, Options& options, const Visit& visit) {
  visit("batch", options.batch);
  visit("accumulation", options.accumulation);
  for_each_step_setting(options, visit);
  visit.newer("optimizer", options.optimizer, kTrainingOptimizers);
  visit.newer("momentum", options.momentum);
  visit("seed", options.seed);
  visit("objective", options.batches.objective, kTrainingObjectives);
  visit("mask_token", options.batches.mask_token);
  visit("mask_vocabulary", options.batches.vocabulary);
}
// The options of an encoder-decoder's trainer, which has no others (EncoderDecoder::check).
template <typename Options, typename Visit>
void for_each_option(const EncoderDecoderConfig&, Options& options, const Visit& visit) {
  for_each_step_setting(options, visit);
  visit.newer("seed", options.seed);
}

template <typename Config>
Metadata written(const Config& config, const TrainerOptions& options) {
  Metadata settings;
  for_each_setting(config, SettingsWriter("model.", settings));
  for_each_option(config, options, SettingsWriter("trainer.", settings));
  return settings;
}

template <typename Config>
void read_settings(const Metadata& settings, const char* call, MissingSetting missing,
                   Config& config, TrainerOptions& options) {
  for_each_setting(config, SettingsReader("model.", settings, call, missing));
  for_each_option(config, options, SettingsReader("trainer.", settings, call, missing));
}

template <typename Config>
void set_given(const Metadata& given, Config& config, TrainerOptions& options) {
  constexpr const char* kCall = "set_settings";
  detail::check_known_settings(kCall, given, written(config, options));
  Config new_config = config;
  TrainerOptions new_options = options;
  read_settings(given, kCall, MissingSetting::left, new_config, new_options);
  config = new_config, options = new_options;
}

constexpr const char* kRead = "read_checkpoint";

// Throws Error for a checkpoint of the other kind of model, which has such a setting.
template <typename Checkpoint>
Checkpoint read_from(const Metadata& settings, const char* of_other, const char* other) {
  if (settings.contains(of_other)) fail(kRead, "checkpoint", {"is that of ", other});
  Checkpoint checkpoint;
  read_settings(settings, kRead, MissingSetting::refused, checkpoint.config, checkpoint.options);
  const SettingsReader read("trainer.", settings, kRead, MissingSetting::refused);
  read("done", checkpoint.steps);
  if (checkpoint.steps < 0) fail(kRead, "trainer.done", "must be at least 0");
  return checkpoint;
}

// Splits at commas, which do not occur in names of modules.
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
  Metadata settings = written(config, options);
  if (!lora) return settings;
  const SettingsWriter write("lora.", settings);
  write("rank", lora->rank);
  write("alpha", lora->alpha);
  std::string& targets = settings["lora.targets"];
  for (const std::string& each : lora->targets) targets += (targets.empty() ? "" : ",") + each;
  return settings;
}

Metadata checkpoint_settings(const EncoderDecoderConfig& config, const TrainerOptions& options) {
  return written(config, options);
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
  set_given(given, config, options);
}

void set_settings(const Metadata& given, EncoderDecoderConfig& config, TrainerOptions& options) {
  set_given(given, config, options);
}

Checkpoint read_checkpoint(const Safetensors& file) {
  Checkpoint checkpoint =
      read_from<Checkpoint>(file.metadata, "model.encoder_layers", "an encoder-decoder");
  if (file.metadata.contains("lora.rank")) {
    read_lora_settings(file.metadata, kRead, checkpoint.lora.emplace());
  }
  check_model_config(checkpoint.config, kRead);
  return checkpoint;
}

EncoderDecoderCheckpoint read_encoder_decoder_checkpoint(const Safetensors& file) {
  const auto checkpoint =
      read_from<EncoderDecoderCheckpoint>(file.metadata, "model.layers", "a language model");
  check_encoder_decoder_config(checkpoint.config, kRead);
  return checkpoint;
}

}  // namespace tril
