#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/foundation/sizes.h>
#include <tril/foundation/stopwatch.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/embedding.h>
#include <tril/layers/linear.h>
#include <tril/model/language_model.h>

#include <algorithm>
#include <string>

namespace tril {

namespace {

ModelConfig with_dropout(ModelConfig config, double dropout) {
  config.dropout = dropout;
  return config;
}

}  // namespace

LanguageModel::LanguageModel(const ModelConfig& config) : config_(config) {
  if (!config.has_head || config.norms_sums() || config.embedding_norm || config.token_types > 0) {
    fail("LanguageModel", "config", "is of an encoder, which cannot be trained");
  }
  const auto laid_out = [&](SavedMemory& memory) { return model_layout(config, memory); };
  values_layout_ = saved_in(values_, laid_out);
  gradient_layout_ = saved_in(gradient_, laid_out);
  rotary_ = detail::rotary_tables(config_, config_.context, config_.context);
}

LanguageModel::LanguageModel(const ModelConfig& config, std::uint64_t seed)
    : LanguageModel(config) {
  initialise_model(config_, weights(), seed);
}

LanguageModel::LanguageModel(const ModelParameters& parameters, Index context, double dropout)
    : LanguageModel(
          with_dropout(with_context(parameters.config(), context, "LanguageModel"), dropout)) {
  if (parameters.bytes() == 0) fail("LanguageModel", "parameters", "have not been read");
  zip_parameters(
      [](const ParameterName&, const auto& to, const auto& from) {
        if (!from) return;
        if constexpr (requires { from.kind(); }) {
          for (Index row = 0; row < from.size(0); ++row) {
            from.widen(row, 0, from.size(1), to[row].data());
          }
        } else {
          std::copy_n(from.data(), from.count(), to.data());
        }
      },
      weights(), parameters.weights());
}

void LanguageModel::clear_gradients() noexcept {
  std::fill_n(gradient_.data(), gradient_.view().count(), 0.0f);
}

std::vector<StoredParameter> LanguageModel::parameters() const {
  return stored_parameters(config_, weights());
}

void LanguageModel::keep_gradients_of(std::span<const Index> matrices) {
  gradient_ = {};
  gradient_layout_ = saved_in(gradient_, [&](SavedMemory& memory) {
    ModelLayout layout{};
    detail::copy_form(layout.weights, weights());
    zip_matrices(
        [&](Index number, const MatrixView<float>& own, MatrixView<float>& d_own) {
          if (std::ranges::find(matrices, number) == matrices.end()) return;
          d_own = memory.take(own.size(0), own.size(1));
        },
        weights(), layout.weights);
    return layout;
  });
}

LanguageModel::Saved LanguageModel::laid_out(Index batches, Index tokens,
                                             SavedMemory& memory) const {
  const Index rows = batches * tokens;
  Saved saved;
  const Shape<3> shape = {batches, tokens, config_.width};
  const auto take = [&] { return memory.take(shape[0], shape[1], shape[2]); };
  saved.embedded = memory.take(rows, config_.width);
  for (std::size_t n = 0; n < weights().layers.size(); ++n) {
    detail::Layer layer = detail::model_layer(config_, static_cast<Index>(n),
                                              detail::layer_weights(weights().layers[n]));
    layer.lay_out("LanguageModel", shape, memory);
    layer.trace.sublayers[1].residual = take();
    saved.layers.push_back(layer.trace);
  }
  saved.final_norm.normed = take();
  if (config_.norm == NormKind::layer_norm)
    saved.final_norm.norm.mean = memory.take(batches, tokens);
  if (config_.norm != NormKind::none) saved.final_norm.norm.rstd = memory.take(batches, tokens);
  saved.logits = memory.take(rows, config_.vocabulary);
  if (config_.logit_cap > 0) saved.capped = memory.take(rows, config_.vocabulary);
  return saved;
}

Index LanguageModel::saved_count(Index batches, Index tokens) const {
  checked_count({{"batches", batches}, {"tokens", tokens}}, sizeof(float), "LanguageModel");
  return tril::saved_count([&](SavedMemory& size) { laid_out(batches, tokens, size); });
}

// Lays out the results of a pass over this shape, unless the last pass had it; reuses the memory if
// it is large enough.
void LanguageModel::place(Index batches, Index tokens) {
  if (batches == batches_ && tokens == tokens_) return;
  batches_ = tokens_ = 0;
  saved_ = saved_in(saved_memory_,
                    [&](SavedMemory& memory) { return laid_out(batches, tokens, memory); });
  batches_ = batches, tokens_ = tokens;
}

void LanguageModel::check(const MatrixView<const std::int32_t>& tokens, const char* call) const {
  check_view(tokens, call, "tokens");
  if (tokens.size(1) > config_.context) {
    fail(call, "tokens", {tokens.size(1), " in a row, but the context is ", config_.context});
  }
  detail::check_ids(call, "tokens", tokens, config_.vocabulary, false);
}

void LanguageModel::check(const MatrixView<const std::int32_t>& tokens,
                          const MatrixView<const std::int32_t>& targets, const char* call) const {
  check(tokens, call);
  check_shape(targets, tokens.shape(), call, "targets", "the shape of tokens");
  detail::check_ids(call, "targets", targets, config_.vocabulary, true);
}

std::size_t LanguageModel::bytes() const noexcept {
  const Index floats = values_.shape()[0] + gradient_.shape()[0] + saved_memory_.shape()[0];
  return static_cast<std::size_t>(floats) * sizeof(float);
}

void LanguageModel::forward(const MatrixView<const std::int32_t>& tokens,
                            const detail::ModelPass& pass,
                            std::span<const TensorView<float, 4>> attention) {
  place(pass.batches, pass.tokens);
  embedding(joined_rows(tokens), weights().embedding, saved_.embedded);
  detail::scale_embedding(config_, saved_.embedded, pass.context);
  if (weights().positions) {
    const Index T = pass.tokens, C = config_.width;
    const TensorView<float, 3> embedded(saved_.embedded.data(), {pass.batches, T, C});
    add(embedded, MatrixView<const float>(weights().positions.data(), {T, C}), embedded,
        pass.context);
  }
  TensorView<float, 3> x = pass.batched(saved_.embedded);
  if (const auto left_out = pass.dropout_at(0)) detail::drop(x, *left_out, x, pass.context);
  for (std::size_t n = 0; n < saved_.layers.size(); ++n) {
    detail::LayerTrace trace = saved_.layers[n];
    if (!attention.empty()) trace.self_attn.attention.weights = attention[n];
    const detail::Layer layer =
        pass.layer(static_cast<Index>(n), detail::layer_weights(weights().layers[n]), trace);
    layer.run(x, layer.output(1), pass.context);
    x = layer.output(1);
  }
  const detail::SublayerTrace& final_norm = saved_.final_norm;
  detail::norm(config_.norm, x, parameters_as<NormWeights>(weights().final_norm), config_.eps,
               final_norm.normed, pass.context, final_norm.norm);
  linear(joined_rows(final_norm.normed), head(), {}, saved_.logits, pass.context);
  detail::cap_logits(config_, saved_.logits, pass.context);
}

// saved_.logits has their gradient now.
void LanguageModel::backward(const MatrixView<const std::int32_t>& tokens,
                             const detail::ModelPass& pass) {
  const BasicModelWeights<float>& d_weights = gradients();
  Scratch::Frame frame(pass.context.scratch);
  const Index C = config_.width;
  const Shape<3> shape = {pass.batches, pass.tokens, C};
  const TensorView<float, 3> d(frame.take<float>(shape[0], shape[1], shape[2]), shape);
  const detail::SublayerTrace& final_norm = saved_.final_norm;
  detail::cap_logits_backward(config_, saved_.capped, saved_.logits, pass.context);
  linear_backward(saved_.logits, joined_rows(final_norm.normed), head(),
                  {joined_rows(d), config_.tied_head ? d_weights.embedding : d_weights.head, {}},
                  pass.context);
  const auto input = [&](std::size_t n) {
    return n == 0 ? pass.batched(saved_.embedded) : saved_.layers[n - 1].sublayers[1].residual;
  };
  const std::size_t layers = saved_.layers.size();
  detail::norm_backward(config_.norm, d, input(layers),
                        parameters_as<NormWeights>(weights().final_norm), final_norm.norm, d,
                        d_weights.final_norm, pass.context);
  for (std::size_t n = layers; n-- > 0;) {
    pass.layer(static_cast<Index>(n), detail::layer_weights(weights().layers[n]), saved_.layers[n])
        .backward(d, input(n), {.d_x = d, .weights = detail::layer_gradients(d_weights.layers[n])},
                  pass.context);
  }
  if (const auto left_out = pass.dropout_at(0)) detail::drop(d, *left_out, d, pass.context);
  if (d_weights.positions) {
    const MatrixView<float> d_positions(d_weights.positions.data(), {pass.tokens, C});
    for (Index b = 0; b < pass.batches; ++b) {
      add(d_positions, d[b], d_positions, pass.context);
    }
  }
  if (!d_weights.embedding) return;
  detail::scale_embedding(config_, joined_rows(d), pass.context);
  embedding_backward(joined_rows(d), joined_rows(tokens), d_weights.embedding, pass.context);
}

detail::ModelPass LanguageModel::pass_over(const MatrixView<const std::int32_t>& tokens,
                                           const Context& context) const noexcept {
  const Index T = tokens.size(1);
  return {config_, rotary_.of(T), tokens.size(0), T, {}, 0, context};
}

MatrixView<const float> LanguageModel::logits(MatrixView<const std::int32_t> tokens,
                                              const Context& context,
                                              std::span<const TensorView<float, 4>> attention) {
  constexpr const char* kCall = "LanguageModel::logits";
  check(tokens, kCall);
  if (!attention.empty() && attention.size() != weights().layers.size()) {
    fail(kCall, "attention",
         {"needs one per layer (", weights().layers.size(), "), got ", attention.size()});
  }
  const Shape<4> shape = {tokens.size(0), config_.heads, tokens.size(1), tokens.size(1)};
  for (const TensorView<float, 4>& each : attention) {
    check_shape(each, shape, kCall, "attention", "[B, H, T, T]");
  }
  forward(tokens, pass_over(tokens, context), attention);
  return saved_.logits;
}

ModelLoss LanguageModel::loss(MatrixView<const std::int32_t> tokens,
                              MatrixView<const std::int32_t> targets, const Context& context) {
  check(tokens, targets, "LanguageModel::loss");
  forward(tokens, pass_over(tokens, context));
  return detail::loss_of(saved_.logits, targets, context);
}

ModelLoss LanguageModel::accumulate(MatrixView<const std::int32_t> tokens,
                                    MatrixView<const std::int32_t> targets,
                                    const ModelGradientOptions& options, const Context& context) {
  constexpr const char* kCall = "LanguageModel::accumulate";
  check(tokens, targets, kCall);
  detail::check_gradient_options(kCall, options);
  detail::ModelPass pass = pass_over(tokens, context);
  pass.dropout_seed = options.dropout_seed;
  pass.first_batch = options.first_sequence;
  const detail::Stopwatch watch;
  forward(tokens, pass);
  if (saved_.capped) copy(saved_.logits, saved_.capped, context);
  ModelLoss loss = detail::loss_and_gradient(saved_.logits, targets, options.scale, context);
  loss.forward_seconds = watch.seconds();
  backward(tokens, pass);
  return loss;
}

}  // namespace tril
