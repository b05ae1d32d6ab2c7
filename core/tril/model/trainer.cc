#include <tril/foundation/check.h>
#include <tril/foundation/sizes.h>
#include <tril/model/model_file.h>
#include <tril/model/trainer.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tril {
namespace {

// Rows [first, first + count) of what has no gaps.
MatrixView<const std::int32_t> rows_of(const MatrixView<const std::int32_t>& all, Index first,
                                       Index count) noexcept {
  return {all.data() + first * all.size(1), {count, all.size(1)}};
}

const TrainerOptions& checked(const LanguageModel& model, const TrainerOptions& options) {
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
  return options;
}

}  // namespace

Trainer::Trainer(LanguageModel& model, LoraAdapter* adapter, const TrainerOptions& options)
    : GradientTrainer("Trainer", adapter ? static_cast<Trainable&>(*adapter) : model,
                      checked(model, options)),
      model_(model),
      adapter_(adapter) {}

Trainer::Trainer(LanguageModel& model, const TrainerOptions& options)
    : Trainer(model, nullptr, options) {}

Trainer::Trainer(LoraAdapter& adapter, const TrainerOptions& options)
    : Trainer(adapter.model(), &adapter, options) {}

Metadata Trainer::settings() const {
  return checkpoint_settings(model_.config(), step_options_,
                             adapter_ ? std::optional(adapter_->options()) : std::nullopt);
}

TrainerState Trainer::read_state(const Safetensors& file) const {
  const Checkpoint read = read_checkpoint(file);
  return {checkpoint_settings(read.config, read.options, read.lora), read.steps};
}

void Trainer::set_share(TrainingShare share) {
  constexpr const char* kCall = "Trainer::set_share";
  const auto& [part, parts, add_up, from_first] = share;
  if (parts < 1 || parts > step_options_.batch) {
    fail(kCall, "parts",
         {"must be from 1 to the ", step_options_.batch, " windows of a batch, is ", parts});
  }
  if (part < 0 || part >= parts) {
    fail(kCall, "part", {"must be from 0 to below ", parts, ", is ", part});
  }
  if (parts > 1 && !add_up) fail(kCall, "add_up", "is missing");
  share_ = std::move(share);
}

// Searches from the end of the file's order, which is that of the forward pass. A tied matrix has
// gradients from both ends: where the loss is not finite, that of the head is not.
std::string Trainer::not_finite(double loss) const {
  std::vector<StoredParameter> gradients = stored_parameters(model_.config(), model_.gradients());
  if (model_.config().tied_head && !adapter_ && !std::isfinite(loss)) {
    gradients.push_back(gradients.front());
  }
  const StoredParameter* const first = last_not_finite(gradients);
  return first ? "the gradient of " + first->name + " went first" : "the gradients are finite";
}

TrainingStep Trainer::step(std::span<const std::int32_t> stream, const Context& context) {
  const detail::Stopwatch watch;
  draw_batch(stream, step_options_.batch * step_options_.accumulation, model_.config().context,
             step_options_.batches, step_options_.seed, static_cast<std::uint64_t>(steps()),
             batch_);
  TrainingStep result =
      step(batch_.tokens_of(0, batch_.windows), batch_.targets_of(0, batch_.windows), context);
  result.seconds = watch.seconds();
  return result;
}

// for each batch of the step's windows: gradients += those of the mean loss, of the part that is
// this one's;  add up with the others;  clip;  step
TrainingStep Trainer::step(MatrixView<const std::int32_t> tokens,
                           MatrixView<const std::int32_t> targets, const Context& context) {
  const detail::Stopwatch watch;
  model_.check(tokens, targets, "Trainer::step");
  const Index windows = tokens.size(0);
  model_.clear_gradients();
  ModelGradientOptions options;
  options.scale = share_of(counted(targets));
  double sum = 0;
  TrainingStep result;
  result.tokens = tokens.count();
  for (Index at = 0; at < windows; at += step_options_.batch) {
    const Index size = std::min(step_options_.batch, windows - at);
    const auto until = [&](Index part) {
      return static_cast<Index>(std::int64_t{size} * part / share_.parts);
    };
    options.first_sequence = until(share_.part);
    const Index first = at + options.first_sequence;
    const Index count = until(share_.part + 1) - options.first_sequence;
    if (count == 0) continue;
    const TrainingBatch batch{{}, rows_of(tokens, first, count), rows_of(targets, first, count)};
    sum += accumulate(batch, options, at / step_options_.batch, result, context).sum;
  }
  move(sum, options.scale, result, watch, context);
  return result;
}

ModelLoss Trainer::evaluate(std::span<const std::int32_t> stream, Index windows,
                            const Context& context) {
  TokenBatch batch;
  spaced_batch(stream, windows, model_.config().context, step_options_.batches, step_options_.seed,
               batch);
  return evaluate(batch.tokens_of(0, windows), batch.targets_of(0, windows), context);
}

ModelLoss Trainer::evaluate(std::span<const std::int32_t> stream, const Context& context) {
  const Index windows = static_cast<Index>(stream.size()) / model_.config().context;
  return evaluate(stream, std::clamp<Index>(windows, 1, 20 * step_options_.batch), context);
}

ModelLoss Trainer::evaluate(MatrixView<const std::int32_t> tokens,
                            MatrixView<const std::int32_t> targets, const Context& context) {
  model_.check(tokens, targets, "Trainer::evaluate");
  ModelLoss all;
  for (Index first = 0; first < tokens.size(0); first += step_options_.batch) {
    const Index count = std::min(step_options_.batch, tokens.size(0) - first);
    all += model_.loss(rows_of(tokens, first, count), rows_of(targets, first, count), own(context));
  }
  return all;
}

}  // namespace tril
