#include <tril/foundation/check.h>
#include <tril/model/encoder_decoder_file.h>
#include <tril/model/encoder_decoder_trainer.h>

#include <string>

namespace tril {
namespace {

constexpr const char* kStep = "EncoderDecoderTrainer::step";

TrainerOptions step_options(const EncoderDecoderTrainerOptions& options) noexcept {
  return {.schedule = options.schedule,
          .beta1 = options.beta1,
          .beta2 = options.beta2,
          .eps = options.eps,
          .weight_decay = options.weight_decay,
          .clip = options.clip,
          .seed = options.seed};
}

}  // namespace

EncoderDecoderTrainer::EncoderDecoderTrainer(EncoderDecoder& model,
                                             const EncoderDecoderTrainerOptions& options)
    : GradientTrainer("EncoderDecoderTrainer", model, step_options(options)),
      model_(model),
      options_(options) {}

Metadata EncoderDecoderTrainer::settings() const {
  return checkpoint_settings(model_.config(), options_);
}

TrainerState EncoderDecoderTrainer::read_state(const Safetensors& file) const {
  const EncoderDecoderCheckpoint read = read_encoder_decoder_checkpoint(file);
  return {checkpoint_settings(read.config, read.options), read.steps};
}

// The backward pass begins at the end.
std::string EncoderDecoderTrainer::not_finite(double) const {
  const std::vector<StoredParameter> gradients = stored_parameters(model_.gradients());
  const StoredParameter* const last = last_not_finite(gradients);
  return last ? "the gradient of " + last->name + " is not finite" : "the gradients are finite";
}

TrainingStep EncoderDecoderTrainer::step(Tokens source, Tokens target, Tokens labels,
                                         const Context& context) {
  const EncoderDecoderBatch batch{source, target, labels};
  return step({&batch, 1}, context);
}

// gradients += those of the mean loss, batch by batch;  clip;  step
TrainingStep EncoderDecoderTrainer::step(std::span<const EncoderDecoderBatch> batches,
                                         const Context& context) {
  const detail::Stopwatch watch;
  if (batches.empty()) fail(kStep, "batches", "there are none");
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const auto& [source, target, labels] = batches[n];
    try {
      model_.check(source, target, labels, kStep);
    } catch (const Error& error) {
      if (batches.size() == 1) throw;
      const std::string which = "batches." + std::to_string(n) + "." + error.argument();
      fail(kStep, which.c_str(), error.problem());
    }
  }
  TrainingStep result;
  Index label_count = 0;
  for (const EncoderDecoderBatch& each : batches) {
    result.tokens += each.source.count() + each.target.count();
    label_count += counted(each.labels);
  }
  model_.clear_gradients();
  const double scale = share_of(label_count);
  double loss = 0;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const auto number = static_cast<Index>(n);
    loss += scale * accumulate(batches[n], {.scale = scale}, number, result, context).sum;
  }
  move(loss, 1, result, watch, context);
  return result;
}

}  // namespace tril
