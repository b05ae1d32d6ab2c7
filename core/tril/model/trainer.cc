#include <tril/foundation/check.h>
#include <tril/foundation/sizes.h>
#include <tril/model/trainer.h>
#include <tril/training/gradient_norm.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tril {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Rows [first, first + count) of what has no gaps.
MatrixView<const std::int32_t> rows_of(const MatrixView<const std::int32_t>& all, Index first,
                                       Index count) noexcept {
  return {all.data() + first * all.size(1), {count, all.size(1)}};
}

AdamWOptions adamw(const TrainerOptions& options, double rate, double decay, double scale) {
  return {.learning_rate = rate,
          .beta1 = options.beta1,
          .beta2 = options.beta2,
          .eps = options.eps,
          .weight_decay = decay,
          .gradient_scale = scale};
}

SgdOptions sgd(const TrainerOptions& options, double rate, double decay, double scale) {
  return {.learning_rate = rate,
          .momentum = options.momentum,
          .weight_decay = decay,
          .gradient_scale = scale};
}

void check(const LanguageModel& model, const TrainerOptions& options) {
  constexpr const char* kCall = "Trainer";
  constexpr Index kLargest = 1 << 24;
  if (options.batch < 1 || options.batch > kLargest) {
    fail(kCall, "batch", "must be from 1 to 16777216, is " + std::to_string(options.batch));
  }
  if (options.accumulation < 1 || options.accumulation > kLargest) {
    fail(kCall, "accumulation",
         "must be from 1 to 16777216, is " + std::to_string(options.accumulation));
  }
  // The tokens and targets of a step.
  checked_count({{"batch", options.batch},
                 {"accumulation", options.accumulation},
                 {"context", model.config().context}},
                2 * sizeof(std::int32_t), kCall);
  if (!(options.clip >= 0) || !std::isfinite(options.clip)) {
    fail(kCall, "clip", "must be finite and at least 0, is " + number_text(options.clip));
  }
  const bool masked = options.batches.objective == TrainingObjective::masked;
  if (masked == model.config().causal) {
    fail(kCall, "objective",
         masked ? "masked tokens are for a model that is not causal"
                : "the next token is for a model that is causal");
  }
  if (masked) {
    const Index vocabulary = model.config().vocabulary;
    const auto is_token = [&](std::int32_t id) { return id >= 0 && id < vocabulary; };
    if (!is_token(options.batches.mask_token) || !is_token(options.batches.vocabulary - 1)) {
      fail(kCall, "mask_token",
           "is outside the vocabulary (0.." + std::to_string(vocabulary - 1) + ")");
    }
  }
  const bool is_sgd = options.optimizer == TrainingOptimizer::sgd;
  if (options.momentum != 0 && !is_sgd) fail(kCall, "momentum", "is sgd's, and this is adamw");
  // By what checks them in every step: a step over nothing.
  float nothing[4] = {};
  const auto one = [&](int i) { return VectorView<float>(nothing + i, {1}); };
  const double rate = scheduled_rate(options.schedule, 0);
  adamw_step(one(0), one(1), one(2), one(3), 1, adamw(options, rate, options.weight_decay, 1));
  sgd_step(one(0), one(1), one(2), sgd(options, rate, options.weight_decay, 1));
}

}  // namespace

bool operator==(const TrainerOptions& a, const TrainerOptions& b) {
  const auto numbers = [](const TrainerOptions& o) {
    return std::tuple(o.batch, o.accumulation, o.schedule.learning_rate, o.schedule.lowest,
                      o.schedule.warmup, o.schedule.steps, o.optimizer, o.beta1, o.beta2, o.eps,
                      o.momentum, o.weight_decay, o.clip, o.seed, o.batches.objective,
                      o.batches.mask_token, o.batches.vocabulary);
  };
  return numbers(a) == numbers(b);
}

Trainer::Trainer(LanguageModel& model, LoraAdapter* adapter, const TrainerOptions& options)
    : model_(model), adapter_(adapter), options_(options) {
  check(model, options);
  first_ = Buffer<float, 1>(values().shape());
  second_ = Buffer<float, 1>(values().shape());
}

