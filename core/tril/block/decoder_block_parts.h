// What the decoder block's way there and its way back share.
#pragma once

#include <tril/block/decoder_block.h>

namespace tril::detail {

inline MultiHeadOptions self_options(const DecoderBlockOptions& options) {
  return {
      .heads = options.heads, .kv_heads = options.kv_heads, .attention = options.self_attention};
}

inline MultiHeadOptions cross_options(const DecoderBlockOptions& options,
                                      const TensorView<const float, 3>& memory) {
  return {.heads = options.heads,
          .kv_heads = options.kv_heads,
          .context = memory,
          .attention = options.cross_attention};
}

struct DecoderSublayers {
  Sublayer first, second, third;
};
inline DecoderSublayers sublayers(const DecoderBlockWeights& weights,
                                  const DecoderBlockOptions& options,
                                  const DecoderBlockTrace& trace) {
  const auto sublayer = [&](const NormWeights& norm, const SublayerTrace& kept) {
    return Sublayer{options.norm, options.residuals, options.norms, options.eps, norm, kept};
  };
  return {sublayer(weights.norm1,
                   {trace.attention, trace.residual1, trace.normed1, trace.mean1, trace.rstd1}),
          sublayer(weights.norm2,
                   {trace.cross, trace.residual2, trace.normed2, trace.mean2, trace.rstd2}),
          sublayer(weights.norm3,
                   {trace.feed_forward, trace.residual3, trace.normed3, trace.mean3, trace.rstd3})};
}

}  // namespace tril::detail
