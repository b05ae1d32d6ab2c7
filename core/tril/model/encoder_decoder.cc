#include <tril/foundation/check.h>
#include <tril/foundation/random.h>
#include <tril/foundation/ranges.h>
#include <tril/foundation/sizes.h>
#include <tril/foundation/stopwatch.h>
#include <tril/layers/cross_entropy.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/embedding.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/linear.h>
#include <tril/layers/positions.h>
#include <tril/model/encoder_decoder.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace tril {
namespace {

using Tokens = EncoderDecoder::Tokens;
using Weights = BasicEncoderDecoderWeights<float>;

// All parameters laid out in `memory`, matrices first; returns the floats before the first vector.
Index lay_out(const EncoderDecoderConfig& config, SavedMemory& memory, Weights& weights) {
  const Index C = config.width, F = config.hidden, rows = config.gated ? 2 * F : F;
  auto& [encoder, decoder] = weights.transformer;
  encoder.layers.resize(static_cast<std::size_t>(config.encoder_layers));
  decoder.layers.resize(static_cast<std::size_t>(config.decoder_layers));
  encoder.norm.emplace(), decoder.norm.emplace();
  const auto attention = [&](auto& w) {
    w.in_proj_weight = memory.take(3 * C, C);
    w.out_proj_weight = memory.take(C, C);
  };
  const auto block = [&](auto& w) {
    attention(w.self_attn);
    w.linear1.weight = memory.take(rows, C);
    w.linear2.weight = memory.take(C, F);
  };
  weights.source_embedding = memory.take(config.source_vocabulary, C);
  weights.target_embedding = memory.take(config.target_vocabulary, C);
  for (auto& layer : encoder.layers) block(layer);
  for (auto& layer : decoder.layers) block(layer), attention(layer.multihead_attn);
  weights.generator.weight = memory.take(config.target_vocabulary, C);
  const Index matrices = memory.count();

  const auto norm = [&](auto& w) { w.weight = memory.take(C), w.bias = memory.take(C); };
  const auto attention_biases = [&](auto& w) {
    w.in_proj_bias = memory.take(3 * C), w.out_proj_bias = memory.take(C);
  };
  const auto block_vectors = [&](auto& w) {
    attention_biases(w.self_attn);
    w.linear1.bias = memory.take(rows), w.linear2.bias = memory.take(C);
    norm(w.norm1), norm(w.norm2);
  };
  for (auto& layer : encoder.layers) block_vectors(layer);
  for (auto& layer : decoder.layers) {
    block_vectors(layer);
    attention_biases(layer.multihead_attn);
    norm(layer.norm3);
  }
  norm(*encoder.norm), norm(*decoder.norm);
  weights.generator.bias = memory.take(config.target_vocabulary);
  return matrices;
}

void initialise(const Weights& weights, std::uint64_t seed) {
  Random random(seed);
  const auto draw = [&](const auto& view, double bound) {
    const auto limit = static_cast<float>(bound);
    fill_uniform(view, random, -limit, limit);
  };
  for (const StoredParameter& each : stored_parameters(weights)) {
    if (each.shape.size() < 2) continue;
    draw(MatrixView<float>(each.data, {each.shape[0], each.shape[1]}),
         std::sqrt(6 / static_cast<double>(each.shape[0] + each.shape[1])));
  }
  const auto bias = [&](const BasicLinearWeights<float>& linear) {
    draw(linear.bias, 1 / std::sqrt(static_cast<double>(linear.weight.size(1))));
  };
  const auto one = [](const BasicNormWeights<float>& norm) {
    std::fill_n(norm.weight.data(), norm.weight.size(0), 1.0f);
  };
  const auto block = [&](const auto& layer) {
    bias(layer.linear1), bias(layer.linear2);
    one(layer.norm1), one(layer.norm2);
  };
  for (const auto& layer : weights.transformer.encoder.layers) block(layer);
  for (const auto& layer : weights.transformer.decoder.layers) block(layer), one(layer.norm3);
  one(*weights.transformer.encoder.norm), one(*weights.transformer.decoder.norm);
  bias(weights.generator);
}

void check_ids(const char* call, const char* name, const Tokens& ids, Index vocabulary,
               bool ignored) {
  if (!ids.is_contiguous()) fail(call, name, "rows must follow each other without gaps");
  for (Index i = 0; i < ids.count(); ++i) {
    const std::int32_t id = ids.data()[i];
    if ((id >= 0 && id < vocabulary) || (ignored && id == kIgnoredTarget)) continue;
    fail(call, name,
         {id, " at [", i / ids.size(1), ", ", i % ids.size(1), "] is outside the vocabulary (0..",
          vocabulary - 1, ")"});
  }
}

// The places of dropout around the Transformer's, which come after these.
enum Place : Index { kSource, kTarget, kPlaces };

// Dropout of a source or a target, both ways.
void drop(const TensorView<float, 3>& x, const std::optional<DropoutPlaces>& dropout, Place place,
          const Context& context) {
  if (!dropout) return;
  tril::dropout(joined_rows(x), dropout->at(place, x.size(1)), joined_rows(x), context);
}

// d_table += what that makes of d, which is overwritten.
void embed_backward(const TensorView<float, 3>& d, const Tokens& ids,
                    const MatrixView<float>& d_table, const Context& context) {
  multiply(d, std::sqrt(static_cast<float>(d.size(2))), d, context);
  embedding_backward(joined_rows(d), joined_rows(ids), d_table, context);
}

}  // namespace