Trainer::Trainer(LanguageModel& model, const TrainerOptions& options)
    : Trainer(model, nullptr, options) {}

Trainer::Trainer(LoraAdapter& adapter, const TrainerOptions& options)
    : Trainer(adapter.model(), &adapter, options) {}

void Trainer::set_steps(std::int64_t steps) {
  if (steps < 0)
    fail("Trainer::set_steps", "steps", "must be at least 0, is " + std::to_string(steps));
  steps_ = steps;
}

void Trainer::set_share(TrainingShare share) {
  constexpr const char* kCall = "Trainer::set_share";
  const auto& [part, parts, add_up, from_first] = share;
  if (parts < 1 || parts > options_.batch) {
    fail(kCall, "parts",
         {"must be from 1 to the ", options_.batch, " windows of a batch, is ", parts});
  }
  if (part < 0 || part >= parts) {
    fail(kCall, "part", {"must be from 0 to below ", parts, ", is ", part});
  }
  if (parts > 1 && !add_up) fail(kCall, "add_up", "is missing");
  share_ = std::move(share);
}

// From the end of the file's order, which is that of the forward pass. A tied matrix has gradients
// from both ends: a loss that is not finite has spoilt the head's.
void Trainer::fail_not_finite(double loss) const {
  std::vector<StoredParameter> gradients = stored_parameters(model_.config(), model_.gradients());
  const auto not_finite = [](const StoredParameter& each) {
    return !std::all_of(each.data, each.data + each.count(),
                        [](float x) { return std::isfinite(x); });
  };
  if (model_.config().tied_head && !adapter_ && !std::isfinite(loss)) {
    gradients.push_back(gradients.front());
  }
  const auto at = std::find_if(gradients.rbegin(), gradients.rend(), not_finite);
  const std::string first = at == gradients.rend() ? "the gradients are finite"
                                                   : "the gradient of " + at->name + " went first";
  fail("Trainer::step", "loss",
       "is " + number_text(loss) + " in step " + std::to_string(steps_) + ": " + first);
}

TrainingStep Trainer::step(std::span<const std::int32_t> stream, const Context& context) {
  const auto begin = Clock::now();
  draw_batch(stream, options_.batch * options_.accumulation, model_.config().context,
             options_.batches, options_.seed, static_cast<std::uint64_t>(steps_), batch_);
  TrainingStep result =
      step(batch_.tokens_of(0, batch_.windows), batch_.targets_of(0, batch_.windows), context);
  result.seconds = seconds_since(begin);
  return result;
}

