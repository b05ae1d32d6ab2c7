#include <tril/block/transformer_block.h>
#include <tril/block/transformer_block_parts.h>
#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>
#include <tril/layers/layer_norm.h>

namespace tril {
namespace {

constexpr const char* kCall = "transformer_block";

}  // namespace

void check_transformer_block(TensorView<const float, 3> x, const TransformerBlockWeights& weights,
                             const TransformerBlockOptions& options, TensorView<float, 3> out,
                             const TransformerBlockTrace& trace) {
  check_view(x, kCall, "x");
  check_view(out, kCall, "out");
  const Shape<3> shape = x.shape();
  check_feed_forward(kCall, shape[2], {weights.linear1, weights.linear2}, options.activation);
  detail::check_norm(kCall, "norm1", weights.norm1, shape[2]);
  detail::check_norm(kCall, "norm2", weights.norm2, shape[2]);
  check_eps(options.eps, kCall);

  detail::OverlapCheck overlap(kCall);
  overlap.reads(x), overlap.reads_all(weights);
  const Shape<3> inner = {shape[0], shape[1], weights.linear1.weight.size(0)};
  overlap.writes(out, shape, "out", "the shape of x");
  overlap.writes(trace.attention, shape, "trace.attention", "the shape of x");
  overlap.writes(trace.residual1, shape, "trace.residual1", "the shape of x");
  overlap.writes(trace.normed1, shape, "trace.normed1", "the shape of x");
  overlap.writes(trace.hidden, inner, "trace.hidden", "as wide as linear1");
  overlap.writes(trace.activated, inner, "trace.activated", "as wide as linear1");
  overlap.writes(trace.feed_forward, shape, "trace.feed_forward", "the shape of x");
  overlap.writes(trace.residual2, shape, "trace.residual2", "the shape of x");
  overlap.writes(trace.normed2, shape, "trace.normed2", "the shape of x");
  const Shape<2> tokens = {shape[0], shape[1]};
  overlap.writes(trace.mean1, tokens, "trace.mean1", "a number a token");
  overlap.writes(trace.rstd1, tokens, "trace.rstd1", "a number a token");
  overlap.writes(trace.mean2, tokens, "trace.mean2", "a number a token");
  overlap.writes(trace.rstd2, tokens, "trace.rstd2", "a number a token");
  detail::check_apart(overlap, "trace.self_attn", trace.self_attn);
  detail::check_part(kCall, "self_attn", [&] {
    check_multi_head_attention(x, weights.self_attn, detail::attention_options(options), out,
                               trace.self_attn);
  });
}

void transformer_block(TensorView<const float, 3> x, const TransformerBlockWeights& weights,
                       const TransformerBlockOptions& options, TensorView<float, 3> out,
                       Scratch& scratch, Parallel& parallel, const TransformerBlockTrace& trace,
                       const PreparedWeights* prepared) {
  check_transformer_block(x, weights, options, out, trace);
  detail::run_transformer_block(x, weights, options, out, scratch, parallel, trace, prepared);
}

void detail::run_transformer_block(const TensorView<const float, 3>& x,
                                   const TransformerBlockWeights& weights,
                                   const TransformerBlockOptions& options,
                                   const TensorView<float, 3>& out, Scratch& scratch,
                                   Parallel& parallel, const TransformerBlockTrace& trace,
                                   const PreparedWeights* prepared) {
  const auto attend = [&](const auto& in, const auto& out) {
    multi_head_attention(in, weights.self_attn, detail::attention_options(options), out, scratch,
                         parallel, trace.self_attn, prepared);
  };
  const auto feed = [&](const auto& in, const auto& out) {
    detail::feed_forward(in, {weights.linear1, weights.linear2}, options.activation, out, scratch,
                         parallel, {trace.hidden, trace.activated}, prepared);
  };
  const auto [first, second] = detail::sublayers(weights, options, trace);
  // What is traced is computed where the trace wants it.
  detail::WorkPlaces places(scratch, x.shape());
  const TensorView<float, 3> between = places.or_new(first.outer_trace());
  first.run(x, attend, places.or_shared(first.inner_trace()), between, parallel);
  second.run(between, feed, places.or_shared(second.inner_trace()), out, parallel);
}

}  // namespace tril
