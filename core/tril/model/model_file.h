// Files of language models in training: model files for other libraries, and the settings in
// checkpoints (checkpoint.h).
#pragma once

#include <tril/files/file.h>
#include <tril/files/safetensors.h>
#include <tril/model/checkpoint.h>
#include <tril/model/lora.h>
#include <tril/model/model_config_json.h>
#include <tril/model/trainer.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The bytes of a model.safetensors with the names and shapes of the family, in float32, float16 or
// bfloat16, rounded as by write_elements. Throws Error for another type.
std::vector<std::byte> model_file(const LanguageModel& model,
                                  ElementType type = ElementType::float32);
// The same piece by piece, 16384 numbers or a row at a time, for write_file.
void write_model_file(const LanguageModel& model, const WritePiece& write,
                      ElementType type = ElementType::float32);

// Sets the parameters of a model from a file's tensors. Throws Error, naming the tensor, where one
// is missing or has another shape, and then changes nothing.
void load_model(const Safetensors& file, LanguageModel& model);

// The content of a checkpoint, without its tensors.
struct Checkpoint {
  ModelConfig config;                    // the model's settings
  TrainerOptions options;                // the trainer's options
  std::int64_t steps = 0;                // number of steps done
  std::optional<LoraOptions> lora = {};  // options of the adapter; none: the whole model is trained
};

// Reads it. Throws Error, naming the entry, where the file is not a checkpoint or a setting cannot
// be read.
Checkpoint read_checkpoint(const Safetensors& file);

// The settings of a checkpoint by name, "model.width" and "trainer.batch", each as a text that is
// read back as the same value. An adapter adds "lora.rank", "lora.alpha" and the comma-separated
// "lora.targets".
Metadata checkpoint_settings(const ModelConfig& config, const TrainerOptions& options,
                             const std::optional<LoraOptions>& lora = {});

// Sets the settings in `given`, which have these names and texts, and keeps all others. Throws
// Error, naming the setting, where its name is unknown or its text cannot be read.
void set_settings(const Metadata& given, ModelConfig& config, TrainerOptions& options);
// The same for the settings of an adapter; `given` has no others. An empty "lora.targets" keeps the
// targets.
void set_settings(const Metadata& given, LoraOptions& options);

}  // namespace tril
