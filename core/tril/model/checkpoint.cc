#include <tril/foundation/check.h>
#include <tril/model/checkpoint.h>
#include <tril/model/settings_text.h>
#include <tril/model/stored_tensors.h>

#include <string>
#include <utility>
#include <vector>

namespace tril {
namespace {

// Calls visit(prefix of their names, parameters) for the parts of a checkpoint: parameters with
// their bits in memory, like moments, with nothing added to norms. The moments of a const trainer
// are const.
template <typename SomeTrainer, typename Visit>
void for_each_part(SomeTrainer& trainer, const Visit& visit) {
  Trainable& trained = trainer.trained();
  visit("", trained.base());
  visit("", trained.parameters(trained.values()));
  visit("first_moment.", trained.parameters(trainer.first_moment()));
  visit("second_moment.", trained.parameters(trainer.second_moment()));
}

detail::StoredTensors tensors_of(const Trainer& trainer) {
  detail::StoredTensors stored;
  for_each_part(
      trainer, [&](const char* prefix, const auto& parameters) { stored.add(prefix, parameters); });
  return stored;
}

Metadata metadata_of(const Trainer& trainer, const Metadata& more) {
  Metadata metadata = trainer.settings();
  metadata["trainer.done"] = std::to_string(trainer.steps());
  detail::add_metadata(metadata, more);
  return metadata;
}

}  // namespace

std::vector<std::byte> checkpoint_file(const Trainer& trainer, const Metadata& more) {
  return tensors_of(trainer).bytes(metadata_of(trainer, more));
}

void write_checkpoint_file(const Trainer& trainer, const Metadata& more, const WritePiece& write) {
  tensors_of(trainer).write(metadata_of(trainer, more), write);
}

void restore_checkpoint(const Safetensors& file, Trainer& trainer) {
  constexpr const char* kCall = "restore_checkpoint";
  const TrainerState state = trainer.trained().read_state(file);
  detail::check_same_settings(kCall, trainer.settings(), state.settings);
  std::vector<std::pair<const char*, std::vector<StoredParameter>>> parts;
  for_each_part(trainer, [&](const char* prefix, std::vector<StoredParameter> parameters) {
    parts.emplace_back(prefix, std::move(parameters));
  });
  for (const auto& [prefix, parameters] : parts) {
    detail::check_stored(kCall, file, prefix, parameters);
  }
  for (const auto& [prefix, parameters] : parts) detail::read_stored(file, prefix, parameters);
  trainer.trained().merge({});
  trainer.set_steps(state.steps);
}

}  // namespace tril
