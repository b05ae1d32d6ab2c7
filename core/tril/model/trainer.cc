#include <tril/foundation/check.h>
#include <tril/model/trainer.h>
#include <tril/training/gradient_norm.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace tril {
namespace {

using Ids = MatrixView<const std::int32_t>;

AdamWOptions adamw(const TrainerOptions& options, double rate, double scale) noexcept {
  return {.learning_rate = rate,
          .beta1 = options.beta1,
          .beta2 = options.beta2,
          .eps = options.eps,
          .weight_decay = options.weight_decay,
          .gradient_scale = scale};
}

// The same for SGD.
SgdOptions sgd(const TrainerOptions& options, const AdamWOptions& step) noexcept {
  return {.learning_rate = step.learning_rate,
          .momentum = options.momentum,
          .weight_decay = step.weight_decay,
          .gradient_scale = step.gradient_scale};
}

// The sequences [first, first + count) of a batch.
TrainingBatch rows_of(const TrainingBatch& batch, Index first, Index count) noexcept {
  const auto part = [&](const Ids& all) {
    return all ? Ids(all.data() + first * all.size(1), {count, all.size(1)}) : Ids();
  };
  return {part(batch.source), part(batch.target), part(batch.labels)};
}

// The number of labels that count.
Index counted(const Ids& labels) noexcept {
  const std::int32_t *const first = labels.data(), *const last = first + labels.count();
  return labels.count() - static_cast<Index>(std::count(first, last, kIgnoredTarget));
}

}  // namespace