void check_encoder_decoder_config(const EncoderDecoderConfig& config, const char* call) {
  constexpr Index kLargest = 1 << 24;
  const auto size = [&](const char* name, Index value) {
    if (value >= 1 && value <= kLargest) return;
    fail(call, name, {"must be from 1 to ", kLargest, ", is ", value});
  };
  size("source_vocabulary", config.source_vocabulary);
  size("target_vocabulary", config.target_vocabulary);
  size("context", config.context);
  size("encoder_layers", config.encoder_layers);
  size("decoder_layers", config.decoder_layers);
  size("heads", config.heads);
  size("width", config.width);
  size("hidden", config.hidden);
  if (config.width % 2 != 0) fail(call, "width", {"must be even, is ", config.width});
  if (config.width % config.heads != 0) {
    fail(call, "heads", {config.heads, " does not divide width ", config.width});
  }
  if (config.norm != NormOrder::post && config.norm != NormOrder::pre) {
    fail(call, "norm", "must be post or pre");
  }
  check_activation(config.activation, call);
  const SequencePositions positions = config.positions;
  if (positions != SequencePositions::sinusoidal && positions != SequencePositions::rotary) {
    fail(call, "positions", "must be sinusoidal or rotary");
  }
  const Index head_width = config.width / config.heads;
  if (positions == SequencePositions::rotary && head_width % 2 != 0) {
    fail(call, "heads", {"turned in pairs, must have an even width, is ", head_width});
  }
  check_eps(config.eps, call);
  if (!(config.dropout >= 0 && config.dropout < 1)) {
    fail(call, "dropout", {"must be from 0 to below 1, is ", config.dropout});
  }
}

std::vector<StoredParameter> stored_parameters(const BasicEncoderDecoderWeights<float>& weights) {
  std::vector<StoredParameter> stored;
  for_each_parameter(weights, [&](const ParameterName& name, const auto& view) {
    if (!view) return;
    stored.push_back({name.text(), {view.shape().begin(), view.shape().end()}, view.data(), false});
  });
  return stored;
}

