// Settings as texts and back: one walk over each struct serves both, and the comparison.
#include <tril/foundation/check.h>
#include <tril/model/model_file.h>
#include <tril/model/settings_text.h>

namespace tril {
namespace {

using detail::MissingSetting;
using detail::SettingsReader;
using detail::SettingsWriter;

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
  visit.newer("query_key_norm", config.query_key_norm);
  visit.newer("head_dim", config.head_dim);
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
  for_each_model_setting(config, SettingsReader("model.", settings, call, missing));
  for_each_trainer_option(options, SettingsReader("trainer.", settings, call, missing));
}

}  // namespace

Metadata checkpoint_settings(const ModelConfig& config, const TrainerOptions& options) {
  Metadata settings;
  for_each_model_setting(config, SettingsWriter("model.", settings));
  for_each_trainer_option(options, SettingsWriter("trainer.", settings));
  return settings;
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
  check_model_config(checkpoint.config, kCall);
  if (checkpoint.steps < 0) fail(kCall, "trainer.done", "must be at least 0");
  return checkpoint;
}

}  // namespace tril
