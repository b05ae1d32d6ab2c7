#include <tril/foundation/check.h>
#include <tril/model/model_file.h>
#include <tril/model/settings_text.h>
#include <tril/model/stored_tensors.h>

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

Metadata checkpoint_metadata(const Trainer& trainer, const Metadata& more) {
  const ModelConfig& config = trainer.model().config();
  Metadata metadata = checkpoint_settings(config, trainer.options());
  metadata["trainer.done"] = std::to_string(trainer.steps());
  detail::add_metadata(metadata, more);
  return metadata;
}

// Parameters with the bits that they have in memory, as moments: nothing is added to norms.
detail::StoredTraining stored_training(const Trainer& trainer) {
  const ModelConfig& config = trainer.model().config();
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
  const ModelConfig& config = trainer.model().config();
  detail::check_same_settings(kCall, checkpoint_settings(config, trainer.options()),
                              checkpoint_settings(checkpoint.config, checkpoint.options));
  stored_training(trainer).restore(kCall, file);
  trainer.set_steps(checkpoint.steps);
}

}  // namespace tril
