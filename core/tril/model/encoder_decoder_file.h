// Files of encoder-decoders: the settings in their checkpoints (checkpoint.h), and settings by
// name.
#pragma once

#include <tril/files/safetensors.h>
#include <tril/model/checkpoint.h>
#include <tril/model/encoder_decoder.h>
#include <tril/model/trainer.h>

#include <cstdint>
#include <vector>

namespace tril {

// The content of a checkpoint, without its tensors.
struct EncoderDecoderCheckpoint {
  EncoderDecoderConfig config;                               // the model's settings
  TrainerOptions options = TrainerOptions::for_sequences();  // the trainer's options
  std::int64_t steps = 0;                                    // number of steps done
};

// Reads the content of a checkpoint. Throws Error, naming the entry, where the file is not such a
// checkpoint or a setting cannot be read.
EncoderDecoderCheckpoint read_encoder_decoder_checkpoint(const Safetensors& file);

// The settings of a checkpoint by name, "model.width" and "trainer.clip", each as a text that is
// read back as the same value.
Metadata checkpoint_settings(const EncoderDecoderConfig& config, const TrainerOptions& options);

// Sets the settings in `given`, which have these names and texts, and keeps all others. Throws
// Error, naming the setting, where its name is unknown or its text cannot be read.
void set_settings(const Metadata& given, EncoderDecoderConfig& config, TrainerOptions& options);

}  // namespace tril
