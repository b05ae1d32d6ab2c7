// The part of each kind of model that its trainer (trainer.h) needs: its options, its settings, and
// the search for a gradient that is not finite.
#include <tril/foundation/check.h>
#include <tril/foundation/sizes.h>
#include <tril/model/encoder_decoder_file.h>
#include <tril/model/model_file.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tril {
namespace {

// The last gradient in the list that is not finite; null where all are finite.
const StoredParameter* last_not_finite(const std::vector<StoredParameter>& gradients) {
  const auto not_finite = [](const StoredParameter& each) {
    return !std::all_of(each.data, each.data + each.count(),
                        [](float x) { return std::isfinite(x); });
  };
  const auto at = std::find_if(gradients.rbegin(), gradients.rend(), not_finite);
  return at == gradients.rend() ? nullptr : &*at;
}

}  // namespace

void LanguageModel::check(const TrainerOptions& options, const char* call) const {
  constexpr Index kLargest = 1 << 24;
  const auto size = [&](const char* name, Index value) {
    if (value >= 1 && value <= kLargest) return;
    fail(call, name, {"must be from 1 to ", kLargest, ", is ", value});
  };
  size("batch", options.batch);
  size("accumulation", options.accumulation);
  // The tokens and targets of a step must be addressable.
  checked_count({{"batch", options.batch},
                 {"accumulation", options.accumulation},
                 {"context", config_.context}},
                2 * sizeof(std::int32_t), call);
  const bool masked = options.batches.objective == TrainingObjective::masked;
  if (masked == config_.causal) {
    fail(call, "objective",
         masked ? "masked tokens are for a model that is not causal"
                : "the next token is for a model that is causal");
  }
  if (!masked) return;
  const auto is_token = [&](std::int32_t id) { return id >= 0 && id < config_.vocabulary; };
  if (!is_token(options.batches.mask_token) || !is_token(options.batches.vocabulary - 1)) {
    fail(call, "mask_token", {"is outside the vocabulary (0..", config_.vocabulary - 1, ")"});
  }
}

Metadata LanguageModel::settings(const TrainerOptions& options) const {
  return checkpoint_settings(config_, options);
}

TrainerState LanguageModel::read_state(const Safetensors& file) const {
  const Checkpoint read = read_checkpoint(file);
  return {checkpoint_settings(read.config, read.options, read.lora), read.steps};
}

// Searches from the end of the file's order, which is that of the forward pass. A tied matrix has
// gradients from both ends: where the loss is not finite, the head's part is not.
std::string LanguageModel::not_finite(double loss) const {
  std::vector<StoredParameter> list = stored_parameters(config_, gradients());
  const bool is_tied = config_.tied_head && gradients().embedding;
  if (is_tied && !std::isfinite(loss)) list.push_back(list.front());
  const StoredParameter* const first = last_not_finite(list);
  return first ? "the gradient of " + first->name + " went first" : "the gradients are finite";
}

Metadata LoraAdapter::settings(const TrainerOptions& options) const {
  return checkpoint_settings(model_.config(), options, options_);
}

// The checkpoints of an encoder-decoder do not hold these options.
void EncoderDecoder::check(const TrainerOptions& options, const char* call) const {
  const TrainerOptions defaults = TrainerOptions::for_sequences();
  const auto keeps = [&](const char* name, bool is_default) {
    if (!is_default) fail(call, name, "must be that of TrainerOptions::for_sequences()");
  };
  keeps("batch", options.batch == defaults.batch);
  keeps("accumulation", options.accumulation == defaults.accumulation);
  keeps("optimizer", options.optimizer == defaults.optimizer);
  keeps("batches", options.batches == defaults.batches);
}

Metadata EncoderDecoder::settings(const TrainerOptions& options) const {
  return checkpoint_settings(config_, options);
}

TrainerState EncoderDecoder::read_state(const Safetensors& file) const {
  const EncoderDecoderCheckpoint read = read_encoder_decoder_checkpoint(file);
  return {checkpoint_settings(read.config, read.options), read.steps};
}

std::string EncoderDecoder::not_finite(double) const {
  const std::vector<StoredParameter> list = stored_parameters(gradients_);
  const StoredParameter* const last = last_not_finite(list);
  return last ? "the gradient of " + last->name + " is not finite" : "the gradients are finite";
}

}  // namespace tril
