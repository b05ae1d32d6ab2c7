// What the forward and the backward pass of stacks of blocks share.
#pragma once

#include <tril/block/transformer.h>

#include <type_traits>

namespace tril::detail {

// Where the trace of a block has the block's output.
inline TensorView<float, 3>& block_output(NormOrder order, TransformerBlockTrace& trace) noexcept {
  return order == NormOrder::post ? trace.normed2 : trace.residual2;
}
inline TensorView<float, 3>& block_output(NormOrder order, DecoderBlockTrace& trace) noexcept {
  return order == NormOrder::post ? trace.normed3 : trace.residual3;
}
template <typename Trace>
const TensorView<float, 3>& block_output(NormOrder order, const Trace& trace) noexcept {
  return block_output(order, const_cast<Trace&>(trace));
}

// The options of a whole Transformer, for each of its stacks.
inline TransformerBlockOptions encoder_options(const TransformerOptions& options) {
  return {.heads = options.heads,
          .kv_heads = options.kv_heads,
          .norm = options.norm,
          .activation = options.activation,
          .eps = options.eps,
          .attention = options.source_attention,
          .dropout = options.dropout,
          .gated = options.gated,
          .rotary = options.rotary};
}
// The decoder's dropout is at the places behind those of an encoder of so many layers.
inline DecoderBlockOptions decoder_options(const TransformerOptions& options,
                                           std::size_t encoder_layers) {
  DecoderBlockOptions of_decoder = {.heads = options.heads,
                                    .kv_heads = options.kv_heads,
                                    .norm = options.norm,
                                    .activation = options.activation,
                                    .eps = options.eps,
                                    .self_attention = options.target_attention,
                                    .cross_attention = options.memory_attention,
                                    .gated = options.gated,
                                    .rotary = options.rotary};
  if (options.dropout) {
    of_decoder.dropout =
        options.dropout->after(kBlockDropoutPlaces * static_cast<Index>(encoder_layers));
  }
  return of_decoder;
}

// The options of a stack, for one of its layers: each leaves out at places of its own.
template <typename Options>
Options layer_options(const Options& options, std::size_t layer) {
  constexpr Index kPlaces = std::is_same_v<Options, TransformerBlockOptions>
                                ? kBlockDropoutPlaces
                                : kDecoderDropoutPlaces;
  Options of_layer = options;
  if (options.dropout) {
    of_layer.dropout = options.dropout->after(kPlaces * static_cast<Index>(layer));
  }
  return of_layer;
}

}  // namespace tril::detail
