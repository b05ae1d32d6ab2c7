#include <tril/foundation/check.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/embedding.h>
#include <tril/layers/linear.h>
#include <tril/model/decoding_session.h>

#include <algorithm>

namespace tril {
namespace {

constexpr const char* kCall = "DecodingSession";

// Tokens that run at once: more would make the products no faster, and need more memory.
constexpr Index kPiece = 256;

// The capacity that is asked for, which positions must reach.
Index checked_capacity(const ModelConfig& config, Index capacity) {
  check_model_config(config, kCall);
  if (!config.causal) {
    fail(kCall, "config", "a model whose tokens see those behind them does not decode");
  }
  if (capacity == 0) return config.context;
  const bool reaches = config.positions == ModelPositions::rotary &&
                       config.rotary_scaling.kind == RotaryScalingKind::dynamic;
  if (capacity < 0) fail(kCall, "capacity", {"must be at least 0, is ", capacity});
  if (capacity > config.context && !reaches) {
    fail(kCall, "capacity", {capacity, " tokens, but the context is ", config.context});
  }
  return capacity;
}

// Throws unless the weights are laid out as the settings say.
void check_weights(const ModelConfig& config, const BasicModelWeights<float>& weights) {
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

DecodingSession::DecodingSession(const ModelConfig& config, const BasicModelWeights<float>& weights,
                                 Index capacity)
    : config_(config), weights_(weights) {
  const Index tokens = checked_capacity(config, capacity);
  check_weights(config, weights);
  rotary_ = detail::rotary_tables(config, tokens, std::max(tokens, config.context));
  caches_.reserve(weights.layers.size());
  for (std::size_t n = 0; n < weights.layers.size(); ++n) {
    caches_.emplace_back(KeyValueCacheSizes{
        .heads = config.key_heads(), .capacity = tokens, .width = config.head_width()});
  }
  last_ = Buffer<float, 2>({1, config.vocabulary});
}

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
}

void DecodingSession::check(std::span<const std::int32_t> tokens) const {
  const auto count = static_cast<Index>(tokens.size());
  if (tokens.empty()) fail(kCall, "tokens", "there are none");
  if (count > capacity() - length_) {
    fail(kCall, "tokens",
         {count, " after ", length_, " are more than the capacity of ", capacity()});
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] >= 0 && tokens[i] < config_.vocabulary) continue;
    fail(kCall, "tokens",
         {tokens[i], " at ", i, " is no token of a vocabulary of ", config_.vocabulary});
  }
}

VectorView<const float> DecodingSession::append(std::span<const std::int32_t> tokens,
                                                Scratch& scratch, Parallel& parallel) {
  check(tokens);
  run(tokens, last_, scratch, parallel);
  return last_.view()[0];
}

void DecodingSession::append(std::span<const std::int32_t> tokens, MatrixView<float> logits,
                             Scratch& scratch, Parallel& parallel) {
  check(tokens);
  check_shape(logits, {static_cast<Index>(tokens.size()), config_.vocabulary}, kCall, "logits",
              "a row for each token");
  run(tokens, logits, scratch, parallel);
}

// In pieces; logits of all tokens, or of the last.
void DecodingSession::run(std::span<const std::int32_t> tokens, const MatrixView<float>& logits,
                          Scratch& scratch, Parallel& parallel) {
  const Index before = length_, count = static_cast<Index>(tokens.size());
  try {
    for (Index first = 0; first < count; first += kPiece) {
      const Index piece = std::min(kPiece, count - first);
      MatrixView<float> wanted;
      if (logits.size(0) == count) {
        wanted = {logits[first].data(), {piece, logits.size(1)}, logits.strides()};
      } else if (first + piece == count) {
        wanted = logits;
      }
      run_piece(tokens.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(piece)),
                wanted, scratch, parallel);
    }
  } catch (...) {  // out of memory
    rewind(before);
    throw;
  }
}

// x = embedding + positions;  each layer: x = layer(x);  logits = final_norm(x) E^T of the last
// rows
void DecodingSession::run_piece(std::span<const std::int32_t> tokens,
                                const MatrixView<float>& logits, Scratch& scratch,
                                Parallel& parallel) {
  const Index T = static_cast<Index>(tokens.size()), C = config_.width;
  const detail::ModelPass pass{config_, rotary_, 1, T, {}, 0, scratch, parallel, caches_};
  Scratch::Frame frame(scratch);
  const auto take = [&] { return MatrixView<float>(frame.take<float>(T, C), {T, C}); };
  const MatrixView<float> x = take(), between = take(), normed = take();
  embedding({tokens.data(), {T}}, weights_.embedding, x);
  if (weights_.positions) {
    add(x, MatrixView<const float>(weights_.positions[length_].data(), {T, C}), x, parallel);
  }
  detail::SavedModelLayer layer;
  layer.norm1.normed = layer.norm2.normed = normed;
  layer.between = between;
  layer.out = x;
  for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
    detail::run_layer(pass, static_cast<Index>(n), weights_.layers[n], x, layer);
  }
  length_ += T;
  if (!logits) return;
  const Index rows = logits.size(0);
  const Shape<2> shape = {rows, C};
  const MatrixView<float> last(x[T - rows].data(), shape), last_normed(normed.data(), shape);
  pass.norm(last, weights_.final_norm, {last_normed, {}, {}});
  linear(last_normed, config_.tied_head ? weights_.embedding : weights_.head, {}, logits, scratch,
         parallel);
}

}  // namespace tril
