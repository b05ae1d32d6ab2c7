// The decoder block, as torch.nn.TransformerDecoderLayer with batch_first: the layer (layer.h) with
// self-attention, cross-attention to a memory, and feed-forward.
//
//   post-norm   y = norm1(x + self_attention(x)),  z = norm2(y + cross_attention(y, memory)),
//               out = norm3(z + feed_forward(z))
//   pre-norm    y = x + self_attention(norm1(x)),  z = y + cross_attention(norm2(y), memory),
//               out = z + feed_forward(norm3(z))
#pragma once

#include <tril/block/layer.h>

#include <optional>

namespace tril {

// The names are those of PyTorch's state_dict; biases and norms may be null views.
template <typename T>
using BasicDecoderBlockWeights = BasicLayerWeights<T>;

// Weights for reading.
using DecoderBlockWeights = BasicDecoderBlockWeights<const float>;

// The options of TransformerBlockOptions, and those of cross-attention.
struct DecoderBlockOptions {
  Index heads = 1;                           // H, which divides C
  Index kv_heads = 0;                        // 0: the same as heads
  NormOrder norm = NormOrder::post;          // the position of the norms
  Activation activation = Activation::relu;  // of feed-forward
  double eps = 1e-5;                         // added to the variance in the norms
  // False leaves the part out, to show its purpose. Without residuals: out = norm(f(x)); without
  // norms: out = x + f(x).
  bool residuals = true;
  bool norms = true;                      // false: norm(x) = x
  AttentionOptions self_attention = {};   // causal, mask, ... of scores [B, H, T, T]
  AttentionOptions cross_attention = {};  // of scores [B, H, T, S]
  // Dropout in training, as in PyTorch's train(): place 0 for the weights of self-attention (unless
  // its own dropout is given), 1 for its output, 2 and 3 for those of cross-attention, 4 for the
  // output of the activation, 5 for the output of feed-forward.
  std::optional<DropoutPlaces> dropout = {};
  // Extensions of PyTorch's layer: a gated feed-forward, with linear1 [2 F, C], and self-attention
  // with queries and keys rotated by their positions.
  bool gated = false;
  std::optional<MultiHeadRotary> rotary = {};
  // Caches for decoding, as TransformerBlockOptions::past: `past` for self-attention, `memory_past`
  // for cross-attention. The first call passes the whole memory and later calls a memory [B, 0,
  // Cm], so that cross-attention projects it only once.
  KeyValueCache* past = nullptr;
  KeyValueCache* memory_past = nullptr;
};

// Views to fill; a null view is not filled. [B, T, C], except hidden and activated, [B, T, F].
struct DecoderBlockTrace {
  MultiHeadTrace self_attn = {};           // intermediate results of self-attention
  MultiHeadTrace multihead_attn = {};      // intermediate results of cross-attention
  TensorView<float, 3> attention = {};     // the output of self-attention, with dropout
  TensorView<float, 3> residual1 = {};     // x + attention
  TensorView<float, 3> normed1 = {};       // after norm1
  TensorView<float, 3> cross = {};         // the output of cross-attention, with dropout
  TensorView<float, 3> residual2 = {};     // the residual stream + cross
  TensorView<float, 3> normed2 = {};       // after norm2
  TensorView<float, 3> hidden = {};        // after linear1
  TensorView<float, 3> activated = {};     // after the activation and dropout
  TensorView<float, 3> feed_forward = {};  // the output of feed-forward, with dropout
  TensorView<float, 3> residual3 = {};     // pre-norm: the block's output
  TensorView<float, 3> normed3 = {};       // post-norm: the block's output
  MatrixView<float> mean1 = {};            // [B, T], of the input of norm1
  MatrixView<float> rstd1 = {};            // [B, T], 1 / sqrt(variance + eps) of that input
  MatrixView<float> mean2 = {};            // [B, T], of the input of norm2
  MatrixView<float> rstd2 = {};            // [B, T], of that input
  MatrixView<float> mean3 = {};            // [B, T], of the input of norm3
  MatrixView<float> rstd3 = {};            // [B, T], of that input
};

// x and out are [B, T, C], memory [B, S, Cm] (in PyTorch Cm = C); rows and batches may have any
// stride. Outputs may not share memory with inputs. Throws Error, naming weights as above, where
// shapes or options do not fit; caches are then unchanged.
void decoder_block(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                   const DecoderBlockWeights& weights, const DecoderBlockOptions& options,
                   TensorView<float, 3> out, const Context& context = {},
                   const DecoderBlockTrace& trace = {});

// The trace that the backward pass of a block over x [B, T, C] with a memory [B, S, Cm] needs, laid
// out in `memory` (foundation/saved_memory.h): B (T (11 C + 2 F + 2 H + 6) + 2 S C) floats if all
// heads have their own keys and C = E. Throws Error where the weights do not fit.
DecoderBlockTrace decoder_block_saved(const Shape<3>& x, const Shape<3>& memory_shape,
                                      const DecoderBlockWeights& weights,
                                      const DecoderBlockOptions& options, SavedMemory& memory);

// Gradients of decoder_block; a null view is not computed.
struct DecoderBlockGradients {
  TensorView<float, 3> d_x = {};                 // [B, T, C], overwritten
  TensorView<float, 3> d_memory = {};            // [B, S, Cm], overwritten
  TensorView<float, 4> d_self_mask = {};         // [B, H, T, T], overwritten (attention_backward.h)
  TensorView<float, 4> d_cross_mask = {};        // [B, H, T, S], overwritten
  BasicDecoderBlockWeights<float> weights = {};  // the shapes of the weights, added to
};

// The backward pass from the gradient d_out [B, T, C] of the output, as transformer_block_backward.
// The forward pass must have filled the trace that decoder_block_saved laid out.
void decoder_block_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                            TensorView<const float, 3> memory, const DecoderBlockWeights& weights,
                            const DecoderBlockOptions& options, const DecoderBlockTrace& trace,
                            const DecoderBlockGradients& gradients, const Context& context = {});

// Throws the errors of decoder_block and does nothing else.
void check_decoder_block(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                         const DecoderBlockWeights& weights, const DecoderBlockOptions& options,
                         TensorView<float, 3> out, const DecoderBlockTrace& trace = {});

namespace detail {

// The number of dropout places of a decoder block.
inline constexpr Index kDecoderDropoutPlaces = 6;

LayerTrace layer_trace(const DecoderBlockTrace& trace);
// The block as a layer over this memory.
Layer layer_of(const TensorView<const float, 3>& memory, const DecoderBlockWeights& weights,
               const DecoderBlockOptions& options, const DecoderBlockTrace& trace = {});

}  // namespace detail

}  // namespace tril
