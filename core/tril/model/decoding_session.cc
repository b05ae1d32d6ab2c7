#include <tril/foundation/check.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/linear.h>
#include <tril/model/decoding_session.h>

#include <algorithm>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "DecodingSession";

// The capacity asked for. Throws Error unless the positions reach it.
Index checked_capacity(const ModelConfig& config, Index capacity) {
  check_model_config(config, kCall);
  if (capacity == 0) return config.context;
  const bool reaches = config.positions == ModelPositions::rotary &&
                       config.rotary_scaling.kind == RotaryScalingKind::dynamic;
  if (capacity < 0) fail(kCall, "capacity", {"must be at least 0, is ", capacity});
  if (capacity > config.context && !reaches) {
    fail(kCall, "capacity", {capacity, " tokens, but the context is ", config.context});
  }
  return capacity;
}

// Throws unless the weights have the layout of the settings.
void check_weights(const ModelConfig& config, const ModelWeights& weights) {
  SavedMemory size;
  const BasicModelWeights<float> expected = model_layout(config, size).weights;
  if (weights.layers.size() != expected.layers.size()) {
    fail(kCall, "weights",
         {"must have ", expected.layers.size(), " layers, have ", weights.layers.size()});
  }
  zip_parameters(
      [](const ParameterName& name, const auto& wanted, const auto& given) {
        if (wanted.shape() == given.shape()) return;
        fail(kCall, name.text().c_str(), {"shape must be ", wanted, ", is ", given});
      },
      expected, weights);
}

}  // namespace

DecodingSession::DecodingSession(const ModelConfig& config, const ModelWeights& weights,
                                 Index capacity)
    : config_(config), weights_(weights) {
  const Index tokens = checked_capacity(config, capacity);
  check_weights(config, weights);
  const double bytes =
      2 * sizeof(float) *
      detail::times(config.layers, config.kv_head_count(), config.head_width(), tokens);
  detail::with_memory(kCall, "keys and values take", bytes, [&] {
    rotary_ = detail::rotary_tables(config, tokens, std::max(tokens, config.context));
    caches_.reserve(weights.layers.size());
    for (std::size_t n = 0; n < weights.layers.size(); ++n) {
      caches_.emplace_back(KeyValueCacheSizes{
          .heads = config.kv_head_count(), .capacity = tokens, .width = config.head_width()});
    }
    if (config.has_head) last_ = Buffer<float, 2>({1, config.vocabulary});
    if (rotary_.longer) tokens_.reserve(static_cast<std::size_t>(tokens));
  });
}

DecodingSession::DecodingSession(const ModelConfig& config, const BasicModelWeights<float>& weights,
                                 Index capacity)
    : DecodingSession(config, parameters_as<ModelWeights>(weights), capacity) {}

DecodingSession::DecodingSession(const ModelConfig& config, const ModelParameters& parameters,
                                 Index capacity)
    : DecodingSession(config, parameters.weights(), capacity) {}

std::size_t DecodingSession::bytes() const noexcept {
  return caches_.front().bytes() * caches_.size();
}

void DecodingSession::set_length(Index length) {
  if (length < 0 || length > length_) {
    fail(kCall, "length",
         {"must be from 0 to the ", length_, " tokens that there are, is ", length});
  }
  rewind(length);
}

void DecodingSession::rewind(Index length) noexcept {
  for (KeyValueCache& each : caches_) {
    if (each.length() > length) each.set_length(length);
  }
  length_ = length;
  if (rotary_.longer) tokens_.resize(static_cast<std::size_t>(length));
}

void detail::check_tokens(const char* call, std::span<const std::int32_t> tokens,
                          Index vocabulary) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] >= 0 && tokens[i] < vocabulary) continue;
    fail(call, "tokens",
         {tokens[i], " at ", i, " is outside the vocabulary (0..", vocabulary - 1, ")"});
  }
}

void DecodingSession::check(std::span<const std::int32_t> tokens) const {
  const auto count = static_cast<Index>(tokens.size());
  if (tokens.empty()) fail(kCall, "tokens", "there are none");
  if (!config_.causal && length_ > 0) {
    fail(kCall, "tokens", {"follow ", length_, ", but the model is not causal: all run at once"});
  }
  if (count > capacity() - length_) {
    fail(kCall, "tokens",
         {count, " after ", length_, " are more than the capacity of ", capacity()});
  }
  detail::check_tokens(kCall, tokens, config_.vocabulary);
}

// Throws Error unless all given views have the shapes of model_trace.
void DecodingSession::check(const ModelTrace& trace, Index tokens) const {
  if (trace.is_empty()) return;
  const auto check = [&](const char* name, const auto& given, const auto& like) {
    if (given) check_shape(given, like.shape(), kCall, name, "as model_trace says");
  };
  const MatrixView<float> stream(nullptr, {tokens, config_.width});
  check("trace.embedded", trace.embedded, stream);
  check("trace.ln_final", trace.ln_final, stream);
  if (trace.layers.empty()) return;
  if (trace.layers.size() != weights_.layers.size()) {
    fail(kCall, "trace.layers",
         {"must be ", weights_.layers.size(), ", are ", trace.layers.size()});
  }
  for (std::size_t n = 0; n < trace.layers.size(); ++n) {
    const ModelLayerTrace like =
        detail::trace_shapes(config_, weights_.layers[n].attention, tokens, length_);
    ModelLayerTrace::for_each_member(check, trace.layers[n], like);
  }
}

void DecodingSession::set_changes(Interventions changes) {
  if (length_ > 0) {
    fail(kCall, "changes", {"there are ", length_, " tokens, of the model as it was"});
  }
  check_interventions(config_, changes, kCall);
  changes_ = std::move(changes);
}

VectorView<const float> DecodingSession::append(std::span<const std::int32_t> tokens,
                                                const Context& context, const ModelTrace& trace) {
  check(tokens);
  check(trace, static_cast<Index>(tokens.size()));
  if (!config_.has_head) {
    run(tokens, {}, trace, context);
    return {};
  }
  run(tokens, last_, trace, context);
  return last_.view()[0];
}

void DecodingSession::check_head() const {
  if (!config_.has_head) fail(kCall, "logits", "there are none of a model without a head");
}

void DecodingSession::append(std::span<const std::int32_t> tokens, MatrixView<float> logits,
                             const Context& context, const ModelTrace& trace) {
  check(tokens);
  check_head();
  const auto count = static_cast<Index>(tokens.size());
  check_shape(logits, {count, config_.vocabulary}, kCall, "logits", "a row for each token");
  check(trace, count);
  run(tokens, logits, trace, context);
}

void DecodingSession::read_out(MatrixView<const float> residual, MatrixView<float> logits,
                               const Context& context) const {
  check_head();
  check_view(residual, kCall, "residual");
  const Index N = residual.size(0), C = config_.width;
  check_shape(residual, {N, C}, kCall, "residual", "the model's width");
  check_shape(logits, {N, config_.vocabulary}, kCall, "logits", "a row for each of residual's");
  check_no_overlap(logits, residual, kCall, "logits");
  Scratch::Frame frame(context.scratch);
  const MatrixView<float> rows(frame.take<float>(N, C), {N, C});
  add(residual, 0, rows, context);
  const MatrixView<float> normed(frame.take<float>(N, C), {N, C});
  run_final_norm(rows, normed, context);
  linear(normed, head(), {}, logits, context);
  detail::cap_logits(config_, logits, context);
}

}  // namespace tril
