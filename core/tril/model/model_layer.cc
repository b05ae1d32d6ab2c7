#include <tril/layers/activations.h>
#include <tril/layers/dropout.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/linear.h>
#include <tril/layers/rms_norm.h>
#include <tril/model/model_layer.h>

#include <algorithm>

namespace tril::detail {
namespace {

MultiHeadOptions attention_options(const ModelConfig& config) {
  MultiHeadOptions options;
  options.heads = config.heads;
  options.kv_heads = config.kv_heads;
  if (config.positions == ModelPositions::rotary) {
    options.rotary = MultiHeadRotary{.base = config.rotary_base};
  }
  options.attention.causal = config.causal;
  return options;
}

// Rows as batches of tokens.
template <typename T>
TensorView<T, 3> as_batches(const MatrixView<T>& rows, const ModelPass& pass) noexcept {
  return {rows.data(), {pass.batches, pass.tokens, rows.size(1)}};
}

// The gate of a swiglu, or what is gated.
MatrixView<float> half(const MatrixView<float>& both, Index which) noexcept {
  const Index width = both.size(1) / 2;
  return {both.data() + which * width, {both.size(0), width}, both.strides()};
}

// A place where dropout stands has a seed of its own.
DropoutOptions dropout_options(const ModelPass& pass, Index place) noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;  // 2^64 / the golden ratio
  return {pass.config.dropout, *pass.dropout_seed + kOdd * static_cast<std::uint64_t>(place + 1)};
}

}  // namespace

void ModelPass::norm(const MatrixView<float>& x, const BasicNormWeights<float>& weights,
                     const SavedNorm& saved) const {
  if (config.norm == ModelNorm::layer_norm) {
    layer_norm(x, weights.weight, weights.bias, {.eps = config.eps}, saved.normed, parallel,
               {saved.mean, saved.rstd});
  } else {
    rms_norm(x, weights.weight, {.eps = config.eps}, saved.normed, parallel, saved.rstd);
  }
}

void ModelPass::norm_backward(const MatrixView<float>& d_out, const MatrixView<float>& x,
                              const BasicNormWeights<float>& weights, const SavedNorm& saved,
                              const MatrixView<float>& d_x,
                              const BasicNormWeights<float>& d_weights) const {
  if (config.norm == ModelNorm::layer_norm) {
    layer_norm_backward(d_out, x, weights.weight, saved.mean, saved.rstd,
                        {d_x, d_weights.weight, d_weights.bias}, scratch, parallel);
  } else {
    rms_norm_backward(d_out, x, weights.weight, saved.rstd, {d_x, d_weights.weight}, scratch,
                      parallel);
  }
}

void ModelPass::drop(const MatrixView<float>& x, Index place) const {
  if (dropout_seed && config.dropout > 0) dropout(x, dropout_options(*this, place), x, parallel);
}

void ModelPass::drop_backward(const MatrixView<float>& from, Index place,
                              const MatrixView<float>& to) const {
  dropout_backward(from, dropout_options(*this, place), to, parallel);
}

SavedNorm saved_norm(const ModelConfig& config, Index rows, SavedMemory& memory) {
  SavedNorm saved;
  saved.normed = memory.take(rows, config.width);
  if (config.norm == ModelNorm::layer_norm) saved.mean = memory.take(rows);
  saved.rstd = memory.take(rows);
  return saved;
}

SavedModelLayer saved_layer(const ModelConfig& config, const BasicModelLayerWeights<float>& weights,
                            Index batches, Index tokens, SavedMemory& memory) {
  const Index rows = batches * tokens;
  SavedModelLayer saved;
  saved.norm1 = saved_norm(config, rows, memory);
  saved.attention = multi_head_attention_saved({batches, tokens, config.width},
                                               parameters_as<MultiHeadWeights>(weights.attention),
                                               attention_options(config), memory);
  saved.between = memory.take(rows, config.width);
  saved.norm2 = saved_norm(config, rows, memory);
  saved.hidden = memory.take(rows, weights.linear1.weight.size(0));
  saved.activated = memory.take(rows, config.hidden_width());
  saved.out = memory.take(rows, config.width);
  return saved;
}

