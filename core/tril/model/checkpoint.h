// Checkpoints, from which training resumes bit for bit: of language models (model_file.h reads
// their settings) and of encoder-decoders (encoder_decoder_file.h).
#pragma once

#include <tril/files/file.h>
#include <tril/files/safetensors.h>
#include <tril/model/trainer.h>

#include <cstddef>
#include <vector>

namespace tril {

// The bytes of a checkpoint, a .safetensors file. It has the parameters by name, and both moments
// with "first_moment." and "second_moment." before these names; its metadata are the settings, the
// options and the number of steps done. The checkpoint of an adapter has the model's parameters, A
// and B by PEFT's names (lora.h), and the moments of A and B. `more` is added to the metadata,
// under names without a dot.
std::vector<std::byte> checkpoint_file(const Trainer& trainer, const Metadata& more = {});
// The same piece by piece.
void write_checkpoint_file(const Trainer& trainer, const Metadata& more, const WritePiece& write);

// Restores a trainer and its model from a checkpoint. Throws Error where a tensor is missing, or
// where settings or options differ (except the total number of steps), naming the first one and
// both values; model and trainer are then unchanged.
void restore_checkpoint(const Safetensors& file, Trainer& trainer);

}  // namespace tril
