#include <tril/foundation/check.h>
#include <tril/model/encoder_decoder_file.h>
#include <tril/model/settings_text.h>
#include <tril/model/stored_tensors.h>

#include <string>

namespace tril {
namespace {

using detail::MissingSetting;
using detail::SettingsReader;
using detail::SettingsWriter;

template <typename Config, typename Visit>
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
template <typename Options, typename Visit>
void for_each_option(Options& options, const Visit& visit) {
  detail::for_each_step_setting(options, visit);
  visit.newer("seed", options.seed);
}

void read_settings(const Metadata& settings, const char* call, MissingSetting missing,
                   EncoderDecoderConfig& config, EncoderDecoderTrainerOptions& options) {
  for_each_setting(config, SettingsReader("model.", settings, call, missing));
  for_each_option(options, SettingsReader("trainer.", settings, call, missing));
}

}  // namespace

std::vector<StoredParameter> stored_parameters(const EncoderDecoder& model,
                                               const VectorView<const float>& memory) {
  std::vector<StoredParameter> stored = stored_parameters(model.weights());
  for (StoredParameter& each : stored) {
    each.data = const_cast<float*>(memory.data()) + (each.data - model.values().data());
  }
  return stored;
}

namespace {

detail::StoredTraining stored_training(const EncoderDecoderTrainer& trainer) {
  const EncoderDecoder& model = trainer.model();
  return {stored_parameters(model.weights()), stored_parameters(model, trainer.first_moment()),
          stored_parameters(model, trainer.second_moment())};
}

}  // namespace

std::vector<std::byte> checkpoint_file(const EncoderDecoderTrainer& trainer, const Metadata& more) {
  Metadata metadata = checkpoint_settings(trainer.model().config(), trainer.options());
  metadata["trainer.done"] = std::to_string(trainer.steps());
  detail::add_metadata(metadata, more);
  return stored_training(trainer).tensors().bytes(metadata);
}

EncoderDecoderCheckpoint read_encoder_decoder_checkpoint(const Safetensors& file) {
  constexpr const char* kCall = "read_checkpoint";
  EncoderDecoderCheckpoint checkpoint;
  read_settings(file.metadata, kCall, MissingSetting::refused, checkpoint.config,
                checkpoint.options);
  SettingsReader("trainer.", file.metadata, kCall, MissingSetting::refused)("done",
                                                                            checkpoint.steps);
  check_encoder_decoder_config(checkpoint.config, kCall);
  if (checkpoint.steps < 0) fail(kCall, "trainer.done", "must be at least 0");
  return checkpoint;
}

void restore_checkpoint(const Safetensors& file, EncoderDecoderTrainer& trainer) {
  constexpr const char* kCall = "restore_checkpoint";
  const EncoderDecoderCheckpoint checkpoint = read_encoder_decoder_checkpoint(file);
  detail::check_same_settings(kCall,
                              checkpoint_settings(trainer.model().config(), trainer.options()),
                              checkpoint_settings(checkpoint.config, checkpoint.options));
  stored_training(trainer).restore(kCall, file);
  trainer.set_steps(checkpoint.steps);
}

Metadata checkpoint_settings(const EncoderDecoderConfig& config,
                             const EncoderDecoderTrainerOptions& options) {
  Metadata settings;
  for_each_setting(config, SettingsWriter("model.", settings));
  for_each_option(options, SettingsWriter("trainer.", settings));
  return settings;
}

void set_settings(const Metadata& given, EncoderDecoderConfig& config,
                  EncoderDecoderTrainerOptions& options) {
  constexpr const char* kCall = "set_settings";
  detail::check_known_settings(kCall, given, checkpoint_settings(config, options));
  EncoderDecoderConfig new_config = config;
  EncoderDecoderTrainerOptions new_options = options;
  read_settings(given, kCall, MissingSetting::left, new_config, new_options);
  config = new_config, options = new_options;
}

}  // namespace tril
