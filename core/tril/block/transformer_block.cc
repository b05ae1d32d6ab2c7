#include <tril/block/block_parts.h>
#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>
#include <tril/layers/layer_norm.h>

namespace tril {
namespace {

constexpr const char* kCall = "transformer_block";
constexpr const char* kBranches[] = {"trace.attention", "trace.feed_forward"};

}  // namespace

void check_transformer_block(TensorView<const float, 3> x, const TransformerBlockWeights& weights,
                             const TransformerBlockOptions& options, TensorView<float, 3> out,
                             const TransformerBlockTrace& trace) {
  check_view(x, kCall, "x", empty_but_wide(x));
  check_view(out, kCall, "out", empty_but_wide(out));
  const Shape<3> shape = x.shape();
  detail::check_layers(kCall, shape[2], {weights.linear1, weights.linear2}, options.activation,
                       detail::norms_of(weights));
  check_eps(options.eps, kCall);
  if (options.dropout) check_dropout(*options.dropout, kCall);

  detail::OverlapCheck overlap(kCall);
  overlap.reads(x), overlap.reads_all(weights);
  overlap.writes(out, shape, "out", "the shape of x");
  detail::check_traced(overlap, shape, detail::traces_of(trace), kBranches,
                       weights.linear1.weight.size(0), {trace.hidden, trace.activated});
  detail::check_traced(overlap, "trace.self_attn", trace.self_attn);
  detail::check_part(kCall, "self_attn", [&] {
    check_multi_head_attention(x, weights.self_attn, detail::self_options(options, shape), out,
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
  const BlockDropout dropout(options.dropout, x.size(1), parallel);
  const auto attend = [&](const auto& in, const auto& out) {
    run_multi_head_attention(in, weights.self_attn, self_options(options, x.shape()), out, scratch,
                             parallel, trace.self_attn, prepared);
    dropout.forward(out, EncoderPlaces::attention);
  };
  const auto feed = [&](const auto& in, const auto& out) {
    detail::feed_forward(in, {weights.linear1, weights.linear2}, options.activation, out, scratch,
                         parallel, {trace.hidden, trace.activated}, prepared,
                         dropout.at(EncoderPlaces::activated));
    dropout.forward(out, EncoderPlaces::feed_forward);
  };
  const auto [first, second] = detail::sublayers_of(weights, options, trace);
  // What is traced is computed where the trace wants it.
  detail::WorkPlaces places(scratch, x.shape());
  const TensorView<float, 3> between = places.or_new(first.outer_trace());
  first.run(x, attend, places.or_shared(first.inner_trace()), between, parallel);
  second.run(between, feed, places.or_shared(second.inner_trace()), out, parallel);
}

}  // namespace tril
