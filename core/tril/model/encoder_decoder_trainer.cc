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

// The last parameter whose gradient is not finite: the way back begins at the end.
std::string first_not_finite(const EncoderDecoder& model) {
  std::string found;
  for_each_parameter(model.gradients(), [&](const ParameterName& name, const auto& view) {
    const auto finite = [](float x) { return std::isfinite(x); };
    if (!std::all_of(view.data(), view.data() + view.count(), finite)) found = name.text();
  });
  return found.empty() ? "the gradients are finite, but their norm is not"
                       : "the gradient of " + found + " is not finite";
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
  Parallel alone;
  adamw_step(one(0), one(1), one(2), one(3), 1,
             adamw(scheduled_rate(options.schedule, 0), options.weight_decay, 1), alone);
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

TrainingStep EncoderDecoderTrainer::step(Tokens source, Tokens target, Tokens answers,
                                         Parallel& parallel) {
  constexpr const char* kCall = "EncoderDecoderTrainer::step";
  const auto begin = std::chrono::steady_clock::now();
  model_.check(source, target, answers, kCall);
  const auto ignored = std::count(answers.data(), answers.data() + answers.count(), kIgnoredTarget);
  const Index counted = answers.count() - static_cast<Index>(ignored);
  model_.clear_gradients();
  const double scale = 1 / static_cast<double>(std::max<Index>(counted, 1));
  TrainingStep result;
  result.step = steps_;
  result.tokens = source.count() + target.count();
  result.loss = scale * model_.accumulate(source, target, answers, scale, scratch_, parallel).sum;
  result.gradient_norm = gradient_norm(model_.gradient(), scratch_, parallel);
  if (!std::isfinite(result.loss) || !std::isfinite(result.gradient_norm)) {
    fail(kCall, "loss", {"is ", result.loss, " in step ", steps_, ": ", first_not_finite(model_)});
  }
  result.learning_rate = scheduled_rate(options_.schedule, steps_);
  const double clipped = options_.clip > 0 ? clip_scale(result.gradient_norm, options_.clip) : 1;
  const auto move = [&](Index from, Index to, double decay) {
    const auto part = [&](const VectorView<float>& all) {
      return VectorView<float>(all.data() + from, {to - from});
    };
    adamw_step(part(model_.values()), part(model_.gradient()), part(first_), part(second_),
               steps_ + 1, adamw(result.learning_rate, decay, clipped), parallel);
  };
  // A rate of 0, at the end of a schedule, moves nothing, and is none to AdamW.
  if (result.learning_rate > 0) {
    move(0, model_.decayed(), options_.weight_decay);
    move(model_.decayed(), model_.values().size(0), 0);
  }
  ++steps_;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace tril
