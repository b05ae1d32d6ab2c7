// Encoder-decoders in training as files: checkpoints, from which training goes on with the same
// bits, and settings by name.
#pragma once

#include <tril/files/safetensors.h>
#include <tril/model/encoder_decoder_trainer.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tril {

// The parameters by name of memory that is laid out as the model's values are: gradients, moments.
// Not to be written where it may not be.
std::vector<StoredParameter> stored_parameters(const EncoderDecoder& model,
                                               const VectorView<const float>& memory);

// The bytes of a checkpoint, as model_file.h has them of language models: parameters, moments,
// settings, options, how many steps are done, and `more`, under names without a dot.
std::vector<std::byte> checkpoint_file(const EncoderDecoderTrainer& trainer,
                                       const Metadata& more = {});

// What a checkpoint says of itself.
struct EncoderDecoderCheckpoint {
  EncoderDecoderConfig config;           // the model's settings
  EncoderDecoderTrainerOptions options;  // the trainer's
  std::int64_t steps = 0;                // how many are done
};

// Throws Error, naming the entry, where the file is no such checkpoint or a setting cannot be read.
EncoderDecoderCheckpoint read_encoder_decoder_checkpoint(const Safetensors& file);

// Puts a trainer, and its model, where the one was whose checkpoint this is. Throws Error, naming
// the first setting that differs and both values, where model or options are others (but for the
// number of steps in all), or a tensor is missing; model and trainer are then as they were.
void restore_checkpoint(const Safetensors& file, EncoderDecoderTrainer& trainer);

// The settings of a checkpoint by name, "model.width" and "trainer.clip", each as text that gives
// the same value back.
Metadata checkpoint_settings(const EncoderDecoderConfig& config,
                             const EncoderDecoderTrainerOptions& options);

// Sets those that `given` has, by these names and as such texts, and leaves all others. Throws
// Error, naming the setting, where there is none of that name or its text cannot be read.
void set_settings(const Metadata& given, EncoderDecoderConfig& config,
                  EncoderDecoderTrainerOptions& options);

}  // namespace tril