// for each batch of the step's windows: gradients += those of the mean loss, of the part that is
// this one's add up with the others;  clip;  step
TrainingStep Trainer::step(MatrixView<const std::int32_t> tokens,
                           MatrixView<const std::int32_t> targets, const Context& context) {
  const auto begin = Clock::now();
  model_.check(tokens, targets, "Trainer::step");
  const Index windows = tokens.size(0);
  const Index counted =
      targets.count() -
      std::count(targets.data(), targets.data() + targets.count(), kIgnoredTarget);
  model_.clear_gradients();
  ModelGradientOptions gradient_options;
  gradient_options.scale = 1 / static_cast<double>(std::max<Index>(counted, 1));
  double sum = 0;
  TrainingStep result;
  for (Index at = 0; at < windows; at += options_.batch) {
    const Index size = std::min(options_.batch, windows - at);
    const auto until = [&](Index part) {
      return static_cast<Index>(std::int64_t{size} * part / share_.parts);
    };
    const Index begins = until(share_.part), count = until(share_.part + 1) - begins;
    if (count == 0) continue;
    gradient_options.first_sequence = begins;
    if (model_.config().dropout > 0) {
      const Index n = at / options_.batch;
      gradient_options.dropout_seed = dropout_seed(options_.seed, steps_, n);
    }
    const auto from = Clock::now();
    const ModelLoss loss =
        model_.accumulate(rows_of(tokens, at + begins, count), rows_of(targets, at + begins, count),
                          gradient_options, {scratch_, context.parallel});
    sum += loss.sum;
    result.forward_seconds += loss.forward_seconds;
    result.backward_seconds += seconds_since(from) - loss.forward_seconds;
  }
  if (adapter_) adapter_->take_gradients({scratch_, context.parallel});
  const VectorView<float> values = this->values();
  const VectorView<float> gradient = adapter_ ? adapter_->gradient() : model_.gradient();
  if (share_.add_up) share_.add_up(gradient, {&sum, 1});
  const auto back = Clock::now();
  result.step = steps_;
  const bool moves = share_.part == 0 || !share_.from_first;
  double decides[] = {sum * gradient_options.scale,
                      moves ? gradient_norm(gradient, {scratch_, context.parallel}) : 0};
  if (share_.from_first) share_.from_first(std::as_writable_bytes(std::span(decides)));
  result.loss = decides[0], result.gradient_norm = decides[1];
  if (!std::isfinite(result.loss) || !std::isfinite(result.gradient_norm)) {
    fail_not_finite(result.loss);
  }
  result.learning_rate = scheduled_rate(options_.schedule, steps_);
  result.tokens = tokens.count();
  const double scale = options_.clip > 0 ? clip_scale(result.gradient_norm, options_.clip) : 1;
  const Index all = values.size(0), decayed = adapter_ ? all : model_.decayed();
  const auto move = [&](Index from, Index to, double decay) {
    if (from == to) return;  // a model without norms and biases has nothing that does not decay
    const auto part = [&](const auto& view) {
      return std::remove_cvref_t<decltype(view)>(view.data() + from, {to - from});
    };
    if (options_.optimizer == TrainingOptimizer::sgd) {
      sgd_step(part(values), part(gradient),
               options_.momentum > 0 ? part(first_.view()) : VectorView<float>(),
               sgd(options_, result.learning_rate, decay, scale), context);
      return;
    }
    adamw_step(part(values), part(gradient), part(first_.view()), part(second_.view()), steps_ + 1,
               adamw(options_, result.learning_rate, decay, scale), context);
  };
  // A rate of 0, at the end of a schedule, moves nothing, and is none to an optimizer.
  if (moves && result.learning_rate > 0) {
    move(0, decayed, options_.weight_decay);
    move(decayed, all, 0);
  }
  if (share_.from_first) {
    share_.from_first(
        std::as_writable_bytes(std::span(values.data(), static_cast<std::size_t>(all))));
  }
  if (adapter_) adapter_->merge({scratch_, context.parallel});
  ++steps_;
  result.optimizer_seconds = seconds_since(back);
  result.seconds = seconds_since(begin);
  return result;
}

ModelLoss Trainer::evaluate(std::span<const std::int32_t> stream, Index windows,
                            const Context& context) {
  TokenBatch batch;
  spaced_batch(stream, windows, model_.config().context, options_.batches, options_.seed, batch);
  return evaluate(batch.tokens_of(0, windows), batch.targets_of(0, windows), context);
}

ModelLoss Trainer::evaluate(std::span<const std::int32_t> stream, const Context& context) {
  const Index windows = static_cast<Index>(stream.size()) / model_.config().context;
  return evaluate(stream, std::clamp<Index>(windows, 1, 20 * options_.batch), context);
}

ModelLoss Trainer::evaluate(MatrixView<const std::int32_t> tokens,
                            MatrixView<const std::int32_t> targets, const Context& context) {
  model_.check(tokens, targets, "Trainer::evaluate");
  ModelLoss all;
  for (Index first = 0; first < tokens.size(0); first += options_.batch) {
    const Index count = std::min(options_.batch, tokens.size(0) - first);
    const ModelLoss loss =
        model_.loss(rows_of(tokens, first, count), rows_of(targets, first, count),
                    {scratch_, context.parallel});
    all.sum += loss.sum;
    all.counted += loss.counted;
    all.correct += loss.correct;
  }
  return all;
}

}  // namespace tril
