// What the forward and the backward pass of stacks of blocks share.
#pragma once

#include <tril/block/transformer.h>

#include <type_traits>

namespace tril::detail {

// Where the trace of a block has the block's output.
template <typename Trace>
auto& block_output(NormOrder order, Trace& trace) noexcept {
  if constexpr (requires { trace.normed3; }) {  // a decoder's
    return order == NormOrder::post ? trace.normed3 : trace.residual3;
  } else {
    return order == NormOrder::post ? trace.normed2 : trace.residual2;
  }
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
// The decoder's dropout is at the places after those of an encoder of so many layers.
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
