#include <tril/foundation/check.h>
#include <tril/model/checkpoint.h>
#include <tril/model/settings_text.h>
#include <tril/model/stored_tensors.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace tril {
namespace {

// Tensors of a checkpoint, whose names begin alike.
struct Part {
  const char* prefix;
  std::vector<StoredParameter> parameters;
};

// Parameters with the bits that they have in memory, as moments: nothing is added to norms.
std::vector<Part> parts_of(const Trainer& trainer) {
  Trainable& trained = trainer.trained();
  std::vector<Part> parts = {{"", trained.base()},
                             {"first_moment.", trained.parameters(trainer.first_moment())},
                             {"second_moment.", trained.parameters(trainer.second_moment())}};
  std::ranges::copy(trained.parameters(trained.values()), std::back_inserter(parts[0].parameters));
  return parts;
}

detail::StoredTensors tensors_of(const Trainer& trainer) {
  detail::StoredTensors stored;
  for (const Part& each : parts_of(trainer)) stored.add(each.prefix, each.parameters);
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
  const std::vector<Part> parts = parts_of(trainer);
  for (const Part& each : parts) detail::check_stored(kCall, file, each.prefix, each.parameters);
  for (const Part& each : parts) detail::read_stored(file, each.prefix, each.parameters);
  trainer.trained().merge({});
  trainer.set_steps(state.steps);
}

}  // namespace tril
