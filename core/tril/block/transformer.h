// Stacks of blocks: the encoder, the decoder, and both together as in "Attention is all you need"
// (Vaswani et al. 2017), as torch.nn.TransformerEncoder, TransformerDecoder and Transformer with
// batch_first.
//
//   encoder       x -> blocks, one after the other -> norm
//   decoder       x -> blocks, each looking at the memory -> norm
//   transformer   out = decoder(target, encoder(source))
#pragma once

#include <tril/block/decoder_block.h>
#include <tril/block/transformer_block.h>

#include <optional>
#include <vector>

namespace tril {

// Named as PyTorch's state_dict: layers.0.self_attn.in_proj_weight, ..., norm.weight, norm.bias.
template <typename T>
struct BasicTransformerEncoderWeights {
  std::vector<BasicTransformerBlockWeights<T>> layers = {};  // from the first to the last
  // The norm at the end (default: none); a norm without weights has no scale.
  std::optional<BasicNormWeights<T>> norm = {};

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("layers", each.layers...);
    visit("norm", each.norm...);
  }
};

// Weights that are only read.
using TransformerEncoderWeights = BasicTransformerEncoderWeights<const float>;

// A stack of decoder blocks.
template <typename T>
struct BasicTransformerDecoderWeights {
  std::vector<BasicDecoderBlockWeights<T>> layers = {};  // from the first to the last
  // The norm at the end, as in the encoder.
  std::optional<BasicNormWeights<T>> norm = {};

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("layers", each.layers...);
    visit("norm", each.norm...);
  }
};

// Weights that are only read.
using TransformerDecoderWeights = BasicTransformerDecoderWeights<const float>;

// Both stacks.
template <typename T>
struct BasicTransformerWeights {
  BasicTransformerEncoderWeights<T> encoder = {};  // of the source
  BasicTransformerDecoderWeights<T> decoder = {};  // of the target

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("encoder", each.encoder...);
    visit("decoder", each.decoder...);
  }
};

// Weights that are only read.
using TransformerWeights = BasicTransformerWeights<const float>;

// The options, named as the arguments of nn.Transformer.
struct TransformerOptions {
  Index heads = 1;                           // H, which divides C
  Index kv_heads = 0;                        // 0: as many as heads
  NormOrder norm = NormOrder::post;          // the position of norms
  Activation activation = Activation::relu;  // of feed-forward
  double eps = 1e-5;                         // added to the variance in the norms
  AttentionOptions source_attention = {};    // of the encoder: scores [B, H, S, S]
  AttentionOptions target_attention = {};    // of the decoder: scores [B, H, T, T]
  AttentionOptions memory_attention = {};  // from the decoder to the encoder's output: [B, H, T, S]
  // Dropout in training: at 4 places in each layer of the encoder and, after all these, at 6 in
  // each layer of the decoder, as in the blocks.
  std::optional<DropoutPlaces> dropout = {};
  // Extensions of PyTorch's: a gate in feed-forward, with linear1 [2 F, C], and rotary positions of
  // queries and keys in the self-attention of both stacks.
  bool gated = false;
  std::optional<MultiHeadRotary> rotary = {};
};

// One trace per layer, or none.
struct TransformerTrace {
  std::vector<TransformerBlockTrace> encoder = {};  // from the first layer to the last
  TensorView<float, 3> memory = {};                 // [B, S, C], the encoder's output
  std::vector<DecoderBlockTrace> decoder = {};      // from the first layer to the last
};

// For all three, outputs may not share memory with inputs. Error is thrown, before anything is
// computed, where there are no layers or where one of them does not fit, naming it:
// "layers.3.linear1.weight".

// x and out [B, T, C]; the options apply to every layer, eps also to the norm at the end. The
// dropout places of each layer follow those of the layers before it.
void transformer_encoder(TensorView<const float, 3> x, const TransformerEncoderWeights& weights,
                         const TransformerBlockOptions& options, TensorView<float, 3> out,
                         const Context& context = {},
                         const std::vector<TransformerBlockTrace>& trace = {});

// x and out [B, T, C], memory [B, S, C].
void transformer_decoder(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                         const TransformerDecoderWeights& weights,
                         const DecoderBlockOptions& options, TensorView<float, 3> out,
                         const Context& context = {},
                         const std::vector<DecoderBlockTrace>& trace = {});

// source [B, S, C], target and out [B, T, C].
void transformer(TensorView<const float, 3> source, TensorView<const float, 3> target,
                 const TransformerWeights& weights, const TransformerOptions& options,
                 TensorView<float, 3> out, const Context& context = {},
                 const TransformerTrace& trace = {});

// The traces that the backward passes need, with the output of each layer, laid out in `memory`
// (foundation/saved_memory.h) for the forward passes to fill. Throws Error where weights do not
// fit.
std::vector<TransformerBlockTrace> transformer_encoder_saved(
    const Shape<3>& x, const TransformerEncoderWeights& weights,
    const TransformerBlockOptions& options, SavedMemory& memory);
std::vector<DecoderBlockTrace> transformer_decoder_saved(const Shape<3>& x,
                                                         const Shape<3>& memory_shape,
                                                         const TransformerDecoderWeights& weights,
                                                         const DecoderBlockOptions& options,
                                                         SavedMemory& memory);
TransformerTrace transformer_saved(const Shape<3>& source, const Shape<3>& target,
                                   const TransformerWeights& weights,
                                   const TransformerOptions& options, SavedMemory& memory);

// Gradients of the encoder; null views are not computed. Those of weights have the form of the
// weights, as from parameters_in, or no layers at all.
struct TransformerEncoderGradients {
  TensorView<float, 3> d_x = {};                       // [B, T, C], overwritten
  BasicTransformerEncoderWeights<float> weights = {};  // added to
};

// The same for the decoder.
struct TransformerDecoderGradients {
  TensorView<float, 3> d_x = {};                       // [B, T, C], overwritten
  TensorView<float, 3> d_memory = {};                  // [B, S, C], overwritten
  BasicTransformerDecoderWeights<float> weights = {};  // added to
};

// The same for both stacks.
struct TransformerGradients {
  TensorView<float, 3> d_source = {};           // [B, S, C], overwritten
  TensorView<float, 3> d_target = {};           // [B, T, C], overwritten
  BasicTransformerWeights<float> weights = {};  // added to
};

// The backward pass, from the gradient d_out of the output: inputs, weights and options of the
// forward pass, and the traces that it filled, laid out by *_saved. Outputs may not share memory
// with anything else. Results do not depend on the number of threads. Throw Error, naming the
// layer, where shapes or options do not fit, before anything is written.
void transformer_encoder_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                  const TransformerEncoderWeights& weights,
                                  const TransformerBlockOptions& options,
                                  const std::vector<TransformerBlockTrace>& trace,
                                  const TransformerEncoderGradients& gradients,
                                  const Context& context = {});
void transformer_decoder_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                  TensorView<const float, 3> memory,
                                  const TransformerDecoderWeights& weights,
                                  const DecoderBlockOptions& options,
                                  const std::vector<DecoderBlockTrace>& trace,
                                  const TransformerDecoderGradients& gradients,
                                  const Context& context = {});
void transformer_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> source,
                          TensorView<const float, 3> target, const TransformerWeights& weights,
                          const TransformerOptions& options, const TransformerTrace& trace,
                          const TransformerGradients& gradients, const Context& context = {});

}  // namespace tril