Trainer::Trainer(Trainable& trained, const TrainerOptions& options)
    : trained_(trained),
      options_(options),
      step_(std::string(trained.trainer_name()) + "::step"),
      evaluate_(std::string(trained.trainer_name()) + "::evaluate") {
  const char* const name = trained.trainer_name();
  trained.check(options, name);
  if (!(options.clip >= 0) || !std::isfinite(options.clip)) {
    fail(name, "clip", {"must be finite and at least 0, is ", options.clip});
  }
  if (options.momentum != 0 && options.optimizer != TrainingOptimizer::sgd) {
    fail(name, "momentum", "is sgd's, and this is adamw");
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

void Trainer::fail_in(const char* call, const char* argument, const Message& problem) const {
  fail((std::string(trained_.trainer_name()) + "::" + call).c_str(), argument, problem);
}

void Trainer::set_steps(std::int64_t steps) {
  if (steps < 0) fail_in("set_steps", "steps", {"must be at least 0, is ", steps});
  steps_ = steps;
}

void Trainer::set_share(TrainingShare share) {
  const auto& [part, parts, add_up, from_first] = share;
  if (parts < 1 || parts > options_.batch) {
    fail_in("set_share", "parts",
            {"must be from 1 to the ", options_.batch, " windows of a batch, is ", parts});
  }
  if (part < 0 || part >= parts) {
    fail_in("set_share", "part", {"must be from 0 to below ", parts, ", is ", part});
  }
  if (parts > 1 && !add_up) fail_in("set_share", "add_up", "is missing");
  share_ = std::move(share);
}

void Trainer::check(std::span<const TrainingBatch> batches, const char* call) const {
  if (batches.empty()) fail(call, "batches", "there are none");
  for (std::size_t n = 0; n < batches.size(); ++n) {
    try {
      trained_.check(batches[n], call);
    } catch (const Error& error) {
      if (batches.size() == 1) throw;
      const std::string which = "batches." + std::to_string(n) + "." + error.argument();
      fail(call, which.c_str(), error.problem());
    }
  }
}

// gradients += those of the mean loss, batch by batch;  clip;  step
TrainingStep Trainer::step(std::span<const TrainingBatch> batches, const Context& context) {
  const detail::Stopwatch watch;
  check(batches, step_.c_str());
  TrainingStep result;
  Index label_count = 0;
  for (const TrainingBatch& each : batches) {
    result.tokens += each.source.count() + each.target.count();
    label_count += counted(each.labels);
  }
  const double scale = 1 / static_cast<double>(std::max<Index>(label_count, 1));
  trained_.clear_gradients();
  sums_.clear();
  Index part = 0;
  for (const TrainingBatch& each : batches) {
    sums_.push_back(accumulate(each, scale, part, result, context));
  }
  move(scale, result, watch, context);
  return result;
}

// for each part of the batch that is computed at once: gradients += those of this process's share
// of it
double Trainer::accumulate(const TrainingBatch& batch, double scale, Index& part,
                           TrainingStep& result, const Context& context) {
  double sum = 0;
  const Index rows = batch.target.size(0);
  for (Index at = 0; at < rows; at += options_.batch, ++part) {
    const Index size = std::min(options_.batch, rows - at);
    const auto until = [&](Index share) {
      return static_cast<Index>(std::int64_t{size} * share / share_.parts);
    };
    const Index first = until(share_.part), count = until(share_.part + 1) - first;
    if (count == 0) continue;
    const detail::Stopwatch watch;
    const ModelLoss loss =
        trained_.accumulate(rows_of(batch, at + first, count),
                            {.scale = scale,
                             .dropout_seed = dropout_seed(options_.seed, steps_, part),
                             .first_sequence = first},
                            own(context));
    sum += loss.sum;
    result.forward_seconds += loss.forward_seconds;
    result.backward_seconds += watch.seconds() - loss.forward_seconds;
  }
  return sum;
}

// add up over all processes;  clip;  update
void Trainer::move(double scale, TrainingStep& result, const detail::Stopwatch& watch,
                   const Context& context) {
  trained_.take_gradients(own(context));
  const VectorView<float> values = trained_.values(), gradient = trained_.gradient();
  if (share_.add_up) share_.add_up(gradient, sums_);
  const detail::Stopwatch moving;
  const bool moves = share_.part == 0 || !share_.from_first;
  double decides[] = {0, moves ? gradient_norm(gradient, own(context)) : 0};
  for (const double sum : sums_) decides[0] += sum * scale;
  if (share_.from_first) share_.from_first(std::as_writable_bytes(std::span(decides)));
  result.step = steps_;
  result.loss = decides[0], result.gradient_norm = decides[1];
  if (!std::isfinite(result.loss) || !std::isfinite(result.gradient_norm)) {
    fail_in("step", "loss",
            {"is ", result.loss, " in step ", steps_, ": ", trained_.not_finite(result.loss)});
  }
  result.learning_rate = scheduled_rate(options_.schedule, steps_);
  AdamWOptions options =
      adamw(options_, result.learning_rate,
            options_.clip > 0 ? clip_scale(result.gradient_norm, options_.clip) : 1);
  // A rate of 0, at the end of a schedule, changes nothing, and optimizers refuse it.
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

void Trainer::move(Index from, Index to, const AdamWOptions& options, const Context& context) {
  if (from == to) return;  // a model without norms and biases has only decayed parameters
  const auto part = [&](const VectorView<float>& all) {
    return VectorView<float>(all.data() + from, {to - from});
  };
  const auto values = part(trained_.values()), gradient = part(trained_.gradient());
  if (options_.optimizer == TrainingOptimizer::sgd) {
    sgd_step(values, gradient, options_.momentum > 0 ? part(first_.view()) : VectorView<float>(),
             sgd(options_, options), context);
    return;
  }
  adamw_step(values, gradient, part(first_.view()), part(second_.view()), steps_ + 1, options,
             context);
}

Index Trainer::window(const char* call) const {
  const Index tokens = trained_.window();
  if (tokens == 0) fail_in(call, "stream", "is for language models; this model needs batches");
  return tokens;
}

TrainingStep Trainer::step(std::span<const std::int32_t> stream, const Context& context) {
  const detail::Stopwatch watch;
  draw_batch(stream, options_.batch * options_.accumulation, window("step"), options_.batches,
             options_.seed, static_cast<std::uint64_t>(steps_), drawn_);
  TrainingStep result =
      step(drawn_.tokens_of(0, drawn_.windows), drawn_.targets_of(0, drawn_.windows), context);
  result.seconds = watch.seconds();
  return result;
}

ModelLoss Trainer::evaluate(std::span<const TrainingBatch> batches, const Context& context) {
  check(batches, evaluate_.c_str());
  ModelLoss all;
  for (const TrainingBatch& batch : batches) {
    const Index rows = batch.target.size(0);
    for (Index at = 0; at < rows; at += options_.batch) {
      const Index count = std::min(options_.batch, rows - at);
      all += trained_.loss(rows_of(batch, at, count), own(context));
    }
  }
  return all;
}

ModelLoss Trainer::evaluate(std::span<const std::int32_t> stream, Index windows,
                            const Context& context) {
  TokenBatch batch;
  spaced_batch(stream, windows, window("evaluate"), options_.batches, options_.seed, batch);
  return evaluate(batch.tokens_of(0, windows), batch.targets_of(0, windows), context);
}

ModelLoss Trainer::evaluate(std::span<const std::int32_t> stream, const Context& context) {
  const Index windows = static_cast<Index>(stream.size()) / window("evaluate");
  return evaluate(stream, std::clamp<Index>(windows, 1, 20 * options_.batch), context);
}

}  // namespace tril