EncoderDecoder::EncoderDecoder(const EncoderDecoderConfig& config, std::uint64_t seed)
    : config_(config) {
  check_encoder_decoder_config(config, "EncoderDecoder");
  const auto laid_out = [&](auto& weights) {
    return [&](SavedMemory& memory) { return lay_out(config, memory, weights); };
  };
  decayed_ = saved_in(values_, laid_out(weights_));
  saved_in(gradient_, laid_out(gradients_));
  transformer_ = parameters_as<TransformerWeights>(weights_.transformer);
  positions_ = Buffer<float, 2>({config.context, config.width});
  sinusoidal_positions({}, positions_);
  options_.heads = config.heads, options_.norm = config.norm;
  options_.activation = config.activation, options_.eps = config.eps;
  options_.target_attention.causal = true;
  options_.gated = config.gated;
  if (config.positions == SequencePositions::rotary) options_.rotary.emplace();
  initialise(weights_, seed);
}

void EncoderDecoder::clear_gradients() noexcept {
  std::fill_n(gradient_.data(), gradient_.view().count(), 0.0f);
}

std::vector<StoredParameter> EncoderDecoder::parameters(
    const VectorView<const float>& memory) const {
  std::vector<StoredParameter> stored = parameters();
  for (StoredParameter& each : stored) {
    each.data = const_cast<float*>(memory.data()) + (each.data - values().data());
  }
  return stored;
}

std::size_t EncoderDecoder::bytes() const noexcept {
  const std::size_t saved =
      saved_memory_.data() ? static_cast<std::size_t>(saved_memory_.shape()[0]) : 0;
  const Index floats = values_.shape()[0] + gradient_.shape()[0] + positions_.view().count();
  return (static_cast<std::size_t>(floats) + saved) * sizeof(float);
}

EncoderDecoder::Saved EncoderDecoder::laid_out(Index batches, Index source, Index target,
                                               SavedMemory& memory) const {
  const Index C = config_.width;
  Saved saved;
  saved.source = memory.take(batches, source, C);
  saved.target = memory.take(batches, target, C);
  saved.out = memory.take(batches, target, C);
  saved.trace =
      transformer_saved({batches, source, C}, {batches, target, C}, transformer_, options_, memory);
  saved.logits = memory.take(batches * target, config_.target_vocabulary);
  return saved;
}

// Where the pass over this shape keeps what it computes: as before, or laid out anew, in the memory
// that there is if it is large enough.
void EncoderDecoder::place(Index batches, Index source, Index target) {
  const Shape<3> wanted = {batches, source, target};
  if (placed_ == wanted) return;
  placed_ = {};
  saved_ = saved_in(saved_memory_,
                    [&](SavedMemory& memory) { return laid_out(batches, source, target, memory); });
  placed_ = wanted;
}

void EncoderDecoder::check(const Tokens& source, const Tokens& target, const char* call) const {
  check_view(source, call, "source");
  check_view(target, call, "target");
  if (source.size(0) != target.size(0)) {
    fail(call, "target",
         {"must have the batches of source; source is ", source, ", target is ", target});
  }
  const auto length = [&](const char* name, Index tokens) {
    if (tokens <= config_.context) return;
    fail(call, name, {tokens, " in a row, but the context is ", config_.context});
  };
  length("source", source.size(1));
  length("target", target.size(1));
  check_ids(call, "source", source, config_.source_vocabulary, false);
  check_ids(call, "target", target, config_.target_vocabulary, false);
}

void EncoderDecoder::check(const Tokens& source, const Tokens& target, const Tokens& answers,
                           const char* call) const {
  check(source, target, call);
  check_shape(answers, target.shape(), call, "answers", "the shape of target");
  check_ids(call, "answers", answers, config_.target_vocabulary, true);
}

TransformerOptions EncoderDecoder::transformer_options(const Places& dropout) const {
  TransformerOptions options = options_;
  if (dropout) options.dropout = dropout->after(kPlaces);
  return options;
}