void run_layer(const ModelPass& pass, Index number, const BasicModelLayerWeights<float>& weights,
               const MatrixView<float>& x, const SavedModelLayer& saved) {
  auto& [config, batches, tokens, seed, scratch, parallel] = pass;
  pass.norm(x, weights.norm1, saved.norm1);
  multi_head_attention(as_batches<const float>(saved.norm1.normed, pass),
                       parameters_as<MultiHeadWeights>(weights.attention),
                       attention_options(config), as_batches(saved.between, pass), scratch,
                       parallel, saved.attention);
  pass.drop(saved.between, 2 * number + 1);
  add(x, saved.between, saved.between, parallel);

  pass.norm(saved.between, weights.norm2, saved.norm2);
  linear(saved.norm2.normed, weights.linear1.weight, weights.linear1.bias, saved.hidden, scratch,
         parallel);
  if (config.feed_forward == ModelFeedForward::swiglu) {
    silu(half(saved.hidden, 0), saved.activated, parallel);
    multiply(saved.activated, half(saved.hidden, 1), saved.activated, parallel);
  } else {
    gelu(saved.hidden, GeluForm::tanh, saved.activated, parallel);
  }
  linear(saved.activated, weights.linear2.weight, weights.linear2.bias, saved.out, scratch,
         parallel);
  pass.drop(saved.out, 2 * number + 2);
  add(saved.between, saved.out, saved.out, parallel);
}

namespace {

// d_hidden [N, F] or [N, 2 F] from d_activated [N, F].
void activation_backward(const ModelPass& pass, const SavedModelLayer& saved,
                         const MatrixView<float>& d_activated, const MatrixView<float>& d_hidden) {
  Parallel& parallel = pass.parallel;
  if (pass.config.feed_forward == ModelFeedForward::gelu_tanh) {
    gelu_backward(d_activated, saved.hidden, GeluForm::tanh, d_hidden, parallel);
    return;
  }
  const MatrixView<float> gate = half(saved.hidden, 0), up = half(saved.hidden, 1);
  const MatrixView<float> d_gate = half(d_hidden, 0), d_up = half(d_hidden, 1);
  silu(gate, d_up, parallel);
  multiply(d_up, d_activated, d_up, parallel);
  multiply(d_activated, up, d_gate, parallel);
  silu_backward(d_gate, gate, d_gate, parallel);
}

}  // namespace

// d_branch = dropout back (d);  d += norm2 back (feed-forward back (d_branch))
// d_branch = dropout back (d);  d += norm1 back (attention back (d_branch))
void run_layer_backward(const ModelPass& pass, Index number,
                        const BasicModelLayerWeights<float>& weights, const MatrixView<float>& x,
                        const SavedModelLayer& saved, const MatrixView<float>& d,
                        const BasicModelLayerWeights<float>& d_weights) {
  auto& [config, batches, tokens, seed, scratch, parallel] = pass;
  const bool drops = seed && config.dropout > 0;
  Scratch::Frame frame(scratch);
  const auto take = [&](Index width) {
    return MatrixView<float>(frame.take<float>(pass.rows(), width), {pass.rows(), width});
  };
  const MatrixView<float> d_normed = take(config.width);
  const MatrixView<float> dropped = drops ? take(config.width) : d;
  const auto branch = [&](Index place) {
    if (drops) pass.drop_backward(d, place, dropped);
    return dropped;
  };
  const bool in_place = config.feed_forward == ModelFeedForward::gelu_tanh;
  const MatrixView<float> d_activated = take(config.hidden_width());
  const MatrixView<float> d_hidden = in_place ? d_activated : take(saved.hidden.size(1));

  linear_backward(branch(2 * number + 2), saved.activated, weights.linear2.weight,
                  {d_activated, d_weights.linear2.weight, d_weights.linear2.bias}, scratch,
                  parallel);
  activation_backward(pass, saved, d_activated, d_hidden);
  linear_backward(d_hidden, saved.norm2.normed, weights.linear1.weight,
                  {d_normed, d_weights.linear1.weight, d_weights.linear1.bias}, scratch, parallel);
  pass.norm_backward(d_normed, saved.between, weights.norm2, saved.norm2, d_normed,
                     d_weights.norm2);
  add(d, d_normed, d, parallel);

  multi_head_attention_backward(as_batches<const float>(branch(2 * number + 1), pass),
                                as_batches<const float>(saved.norm1.normed, pass),
                                parameters_as<MultiHeadWeights>(weights.attention),
                                attention_options(config), saved.attention,
                                {.d_x = as_batches(d_normed, pass), .weights = d_weights.attention},
                                scratch, parallel);
  pass.norm_backward(d_normed, x, weights.norm1, saved.norm1, d_normed, d_weights.norm1);
  add(d, d_normed, d, parallel);
}

}  // namespace tril::detail
