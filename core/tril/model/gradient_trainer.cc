#include <tril/foundation/check.h>
#include <tril/model/gradient_trainer.h>
#include <tril/training/gradient_norm.h>

#include <algorithm>
#include <cmath>

namespace tril {
namespace {

AdamWOptions adamw(const TrainerOptions& options, double rate, double scale) noexcept {
  return {.learning_rate = rate,
          .beta1 = options.beta1,
          .beta2 = options.beta2,
          .eps = options.eps,
          .weight_decay = options.weight_decay,
          .gradient_scale = scale};
}

// The same of SGD's.
SgdOptions sgd(const TrainerOptions& options, const AdamWOptions& step) noexcept {
  return {.learning_rate = step.learning_rate,
          .momentum = options.momentum,
          .weight_decay = step.weight_decay,
          .gradient_scale = step.gradient_scale};
}

}  // namespace

GradientTrainer::GradientTrainer(const char* kind, Trainable& trained,
                                 const TrainerOptions& options)
    : step_options_(options), kind_(kind), trained_(trained) {
  if (!(options.clip >= 0) || !std::isfinite(options.clip)) {
    fail(kind, "clip", {"must be finite and at least 0, is ", options.clip});
  }
  if (options.momentum != 0 && options.optimizer != TrainingOptimizer::sgd) {
    fail(kind, "momentum", "is sgd's, and this is adamw");
  }
  // A step over no parameters checks the options as every step does.
  float nothing[4] = {};
  const auto one = [&](int i) { return VectorView<float>(nothing + i, {1}); };
  const AdamWOptions step = adamw(options, scheduled_rate(options.schedule, 0), 1);
  adamw_step(one(0), one(1), one(2), one(3), 1, step);
  sgd_step(one(0), one(1), one(2), sgd(options, step));
  first_ = Buffer<float, 1>(values().shape());
  second_ = Buffer<float, 1>(values().shape());
}

void GradientTrainer::fail_in(const char* call, const char* argument,
                              const Message& problem) const {
  fail((std::string(kind_) + "::" + call).c_str(), argument, problem);
}

void GradientTrainer::set_steps(std::int64_t steps) {
  if (steps < 0) fail_in("set_steps", "steps", {"must be at least 0, is ", steps});
  steps_ = steps;
}

const StoredParameter* GradientTrainer::last_not_finite(
    const std::vector<StoredParameter>& gradients) {
  const auto not_finite = [](const StoredParameter& each) {
    return !std::all_of(each.data, each.data + each.count(),
                        [](float x) { return std::isfinite(x); });
  };
  const auto at = std::find_if(gradients.rbegin(), gradients.rend(), not_finite);
  return at == gradients.rend() ? nullptr : &*at;
}

Index GradientTrainer::counted(const MatrixView<const std::int32_t>& targets) noexcept {
  const std::int32_t *const first = targets.data(), *const last = first + targets.count();
  return targets.count() - static_cast<Index>(std::count(first, last, kIgnoredTarget));
}

ModelLoss GradientTrainer::accumulate(const TrainingBatch& batch, ModelGradientOptions options,
                                      Index number, TrainingStep& result, const Context& context) {
  const detail::Stopwatch watch;
  options.dropout_seed = dropout_seed(step_options_.seed, steps_, number);
  const ModelLoss loss = trained_.accumulate(batch, options, own(context));
  result.forward_seconds += loss.forward_seconds;
  result.backward_seconds += watch.seconds() - loss.forward_seconds;
  return loss;
}

void GradientTrainer::move(Index from, Index to, const AdamWOptions& options,
                           const Context& context) {
  if (from == to) return;  // a model without norms and biases has nothing that does not decay
  const auto part = [&](const VectorView<float>& all) {
    return VectorView<float>(all.data() + from, {to - from});
  };
  const auto values = part(trained_.values()), gradient = part(trained_.gradient());
  if (step_options_.optimizer == TrainingOptimizer::sgd) {
    sgd_step(values, gradient,
             step_options_.momentum > 0 ? part(first_.view()) : VectorView<float>(),
             sgd(step_options_, options), context);
    return;
  }
  adamw_step(values, gradient, part(first_.view()), part(second_.view()), steps_ + 1, options,
             context);
}

void GradientTrainer::move(double losses, double factor, TrainingStep& result,
                           const detail::Stopwatch& watch, const Context& context) {
  trained_.take_gradients(own(context));
  const VectorView<float> values = trained_.values(), gradient = trained_.gradient();
  if (share_.add_up) share_.add_up(gradient, {&losses, 1});
  const detail::Stopwatch moving;
  const bool moves = share_.part == 0 || !share_.from_first;
  double decides[] = {losses * factor, moves ? gradient_norm(gradient, own(context)) : 0};
  if (share_.from_first) share_.from_first(std::as_writable_bytes(std::span(decides)));
  result.step = steps_;
  result.loss = decides[0], result.gradient_norm = decides[1];
  if (!std::isfinite(result.loss) || !std::isfinite(result.gradient_norm)) {
    fail_in("step", "loss",
            {"is ", result.loss, " in step ", steps_, ": ", not_finite(result.loss)});
  }
  result.learning_rate = scheduled_rate(step_options_.schedule, steps_);
  const double clip = step_options_.clip;
  AdamWOptions options = adamw(step_options_, result.learning_rate,
                               clip > 0 ? clip_scale(result.gradient_norm, clip) : 1);
  // A rate of 0, at the end of a schedule, moves nothing, and is none to an optimizer.
  if (moves && result.learning_rate > 0) {
    move(0, trained_.decayed(), options, context);
    options.weight_decay = 0;
    move(trained_.decayed(), values.size(0), options, context);
  }
  if (share_.from_first) {
    share_.from_first(
        std::as_writable_bytes(std::span(values.data(), static_cast<std::size_t>(values.size(0)))));
  }
  trained_.merge(own(context));
  ++steps_;
  result.optimizer_seconds = moving.seconds();
  result.seconds = watch.seconds();
}

}  // namespace tril
