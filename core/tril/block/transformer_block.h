// The Transformer block, as torch.nn.TransformerEncoderLayer with batch_first: the layer (layer.h)
// with self-attention and feed-forward.
//
//   post-norm   y = norm1(x + attention(x)),   out = norm2(y + feed_forward(y))
//   pre-norm    y = x + attention(norm1(x)),   out = y + feed_forward(norm2(y))
#pragma once

#include <tril/block/layer.h>

#include <optional>

namespace tril {

// The names are those of PyTorch's state_dict. Without biases and scales it is the classic block.
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

// Weights for reading.
using TransformerBlockWeights = BasicTransformerBlockWeights<const float>;

// The arguments of nn.TransformerEncoderLayer.
struct TransformerBlockOptions {
  Index heads = 1;                           // H, which divides C
  Index kv_heads = 0;                        // 0: the same as heads
  NormOrder norm = NormOrder::post;          // the position of the norms
  Activation activation = Activation::relu;  // of feed-forward
  double eps = 1e-5;                         // added to the variance in the norms
  // False leaves the part out, to show its purpose. Without residuals: out = norm(f(x)); without
  // norms: out = x + f(x).
  bool residuals = true;
  bool norms = true;                // false: norm(x) = x
  AttentionOptions attention = {};  // causal, mask, ...
  // Dropout in training, as in PyTorch's train(): place 0 for the weights of attention (unless
  // attention.dropout is given), 1 for its output, 2 for the output of the activation, 3 for the
  // output of feed-forward.
  std::optional<DropoutPlaces> dropout = {};
  // Extensions of PyTorch's layer: a gated feed-forward, with linear1 [2 F, C], and self-attention
  // with queries and keys rotated by their positions.
  bool gated = false;
  std::optional<MultiHeadRotary> rotary = {};
  // Decoding, as MultiHeadOptions::past: a cache that holds the keys and values of the earlier
  // tokens, and to which those of x's tokens are appended. Not in a stack, nor before a backward
  // pass.
  KeyValueCache* past = nullptr;
};

// Views to fill; a null view is not filled. [B, T, C], except hidden and activated, [B, T, F].
struct TransformerBlockTrace {
  MultiHeadTrace self_attn = {};           // intermediate results of attention
  TensorView<float, 3> attention = {};     // the output of self-attention, with dropout
  TensorView<float, 3> residual1 = {};     // x + attention
  TensorView<float, 3> normed1 = {};       // after norm1
  TensorView<float, 3> hidden = {};        // after linear1
  TensorView<float, 3> activated = {};     // after the activation and dropout
  TensorView<float, 3> feed_forward = {};  // the output of feed-forward, with dropout
  TensorView<float, 3> residual2 = {};     // pre-norm: the block's output
  TensorView<float, 3> normed2 = {};       // post-norm: the block's output
  MatrixView<float> mean1 = {};            // [B, T], of the input of norm1
  MatrixView<float> rstd1 = {};            // [B, T], 1 / sqrt(variance + eps) of that input
  MatrixView<float> mean2 = {};            // [B, T], of the input of norm2
  MatrixView<float> rstd2 = {};            // [B, T], of that input
};

// x and out are [B, T, C]; rows and batches may have any stride. Outputs may not share memory with
// inputs. Throws Error, naming weights as above ("self_attn.in_proj_weight"), where shapes or
// options do not fit; a cache is then unchanged.
void transformer_block(TensorView<const float, 3> x, const TransformerBlockWeights& weights,
                       const TransformerBlockOptions& options, TensorView<float, 3> out,
                       const Context& context = {}, const TransformerBlockTrace& trace = {});

// The signature from before Context existed.
[[deprecated("hand over {scratch, parallel}")]] inline void transformer_block(
    TensorView<const float, 3> x, const TransformerBlockWeights& weights,
    const TransformerBlockOptions& options, TensorView<float, 3> out, Scratch& scratch,
    Parallel& parallel, const TransformerBlockTrace& trace = {}) {
  transformer_block(x, weights, options, out, {scratch, parallel}, trace);
}

// The trace that the backward pass of a block over x [B, T, C] needs, laid out in `memory`
// (foundation/saved_memory.h): B T (7 C + 2 F + H + 4) floats if all heads have their own keys and
// C = E. Throws Error where the weights do not fit.
TransformerBlockTrace transformer_block_saved(const Shape<3>& x,
                                              const TransformerBlockWeights& weights,
                                              const TransformerBlockOptions& options,
                                              SavedMemory& memory);

// Gradients of transformer_block; a null view is not computed.
struct TransformerBlockGradients {
  TensorView<float, 3> d_x = {};     // [B, T, C], overwritten
  TensorView<float, 4> d_mask = {};  // [B, H, T, T], overwritten (attention_backward.h)
  BasicTransformerBlockWeights<float> weights = {};  // the shapes of the weights, added to
};

// The backward pass, from the gradient d_out [B, T, C] of the output. x, weights and options are
// those of the forward pass, which must have filled the trace that transformer_block_saved laid
// out. Outputs may not share memory with anything else. Results do not depend on the number of
// threads. Throws Error where shapes or options do not fit, before anything is written.
void transformer_block_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                const TransformerBlockWeights& weights,
                                const TransformerBlockOptions& options,
                                const TransformerBlockTrace& trace,
                                const TransformerBlockGradients& gradients,
                                const Context& context = {});

// Throws the errors of transformer_block and does nothing else.
void check_transformer_block(TensorView<const float, 3> x, const TransformerBlockWeights& weights,
                             const TransformerBlockOptions& options, TensorView<float, 3> out,
                             const TransformerBlockTrace& trace = {});

namespace detail {

// The number of dropout places of a block.
inline constexpr Index kBlockDropoutPlaces = 4;

// Weights or gradients of a block in the form of a layer's.
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
