#include <tril/block/block_parts.h>
#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>
#include <tril/layers/layer_norm.h>

namespace tril {
namespace {

constexpr const char* kCall = "decoder_block";
constexpr const char* kBranches[] = {"trace.attention", "trace.cross", "trace.feed_forward"};

}  // namespace

void check_memory(const TensorView<const float, 3>& memory, const TensorView<const float, 3>& x,
                  const char* call) {
  check_view(memory, call, "memory", empty_but_wide(memory));
  if (memory.size(0) == x.size(0)) return;
  fail(call, "memory", {"must have x's batches; memory is ", memory, ", x is ", x});
}

void check_decoder_block(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                         const DecoderBlockWeights& weights, const DecoderBlockOptions& options,
                         TensorView<float, 3> out, const DecoderBlockTrace& trace) {
  check_view(x, kCall, "x", empty_but_wide(x));
  check_memory(memory, x, kCall);
  check_view(out, kCall, "out", empty_but_wide(out));
  const Shape<3> shape = x.shape();
  detail::check_layers(kCall, shape[2], {weights.linear1, weights.linear2}, options.activation,
                       detail::norms_of(weights));
  check_eps(options.eps, kCall);
  if (options.dropout) check_dropout(*options.dropout, kCall);

  detail::OverlapCheck overlap(kCall);
  overlap.reads(x), overlap.reads(memory), overlap.reads_all(weights);
  overlap.writes(out, shape, "out", "the shape of x");
  detail::check_traced(overlap, shape, detail::traces_of(trace), kBranches,
                       weights.linear1.weight.size(0), {trace.hidden, trace.activated});
  detail::check_traced(overlap, "trace.self_attn", trace.self_attn);
  detail::check_traced(overlap, "trace.multihead_attn", trace.multihead_attn);
  detail::check_part(kCall, "self_attn", [&] {
    check_multi_head_attention(x, weights.self_attn, detail::self_options(options, shape), out,
                               trace.self_attn);
  });
  detail::check_part(kCall, "multihead_attn", [&] {
    check_multi_head_attention(x, weights.multihead_attn,
                               detail::cross_options(options, shape, memory), out,
                               trace.multihead_attn);
  });
}

void decoder_block(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                   const DecoderBlockWeights& weights, const DecoderBlockOptions& options,
                   TensorView<float, 3> out, Scratch& scratch, Parallel& parallel,
                   const DecoderBlockTrace& trace, const PreparedWeights* prepared) {
  check_decoder_block(x, memory, weights, options, out, trace);
  detail::run_decoder_block(x, memory, weights, options, out, scratch, parallel, trace, prepared);
}

void detail::run_decoder_block(const TensorView<const float, 3>& x,
                               const TensorView<const float, 3>& memory,
                               const DecoderBlockWeights& weights,
                               const DecoderBlockOptions& options, const TensorView<float, 3>& out,
                               Scratch& scratch, Parallel& parallel, const DecoderBlockTrace& trace,
                               const PreparedWeights* prepared) {
  const BlockDropout dropout(options.dropout, x.size(1), parallel);
  const auto look_back = [&](const auto& in, const auto& out) {
    run_multi_head_attention(in, weights.self_attn, self_options(options, x.shape()), out, scratch,
                             parallel, trace.self_attn, prepared);
    dropout.forward(out, DecoderPlaces::attention);
  };
  const auto look_across = [&](const auto& in, const auto& out) {
    run_multi_head_attention(in, weights.multihead_attn, cross_options(options, x.shape(), memory),
                             out, scratch, parallel, trace.multihead_attn, prepared);
    dropout.forward(out, DecoderPlaces::cross);
  };
  const auto feed = [&](const auto& in, const auto& out) {
    detail::feed_forward(in, {weights.linear1, weights.linear2}, options.activation, out, scratch,
                         parallel, {trace.hidden, trace.activated}, prepared,
                         dropout.at(DecoderPlaces::activated));
    dropout.forward(out, DecoderPlaces::feed_forward);
  };
  const auto [first, second, third] = detail::sublayers_of(weights, options, trace);
  // What is traced is computed where the trace wants it.
  detail::WorkPlaces places(scratch, x.shape());
  const TensorView<float, 3> looked_back = places.or_new(first.outer_trace());
  const TensorView<float, 3> looked_across = places.or_new(second.outer_trace());
  first.run(x, look_back, places.or_shared(first.inner_trace()), looked_back, parallel);
  second.run(looked_back, look_across, places.or_shared(second.inner_trace()), looked_across,
             parallel);
  third.run(looked_across, feed, places.or_shared(third.inner_trace()), out, parallel);
}

}  // namespace tril
