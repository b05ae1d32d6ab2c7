// What the way through stacks of blocks and the way back share.
#pragma once

#include <tril/block/transformer.h>

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
          .attention = options.source_attention};
}
inline DecoderBlockOptions decoder_options(const TransformerOptions& options) {
  return {.heads = options.heads,
          .kv_heads = options.kv_heads,
          .norm = options.norm,
          .activation = options.activation,
          .eps = options.eps,
          .self_attention = options.target_attention,
          .cross_attention = options.memory_attention};
}

}  // namespace tril::detail
