// The Transformer block, as torch.nn.TransformerEncoderLayer with batch_first:
// the layer (layer.h) with self-attention and feed-forward.
//
//   post-norm   y = norm1(x + attention(x)),   out = norm2(y + feed_forward(y))
//   pre-norm    y = x + attention(norm1(x)),   out = y + feed_forward(norm2(y))
#pragma once

#include <tril/block/layer.h>

#include <optional>

namespace tril {

// The names are those of PyTorch's state_dict. No biases, no scales: the classic block.
template <typename T>
struct BasicTransformerBlockWeights {
  BasicMultiHeadWeights<T> self_attn = {};  // [3 C, C] and [C, C]
  BasicLinearWeights<T> linear1 = {};       // [F, C]
  BasicLinearWeights<T> linear2 = {};       // [C, F]
  BasicNormWeights<T> norm1 = {};           // of attention
  BasicNormWeights<T> norm2 = {};           // of feed-forward

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("self_attn", each.self_attn...);
    visit("linear1", each.linear1...);
    visit("linear2", each.linear2...);
    visit("norm1", each.norm1...);
    visit("norm2", each.norm2...);
  }
};

// To be read.
using TransformerBlockWeights = BasicTransformerBlockWeights<const float>;

// As the arguments of nn.TransformerEncoderLayer.
struct TransformerBlockOptions {
  Index heads = 1;                           // H, which divides C
  Index kv_heads = 0;                        // 0: as many as heads
  NormOrder norm = NormOrder::post;          // where the norms are
  Activation activation = Activation::relu;  // of feed-forward
  double eps = 1e-5;                         // added to the variance in the norms
  // Left out where false, to see what they are for: out = norm(f(x)), out = x + f(x).
  bool residuals = true;
  bool norms = true;                // norm(x) = x
  AttentionOptions attention = {};  // causal, mask, ...
  // In training, as PyTorch's dropout in train(): at place 0 of attention's weights (unless
  // attention.dropout is given), 1 of its output, 2 of what the activation gives, 3 of
  // feed-forward's output.
  std::optional<DropoutPlaces> dropout = {};
  // Beyond PyTorch's: feed-forward with a gate, linear1 then [2 F, C], and self-attention whose
  // queries and keys are turned by their positions.
  bool gated = false;
  std::optional<MultiHeadRotary> rotary = {};
  // Decoding, as MultiHeadOptions::past: keys and values of x's tokens are appended here, and those
  // before them found. Not in a stack, nor where the backward pass is to follow.
  KeyValueCache* past = nullptr;
};

// Views to fill; none: not wanted. [B, T, C] but for hidden and activated, [B, T, F].
struct TransformerBlockTrace {
  MultiHeadTrace self_attn = {};           // what is computed in attention
  TensorView<float, 3> attention = {};     // the output of self-attention, with dropout
  TensorView<float, 3> residual1 = {};     // x + that
  TensorView<float, 3> normed1 = {};       // after norm1
  TensorView<float, 3> hidden = {};        // after linear1
  TensorView<float, 3> activated = {};     // after the activation and dropout
  TensorView<float, 3> feed_forward = {};  // its output, with dropout
  TensorView<float, 3> residual2 = {};     // pre-norm: the block's output
  TensorView<float, 3> normed2 = {};       // post-norm: the block's output
  MatrixView<float> mean1 = {};            // [B, T], of what norm1 was given
  MatrixView<float> rstd1 = {};            // [B, T], 1 / sqrt(variance + eps) of that
  MatrixView<float> mean2 = {};            // of what norm2 was given
  MatrixView<float> rstd2 = {};            // the same of that
};

// x and out [B, T, C]; rows and batches may have any stride. What is written may not share
// memory with what is read. Throws Error, naming weights as above ("self_attn.in_proj_weight"),
// where shapes or options do not fit; a cache is then as it was.
void transformer_block(TensorView<const float, 3> x, const TransformerBlockWeights& weights,
                       const TransformerBlockOptions& options, TensorView<float, 3> out,
                       const Context& context = {}, const TransformerBlockTrace& trace = {});

// As it was called before there was a Context.
[[deprecated("hand over {scratch, parallel}")]] inline void transformer_block(
    TensorView<const float, 3> x, const TransformerBlockWeights& weights,
    const TransformerBlockOptions& options, TensorView<float, 3> out, Scratch& scratch,
    Parallel& parallel, const TransformerBlockTrace& trace = {}) {
  transformer_block(x, weights, options, out, {scratch, parallel}, trace);
}

// The trace that the backward pass of a block over x [B, T, C] needs, laid out in `memory`
// (foundation/saved_memory.h): B T (7 C + 2 F + H + 4) floats where all heads have keys of their
// own, C = E. Throws Error where the weights do not fit.
TransformerBlockTrace transformer_block_saved(const Shape<3>& x,
                                              const TransformerBlockWeights& weights,
                                              const TransformerBlockOptions& options,
                                              SavedMemory& memory);

// Gradients of transformer_block; those that are not given are not computed.
struct TransformerBlockGradients {
  TensorView<float, 3> d_x = {};     // [B, T, C], overwritten
  TensorView<float, 4> d_mask = {};  // [B, H, T, T], overwritten (attention_backward.h)
  BasicTransformerBlockWeights<float> weights = {};  // shaped as the weights, added to
};

// The backward pass, from the gradient d_out [B, T, C] of the output; x, weights and options as
// they were given, and the trace that the forward pass filled as transformer_block_saved laid it
// out. What is written may not share memory with anything else. Results do not depend on the number
// of threads. Throws Error where shapes or options do not fit, before anything is written.
void transformer_block_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                const TransformerBlockWeights& weights,
                                const TransformerBlockOptions& options,
                                const TransformerBlockTrace& trace,
                                const TransformerBlockGradients& gradients,
                                const Context& context = {});

// Throws what transformer_block would, and does nothing else.
void check_transformer_block(TensorView<const float, 3> x, const TransformerBlockWeights& weights,
                             const TransformerBlockOptions& options, TensorView<float, 3> out,
                             const TransformerBlockTrace& trace = {});

namespace detail {

// How many places of dropout a block has.
inline constexpr Index kBlockDropoutPlaces = 4;

// Weights and gradients of a block as a layer's.
template <typename T>
BasicLayerWeights<T> layer_weights(const BasicTransformerBlockWeights<T>& block) {
  return {.self_attn = block.self_attn,
          .linear1 = block.linear1,
          .linear2 = block.linear2,
          .norm1 = block.norm1,
          .norm2 = block.norm2};
}
LayerTrace layer_trace(const TransformerBlockTrace& trace);
// The block as a layer.
Layer layer_of(const TransformerBlockWeights& weights, const TransformerBlockOptions& options,
               const TransformerBlockTrace& trace = {});

}  // namespace detail

}  // namespace tril
