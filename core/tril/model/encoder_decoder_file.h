// Encoder-decoders in training as files: what their checkpoints (checkpoint.h) say of themselves,
// and settings by name.
#pragma once

#include <tril/files/safetensors.h>
#include <tril/model/checkpoint.h>
#include <tril/model/encoder_decoder_trainer.h>

#include <cstdint>
#include <vector>

namespace tril {

// The parameters by name of memory that is laid out as the model's values are: gradients, moments.
// Not to be written where it may not be.
inline std::vector<StoredParameter> stored_parameters(const EncoderDecoder& model,
                                                      const VectorView<const float>& memory) {
  return model.parameters(memory);
}

// What a checkpoint says of itself.
struct EncoderDecoderCheckpoint {
  EncoderDecoderConfig config;           // the model's settings
  EncoderDecoderTrainerOptions options;  // the trainer's
  std::int64_t steps = 0;                // how many are done
};

// Throws Error, naming the entry, where the file is no such checkpoint or a setting cannot be read.
EncoderDecoderCheckpoint read_encoder_decoder_checkpoint(const Safetensors& file);

// The settings of a checkpoint by name, "model.width" and "trainer.clip", each as text that gives
// the same value back.
Metadata checkpoint_settings(const EncoderDecoderConfig& config,
                             const EncoderDecoderTrainerOptions& options);

// Sets those that `given` has, by these names and as such texts, and leaves all others. Throws
// Error, naming the setting, where there is none of that name or its text cannot be read.
void set_settings(const Metadata& given, EncoderDecoderConfig& config,
                  EncoderDecoderTrainerOptions& options);

}  // namespace tril
