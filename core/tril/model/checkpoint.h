// Checkpoints of models in training, from which training goes on with the same bits: of language
// models (model_file.h reads their settings) and of encoder-decoders (encoder_decoder_file.h).
#pragma once

#include <tril/files/file.h>
#include <tril/files/safetensors.h>
#include <tril/model/gradient_trainer.h>

#include <cstddef>
#include <vector>

namespace tril {

// The bytes of a checkpoint: a .safetensors file of the parameters, by their names, and of both
// moments, "first_moment." and "second_moment." before these names; the settings, the options and
// how many steps are done, as metadata. Of an adapter: the model's parameters, which do not change,
// A and B by PEFT's names (lora.h), and the moments of these. `more` is kept with them, under names
// without a dot.
std::vector<std::byte> checkpoint_file(const GradientTrainer& trainer, const Metadata& more = {});
// The same piece by piece.
void write_checkpoint_file(const GradientTrainer& trainer, const Metadata& more,
                           const WritePiece& write);

// Puts a trainer, and its model, where the one was whose checkpoint this is. Throws Error, naming
// the first setting that differs and both values, where model or options are others (but for the
// number of steps in all), or a tensor is missing; model and trainer are then as they were.
void restore_checkpoint(const Safetensors& file, GradientTrainer& trainer);

}  // namespace tril
