#include <tril/foundation/check.h>
#include <tril/model/model_file.h>
#include <tril/model/settings_text.h>
#include <tril/model/stored_tensors.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tril {
namespace {

using detail::StoredTensors;

StoredTensors model_tensors(const LanguageModel& model, ElementType type) {
  StoredTensors stored(type);
  stored.add("", stored_parameters(model.config(), model.weights()));
  return stored;
}
const Metadata kModelMetadata = {{"format", "pt"}};  // which Hugging Face's library asks for

}  // namespace

std::vector<std::byte> model_file(const LanguageModel& model, ElementType type) {
  return model_tensors(model, type).bytes(kModelMetadata);
}

void write_model_file(const LanguageModel& model, const WritePiece& write, ElementType type) {
  model_tensors(model, type).write(kModelMetadata, write);
}

void load_model(const Safetensors& file, LanguageModel& model) {
  const auto parameters = stored_parameters(model.config(), model.weights());
  detail::check_stored("load_model", file, "", parameters);
  detail::read_stored(file, "", parameters);
}

namespace {

Metadata settings_of(const Trainer& trainer) {
  const LoraAdapter* const adapter = trainer.adapter();
  return checkpoint_settings(trainer.model().config(), trainer.options(),
                             adapter ? std::optional(adapter->options()) : std::nullopt);
}

Metadata checkpoint_metadata(const Trainer& trainer, const Metadata& more) {
  Metadata metadata = settings_of(trainer);
  metadata["trainer.done"] = std::to_string(trainer.steps());
  detail::add_metadata(metadata, more);
  return metadata;
}

// Parameters with the bits that they have in memory, as moments: nothing is added to norms.
detail::StoredTraining stored_training(const Trainer& trainer) {
  const ModelConfig& config = trainer.model().config();
  if (const LoraAdapter* const adapter = trainer.adapter()) {
    std::vector<StoredParameter> all = adapter->base();
    std::ranges::copy(adapter->parameters(adapter->values()), std::back_inserter(all));
    return {std::move(all), adapter->parameters(trainer.first_moment()),
            adapter->parameters(trainer.second_moment())};
  }
  return {stored_parameters(config, trainer.model().values()),
          stored_parameters(config, trainer.first_moment()),
          stored_parameters(config, trainer.second_moment())};
}

}  // namespace

std::vector<std::byte> checkpoint_file(const Trainer& trainer, const Metadata& more) {
  return stored_training(trainer).tensors().bytes(checkpoint_metadata(trainer, more));
}

void write_checkpoint_file(const Trainer& trainer, const Metadata& more, const WritePiece& write) {
  stored_training(trainer).tensors().write(checkpoint_metadata(trainer, more), write);
}

void restore_checkpoint(const Safetensors& file, Trainer& trainer) {
  constexpr const char* kCall = "restore_checkpoint";
  const Checkpoint checkpoint = read_checkpoint(file);
  detail::check_same_settings(
      kCall, settings_of(trainer),
      checkpoint_settings(checkpoint.config, checkpoint.options, checkpoint.lora));
  stored_training(trainer).restore(kCall, file);
  if (LoraAdapter* const adapter = trainer.adapter()) adapter->merge();
  trainer.set_steps(checkpoint.steps);
}

}  // namespace tril
