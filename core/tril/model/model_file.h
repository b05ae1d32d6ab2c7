// Language models in training as files: what other libraries open, and what their checkpoints
// (checkpoint.h) say of themselves.
#pragma once

#include <tril/files/file.h>
#include <tril/files/safetensors.h>
#include <tril/model/checkpoint.h>
#include <tril/model/model_config_json.h>
#include <tril/model/trainer.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The bytes of a model.safetensors, by the names and in the shapes of the family: float32, or
// float16 and bfloat16, rounded as write_elements does. Throws Error for another type.
std::vector<std::byte> model_file(const LanguageModel& model,
                                  ElementType type = ElementType::float32);
// The same piece by piece, 16384 numbers or a row at a time, for write_file.
void write_model_file(const LanguageModel& model, const WritePiece& write,
                      ElementType type = ElementType::float32);

// Sets the parameters of a model from a file's tensors. Throws Error, naming the tensor, where one
// is missing or has another shape, and then changes nothing.
void load_model(const Safetensors& file, LanguageModel& model);

// What a checkpoint says of itself.
struct Checkpoint {
  ModelConfig config;                    // the model's settings
  TrainerOptions options;                // the trainer's
  std::int64_t steps = 0;                // how many are done
  std::optional<LoraOptions> lora = {};  // the adapter's; none: the whole model is trained
};

// Throws Error, naming the entry, where the file is no checkpoint or a setting cannot be read.
Checkpoint read_checkpoint(const Safetensors& file);

// The settings of a checkpoint by name, "model.width" and "trainer.batch", each as text that gives
// the same number back; of an adapter, where there is one, "lora.rank", "lora.alpha" and, with
// commas in between, "lora.targets".
Metadata checkpoint_settings(const ModelConfig& config, const TrainerOptions& options,
                             const std::optional<LoraOptions>& lora = {});

// Sets those that `given` has, by these names and as such texts, and leaves all others. Throws
// Error, naming the setting, where there is none of that name or its text cannot be read.
void set_settings(const Metadata& given, ModelConfig& config, TrainerOptions& options);
// The same of an adapter's, which `given` has no others beside. An empty "lora.targets" leaves
// them.
void set_settings(const Metadata& given, LoraOptions& options);

}  // namespace tril
