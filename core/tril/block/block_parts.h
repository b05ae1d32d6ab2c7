// What the Transformer block's way there and its way back share.
#pragma once

#include <tril/block/transformer_block.h>

namespace tril::detail {

inline MultiHeadOptions attention_options(const TransformerBlockOptions& options) {
  return {.heads = options.heads, .kv_heads = options.kv_heads, .attention = options.attention};
}

struct BlockSublayers {
  Sublayer first, second;
};
inline BlockSublayers sublayers(const TransformerBlockWeights& weights,
                                const TransformerBlockOptions& options,
                                const TransformerBlockTrace& trace) {
  const auto sublayer = [&](const NormWeights& norm, const SublayerTrace& kept) {
    return Sublayer{options.norm, options.residuals, options.norms, options.eps, norm, kept};
  };
  return {sublayer(weights.norm1,
                   {trace.attention, trace.residual1, trace.normed1, trace.mean1, trace.rstd1}),
          sublayer(weights.norm2,
                   {trace.feed_forward, trace.residual2, trace.normed2, trace.mean2, trace.rstd2})};
}

}  // namespace tril::detail
