// The decoder's block, as torch.nn.TransformerDecoderLayer with batch_first:
// the layer (layer.h) with self-attention, cross-attention to a memory, and feed-forward.
//
//   post-norm   y = norm1(x + self_attention(x)),  z = norm2(y + cross_attention(y, memory)),
//               out = norm3(z + feed_forward(z))
//   pre-norm    y = x + self_attention(norm1(x)),  z = y + cross_attention(norm2(y), memory),
//               out = z + feed_forward(norm3(z))
#pragma once

#include <tril/block/layer.h>

#include <optional>

namespace tril {

// The names are those of PyTorch's state_dict; biases and norms may be none.
template <typename T>
using BasicDecoderBlockWeights = BasicLayerWeights<T>;

// To be read.
using DecoderBlockWeights = BasicDecoderBlockWeights<const float>;

// As TransformerBlockOptions, with what cross-attention needs.
struct DecoderBlockOptions {
  Index heads = 1;                           // H, which divides C
  Index kv_heads = 0;                        // 0: as many as heads
  NormOrder norm = NormOrder::post;          // where the norms are
  Activation activation = Activation::relu;  // of feed-forward
  double eps = 1e-5;                         // added to the variance in the norms
  // Left out where false, to see what they are for: out = norm(f(x)), out = x + f(x).
  bool residuals = true;
  bool norms = true;                      // norm(x) = x
  AttentionOptions self_attention = {};   // causal, mask, ... of scores [B, H, T, T]
  AttentionOptions cross_attention = {};  // of scores [B, H, T, S]
  // In training, as PyTorch's dropout in train(): at place 0 of self-attention's weights (unless
  // its own dropout is given), 1 of its output, 2 and 3 of cross-attention's, 4 of what the
  // activation gives, 5 of feed-forward's output.
  std::optional<DropoutPlaces> dropout = {};
  // Beyond PyTorch's: feed-forward with a gate, linear1 then [2 F, C], and self-attention whose
  // queries and keys are turned by their positions.
  bool gated = false;
  std::optional<MultiHeadRotary> rotary = {};
  // Decoding, as TransformerBlockOptions::past, of self-attention; and of cross-attention, which
  // projects a memory a single time: given all of it once, and a memory [B, 0, Cm] from then on.
  KeyValueCache* past = nullptr;
  KeyValueCache* memory_past = nullptr;
};

// Views to fill; none: not wanted. [B, T, C] but for hidden and activated, [B, T, F].
struct DecoderBlockTrace {
  MultiHeadTrace self_attn = {};           // what is computed in self-attention
  MultiHeadTrace multihead_attn = {};      // what is computed in cross-attention
  TensorView<float, 3> attention = {};     // the output of self-attention, with dropout
  TensorView<float, 3> residual1 = {};     // x + that
  TensorView<float, 3> normed1 = {};       // after norm1
  TensorView<float, 3> cross = {};         // the output of cross-attention, with dropout
  TensorView<float, 3> residual2 = {};     // with that added
  TensorView<float, 3> normed2 = {};       // after norm2
  TensorView<float, 3> hidden = {};        // after linear1
  TensorView<float, 3> activated = {};     // after the activation and dropout
  TensorView<float, 3> feed_forward = {};  // its output, with dropout
  TensorView<float, 3> residual3 = {};     // pre-norm: the block's output
  TensorView<float, 3> normed3 = {};       // post-norm: the block's output
  MatrixView<float> mean1 = {};            // [B, T], of what norm1 was given
  MatrixView<float> rstd1 = {};            // [B, T], 1 / sqrt(variance + eps) of that
  MatrixView<float> mean2 = {};            // of what norm2 was given
  MatrixView<float> rstd2 = {};            // the same of that
  MatrixView<float> mean3 = {};            // of what norm3 was given
  MatrixView<float> rstd3 = {};            // the same of that
};

// x and out [B, T, C], memory [B, S, Cm] (in PyTorch Cm = C); rows and batches may have any
// stride. What is written may not share memory with what is read. Throws Error, naming weights as
// above, where shapes or options do not fit; caches are then as they were.
void decoder_block(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                   const DecoderBlockWeights& weights, const DecoderBlockOptions& options,
                   TensorView<float, 3> out, const Context& context = {},
                   const DecoderBlockTrace& trace = {});

// The trace that the backward pass of a block over x [B, T, C] with a memory [B, S, Cm] needs, laid
// out in `memory` (foundation/saved_memory.h): B (T (11 C + 2 F + 2 H + 6) + 2 S C) floats where
// all heads have keys of their own, C = E. Throws Error where the weights do not fit.
DecoderBlockTrace decoder_block_saved(const Shape<3>& x, const Shape<3>& memory_shape,
                                      const DecoderBlockWeights& weights,
                                      const DecoderBlockOptions& options, SavedMemory& memory);

// Gradients of decoder_block; those that are not given are not computed.
struct DecoderBlockGradients {
  TensorView<float, 3> d_x = {};                 // [B, T, C], overwritten
  TensorView<float, 3> d_memory = {};            // [B, S, Cm], overwritten
  TensorView<float, 4> d_self_mask = {};         // [B, H, T, T], overwritten (attention_backward.h)
  TensorView<float, 4> d_cross_mask = {};        // [B, H, T, S], the same
  BasicDecoderBlockWeights<float> weights = {};  // shaped as the weights, added to
};

// The backward pass, as transformer_block_backward: from the gradient d_out [B, T, C] of the
// output, with the trace that the forward pass filled as decoder_block_saved laid it out.
void decoder_block_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                            TensorView<const float, 3> memory, const DecoderBlockWeights& weights,
                            const DecoderBlockOptions& options, const DecoderBlockTrace& trace,
                            const DecoderBlockGradients& gradients, const Context& context = {});

// Throws what decoder_block would, and does nothing else.
void check_decoder_block(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                         const DecoderBlockWeights& weights, const DecoderBlockOptions& options,
                         TensorView<float, 3> out, const DecoderBlockTrace& trace = {});

namespace detail {

// How many places of dropout a decoder block has.
inline constexpr Index kDecoderDropoutPlaces = 6;

LayerTrace layer_trace(const DecoderBlockTrace& trace);
// The block as a layer over this memory.
Layer layer_of(const TensorView<const float, 3>& memory, const DecoderBlockWeights& weights,
               const DecoderBlockOptions& options, const DecoderBlockTrace& trace = {});

}  // namespace detail

}  // namespace tril
