#include <tril/foundation/check.h>
#include <tril/foundation/random.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/positions.h>
#include <tril/model/encoder_decoder.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace tril {
namespace {

using Tokens = EncoderDecoder::Tokens;
using Weights = BasicEncoderDecoderWeights<float>;

// Lays out all parameters in `memory`, matrices first; returns the number of floats before the
// first vector.
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

std::size_t EncoderDecoder::bytes() const noexcept {
  const std::size_t saved =
      saved_memory_.data() ? static_cast<std::size_t>(saved_memory_.shape()[0]) : 0;
  const Index floats = values_.shape()[0] + gradient_.shape()[0] + positions_.view().count();
  return (static_cast<std::size_t>(floats) + saved) * sizeof(float);
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
  detail::check_ids(call, "source", source, config_.source_vocabulary, false);
  detail::check_ids(call, "target", target, config_.target_vocabulary, false);
}

void EncoderDecoder::check(const Tokens& source, const Tokens& target, const Tokens& labels,
                           const char* call) const {
  check(source, target, call);
  check_shape(labels, target.shape(), call, "labels", "the shape of target");
  detail::check_ids(call, "labels", labels, config_.target_vocabulary, true);
}

}  // namespace tril