// embedded = sqrt(C) table[ids] + positions, where these are added
void EncoderDecoder::embed(const Tokens& ids, const MatrixView<const float>& table, Index first,
                           const TensorView<float, 3>& embedded, const Context& context) const {
  const Index width = table.size(1);
  embedding(joined_rows(ids), table, joined_rows(embedded));
  multiply(embedded, std::sqrt(static_cast<float>(width)), embedded, context);
  if (config_.positions == SequencePositions::rotary) return;
  const MatrixView<const float> positions(positions_.view()[first].data(), {ids.size(1), width});
  add(embedded, positions, embedded, context);
}

void EncoderDecoder::forward(const Tokens& source, const Tokens& target, const Places& dropout,
                             const Context& context) {
  place(source.size(0), source.size(1), target.size(1));
  embed(source, weights_.source_embedding, 0, saved_.source, context);
  embed(target, weights_.target_embedding, 0, saved_.target, context);
  drop(saved_.source, dropout, kSource, context);
  drop(saved_.target, dropout, kTarget, context);
  transformer(saved_.source, saved_.target, transformer_, transformer_options(dropout), saved_.out,
              context, saved_.trace);
  linear(joined_rows(saved_.out), weights_.generator.weight, weights_.generator.bias, saved_.logits,
         context);
}

// saved_.logits holds their gradient.
void EncoderDecoder::backward(const Tokens& source, const Tokens& target, const Places& dropout,
                              const Context& context) {
  Scratch::Frame frame(context.scratch);
  const auto like = [&](const TensorView<float, 3>& x) {
    return TensorView<float, 3>(frame.take<float>(x.count()), x.shape());
  };
  const TensorView<float, 3> d_out = like(saved_.out), d_source = like(saved_.source);
  const TensorView<float, 3> d_target = like(saved_.target);
  linear_backward(saved_.logits, joined_rows(saved_.out), weights_.generator.weight,
                  {joined_rows(d_out), gradients_.generator.weight, gradients_.generator.bias},
                  context);
  transformer_backward(d_out, saved_.source, saved_.target, transformer_,
                       transformer_options(dropout), saved_.trace,
                       {d_source, d_target, gradients_.transformer}, context);
  drop(d_source, dropout, kSource, context);
  drop(d_target, dropout, kTarget, context);
  embed_backward(d_source, source, gradients_.source_embedding, context);
  embed_backward(d_target, target, gradients_.target_embedding, context);
}

MatrixView<const float> EncoderDecoder::logits(Tokens source, Tokens target,
                                               const Context& context) {
  check(source, target, "EncoderDecoder::logits");
  forward(source, target, {}, context);
  return saved_.logits;
}

ModelLoss EncoderDecoder::loss(Tokens source, Tokens target, Tokens answers,
                               const Context& context) {
  check(source, target, answers, "EncoderDecoder::loss");
  forward(source, target, {}, context);
  const CrossEntropyResult result = cross_entropy(saved_.logits, joined_rows(answers),
                                                  {.reduction = Reduction::sum}, {}, context);
  return {result.loss, result.counted, result.correct};
}

ModelLoss EncoderDecoder::accumulate(Tokens source, Tokens target, Tokens answers,
                                     const ModelGradientOptions& options, const Context& context) {
  constexpr const char* kCall = "EncoderDecoder::accumulate";
  check(source, target, answers, kCall);
  const double scale = options.scale;
  if (!std::isfinite(scale)) fail(kCall, "scale", {"must be finite, is ", scale});
  if (options.first_sequence < 0) {
    fail(kCall, "first_sequence", {"must be at least 0, is ", options.first_sequence});
  }
  Places dropout;
  if (options.dropout_seed && config_.dropout > 0) {
    dropout = {config_.dropout, *options.dropout_seed, options.first_sequence};
  }
  const detail::Stopwatch watch;
  forward(source, target, dropout, context);
  const CrossEntropyResult result =
      cross_entropy(saved_.logits, joined_rows(answers),
                    {.reduction = Reduction::sum, .gradient_scale = scale}, saved_.logits, context);
  const double seconds = watch.seconds();
  backward(source, target, dropout, context);
  return {result.loss, result.counted, result.correct, seconds};
}

}  // namespace tril
