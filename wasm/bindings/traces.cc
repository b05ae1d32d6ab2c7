#include "traces.h"

#include <algorithm>

namespace tril::js {

Index MultiHeadShape::head_width(const MultiHeadWeights& weights, Index heads) {
  if (!weights.out_proj_weight || heads < 1) return 1;
  return std::max<Index>(1, weights.out_proj_weight.size(1) / heads);
}

AttentionTrace Traces::attention(const Shape<4>& scores, bool softcap) const {
  AttentionTrace trace;
  trace.scores = make("scores", scores);
  if (softcap) trace.capped = make("capped", scores);
  trace.masked = make("masked", scores);
  trace.weights = make("weights", scores);
  return trace;
}

MultiHeadTrace Traces::multi_head(const MultiHeadShape& s) const {
  const Shape<4> query{s.batches, s.heads, s.queries, s.width};
  const Shape<4> key{s.batches, s.kv_heads == 0 ? s.heads : s.kv_heads, s.keys, s.width};
  MultiHeadTrace trace;
  trace.queries = make("queries", query);
  trace.keys = make("keys", key);
  trace.values = make("values", key);
  trace.attention = attention({s.batches, s.heads, s.queries, s.past + s.keys}, s.softcap);
  trace.heads = make("heads", query);
  return trace;
}

TransformerBlockTrace Traces::transformer_block(const Shape<3>& x, Index hidden,
                                                const MultiHeadShape& attention) const {
  const Shape<3> inner{x[0], x[1], hidden};
  TransformerBlockTrace trace;
  trace.self_attn = multi_head(attention);
  trace.attention = make("attention", x);
  trace.residual1 = make("residual1", x);
  trace.normed1 = make("normed1", x);
  trace.hidden = make("hidden", inner);
  trace.activated = make("activated", inner);
  trace.feed_forward = make("feedForward", x);
  trace.residual2 = make("residual2", x);
  trace.normed2 = make("normed2", x);
  return trace;
}

DecoderBlockTrace Traces::decoder_block(const Shape<3>& x, Index hidden,
                                        const MultiHeadShape& attention,
                                        const MultiHeadShape& cross) const {
  const Shape<3> inner{x[0], x[1], hidden};
  DecoderBlockTrace trace;
  trace.self_attn = multi_head(attention);
  trace.multihead_attn = part("crossAttention").multi_head(cross);
  trace.attention = make("attention", x);
  trace.residual1 = make("residual1", x);
  trace.normed1 = make("normed1", x);
  trace.cross = make("cross", x);
  trace.residual2 = make("residual2", x);
  trace.normed2 = make("normed2", x);
  trace.hidden = make("hidden", inner);
  trace.activated = make("activated", inner);
  trace.feed_forward = make("feedForward", x);
  trace.residual3 = make("residual3", x);
  trace.normed3 = make("normed3", x);
  return trace;
}

}  // namespace tril::js
