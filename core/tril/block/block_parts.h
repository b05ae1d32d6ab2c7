// What the Transformer block's and the decoder block's ways there and back share. Both are
// sublayers in a row, of which the last is feed-forward.
#pragma once

#include <tril/block/decoder_block.h>
#include <tril/block/transformer_block.h>
#include <tril/foundation/saved_memory.h>

#include <array>
#include <span>

namespace tril::detail {

// The places of dropout in each block, and how many there are.
struct EncoderPlaces {
  enum : Index { weights, attention, activated, feed_forward, count };
};
struct DecoderPlaces {
  enum : Index { weights, attention, cross_weights, cross, activated, feed_forward, count };
};

// Attention's options, with the block's dropout of its weights unless they have their own.
template <typename Options>
AttentionOptions with_dropout(const AttentionOptions& attention, const Options& options,
                              Index place, Index tokens) {
  AttentionOptions with = attention;
  if (options.dropout && !with.dropout) {
    with.dropout = options.dropout->at(place, options.heads * tokens);
  }
  return with;
}
// Over x [B, T, C].
inline MultiHeadOptions self_options(const TransformerBlockOptions& options, const Shape<3>& x) {
  return {
      .heads = options.heads,
      .kv_heads = options.kv_heads,
      .attention = with_dropout(options.attention, options, EncoderPlaces::weights, x[1]),
  };
}
inline MultiHeadOptions self_options(const DecoderBlockOptions& options, const Shape<3>& x) {
  return {
      .heads = options.heads,
      .kv_heads = options.kv_heads,
      .attention = with_dropout(options.self_attention, options, DecoderPlaces::weights, x[1]),
  };
}
inline MultiHeadOptions cross_options(const DecoderBlockOptions& options, const Shape<3>& x,
                                      const TensorView<const float, 3>& memory) {
  return {
      .heads = options.heads,
      .kv_heads = options.kv_heads,
      .context = memory,
      .attention =
          with_dropout(options.cross_attention, options, DecoderPlaces::cross_weights, x[1]),
  };
}

// Dropout in a block over [B, T, ...].
class BlockDropout {
 public:
  BlockDropout(const std::optional<DropoutPlaces>& places, Index tokens, Parallel& parallel)
      : places_(places), tokens_(tokens), parallel_(parallel) {}

  // At a place where every token has a row.
  std::optional<DropoutOptions> at(Index place) const {
    if (!places_) return {};
    return places_->at(place, tokens_);
  }
  // In place.
  void forward(const TensorView<float, 3>& x, Index place) const {
    if (places_) drop(x, *at(place), x, parallel_);
  }
  // Of a gradient; `work`, as large, is where the result lies if anything is left out.
  TensorView<const float, 3> backward(const TensorView<const float, 3>& d, Index place,
                                      const TensorView<float, 3>& work) const {
    if (!places_) return d;
    drop(d, *at(place), work, parallel_);
    return work;
  }

 private:
  const std::optional<DropoutPlaces>& places_;
  Index tokens_;
  Parallel& parallel_;
};

template <typename T>
std::array<BasicNormWeights<T>, 2> norms_of(const BasicTransformerBlockWeights<T>& weights) {
  return {weights.norm1, weights.norm2};
}
template <typename T>
std::array<BasicNormWeights<T>, 3> norms_of(const BasicDecoderBlockWeights<T>& weights) {
  return {weights.norm1, weights.norm2, weights.norm3};
}

inline std::array<SublayerTrace, 2> traces_of(const TransformerBlockTrace& trace) {
  return {{{trace.attention, trace.residual1, trace.normed1, trace.mean1, trace.rstd1},
           {trace.feed_forward, trace.residual2, trace.normed2, trace.mean2, trace.rstd2}}};
}
inline std::array<SublayerTrace, 3> traces_of(const DecoderBlockTrace& trace) {
  return {{{trace.attention, trace.residual1, trace.normed1, trace.mean1, trace.rstd1},
           {trace.cross, trace.residual2, trace.normed2, trace.mean2, trace.rstd2},
           {trace.feed_forward, trace.residual3, trace.normed3, trace.mean3, trace.rstd3}}};
}

// The sublayers of a block, first to last.
template <typename Weights, typename Options, typename Trace>
auto sublayers_of(const Weights& weights, const Options& options, const Trace& trace) {
  const auto norms = norms_of(weights);
  const auto traces = traces_of(trace);
  std::array<Sublayer, std::tuple_size_v<decltype(norms_of(weights))>> all;
  for (std::size_t n = 0; n < all.size(); ++n) {
    all[n] = {options.norm, options.residuals, options.norms, options.eps, norms[n], traces[n]};
  }
  return all;
}

// Throws Error in the name of `call` unless feed-forward and the norms, called norm1 and so on, fit
// x's width.
void check_layers(const char* call, Index width, const FeedForwardWeights& feed_forward,
                  Activation activation, std::span<const NormWeights> norms);

// Throws Error unless what the sublayers and feed-forward, `inner` wide, are to trace fits x's
// shape and lies apart from everything else. `branches`: what the trace calls their outputs.
void check_traced(OverlapCheck& overlap, const Shape<3>& x, std::span<const SublayerTrace> traces,
                  std::span<const char* const> branches, Index inner,
                  const BatchedFeedForwardTrace& feed_forward);

// Throws Error in the name of `call` unless all that the way back needs has been traced.
void check_saved(OverlapCheck& overlap, const char* call, const Shape<3>& x, NormOrder order,
                 bool norms, std::span<const SublayerTrace> traces, Index inner,
                 const BatchedFeedForwardTrace& feed_forward);

// A sublayer's part of a block's trace, to be laid out.
struct SublayerPlaces {
  TensorView<float, 3>&residual, &normed;
  MatrixView<float>&mean, &rstd;
};
// Takes what the way back needs of sublayers over x; of the last one that is not its output.
void take_saved(SavedMemory& memory, const Shape<3>& x, NormOrder order,
                std::initializer_list<SublayerPlaces> sublayers);

}  // namespace tril::detail
