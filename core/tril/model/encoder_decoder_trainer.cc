#include <tril/foundation/check.h>
#include <tril/model/encoder_decoder_trainer.h>
#include <tril/training/gradient_norm.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <type_traits>

namespace tril {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kStep = "EncoderDecoderTrainer::step";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// How many answers count; `tokens` becomes how many tokens there are.
Index check_batches(const EncoderDecoder& model, std::span<const EncoderDecoderBatch> batches,
                    Index& tokens) {
  if (batches.empty()) fail(kStep, "batches", "there are none");
  Index counted = 0;
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const auto& [source, target, answers] = batches[n];
    try {
      model.check(source, target, answers, kStep);
    } catch (const Error& error) {
      if (batches.size() == 1) throw;
      const std::string which = "batches." + std::to_string(n) + "." + error.argument();
      fail(kStep, which.c_str(), error.problem());
    }
    tokens += source.count() + target.count();
    counted +=
        answers.count() - static_cast<Index>(std::count(
                              answers.data(), answers.data() + answers.count(), kIgnoredTarget));
  }
  return counted;
}

// The last parameter whose gradient is not finite: the backward pass begins at the end.
std::string first_not_finite(const EncoderDecoder& model) {
  std::string found;
  for (const StoredParameter& each : stored_parameters(model.gradients())) {
    const auto finite = [](float x) { return std::isfinite(x); };
    if (!std::all_of(each.data, each.data + each.count(), finite)) found = each.name;
  }
  return found.empty() ? "the gradients are finite" : "the gradient of " + found + " is not finite";
}

}  // namespace

EncoderDecoderTrainer::EncoderDecoderTrainer(EncoderDecoder& model,
                                             const EncoderDecoderTrainerOptions& options)
    : model_(model), options_(options) {
  constexpr const char* kCall = "EncoderDecoderTrainer";
  if (!(options.clip >= 0) || !std::isfinite(options.clip)) {
    fail(kCall, "clip", {"must be finite and at least 0, is ", options.clip});
  }
  // By what checks them in every step: a step over nothing.
  float nothing[4] = {};
  const auto one = [&](int i) { return VectorView<float>(nothing + i, {1}); };
  adamw_step(one(0), one(1), one(2), one(3), 1,
             adamw(scheduled_rate(options.schedule, 0), options.weight_decay, 1));
  first_ = Buffer<float, 1>(model.values().shape());
  second_ = Buffer<float, 1>(model.values().shape());
}

AdamWOptions EncoderDecoderTrainer::adamw(double rate, double decay, double scale) const noexcept {
  return {.learning_rate = rate,
          .beta1 = options_.beta1,
          .beta2 = options_.beta2,
          .eps = options_.eps,
          .weight_decay = decay,
          .gradient_scale = scale};
}

void EncoderDecoderTrainer::set_steps(std::int64_t steps) {
  if (steps < 0) {
    fail("EncoderDecoderTrainer::set_steps", "steps", {"must be at least 0, is ", steps});
  }
  steps_ = steps;
}

TrainingStep EncoderDecoderTrainer::step(Tokens source, Tokens target, Tokens answers,
                                         const Context& context) {
  const EncoderDecoderBatch batch{source, target, answers};
  return step({&batch, 1}, context);
}

// gradients += those of the mean loss, batch by batch;  clip;  step
TrainingStep EncoderDecoderTrainer::step(std::span<const EncoderDecoderBatch> batches,
                                         const Context& context) {
  const auto begin = Clock::now();
  TrainingStep result;
  result.step = steps_;
  const Index counted = check_batches(model_, batches, result.tokens);
  model_.clear_gradients();
  const double scale = 1 / static_cast<double>(std::max<Index>(counted, 1));
  for (std::size_t n = 0; n < batches.size(); ++n) {
    const auto& [source, target, answers] = batches[n];
    const auto from = Clock::now();
    const ModelGradientOptions options{
        .scale = scale,
        .dropout_seed = dropout_seed(options_.seed, steps_, static_cast<std::int64_t>(n))};
    const ModelLoss loss =
        model_.accumulate(source, target, answers, options, {scratch_, context.parallel});
    result.loss += scale * loss.sum;
    result.forward_seconds += loss.forward_seconds;
    result.backward_seconds += seconds_since(from) - loss.forward_seconds;
  }
  const auto back = Clock::now();
  result.gradient_norm = gradient_norm(model_.gradient(), {scratch_, context.parallel});
  if (!std::isfinite(result.loss) || !std::isfinite(result.gradient_norm)) {
    fail(kStep, "loss", {"is ", result.loss, " in step ", steps_, ": ", first_not_finite(model_)});
  }
  result.learning_rate = scheduled_rate(options_.schedule, steps_);
  const double clipped = options_.clip > 0 ? clip_scale(result.gradient_norm, options_.clip) : 1;
  const auto move = [&](Index from, Index to, double decay) {
    const auto part = [&](const VectorView<float>& all) {
      return VectorView<float>(all.data() + from, {to - from});
    };
    adamw_step(part(model_.values()), part(model_.gradient()), part(first_), part(second_),
               steps_ + 1, adamw(result.learning_rate, decay, clipped), context);
  };
  // A rate of 0, at the end of a schedule, moves nothing, and is none to AdamW.
  if (result.learning_rate > 0) {
    move(0, model_.decayed(), options_.weight_decay);
    move(model_.decayed(), model_.values().size(0), 0);
  }
  ++steps_;
  result.optimizer_seconds = seconds_since(back);
  result.seconds = seconds_since(begin);
  return result;
}

}  // namespace tril
