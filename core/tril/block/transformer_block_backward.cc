#include <tril/block/block_parts.h>
#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>

namespace tril {
namespace {

constexpr const char* kCall = "transformer_block_backward";

}  // namespace

void check_transformer_block_backward(TensorView<const float, 3> d_out,
                                      TensorView<const float, 3> x,
                                      const TransformerBlockWeights& weights,
                                      const TransformerBlockOptions& options,
                                      const TransformerBlockTrace& trace,
                                      const TransformerBlockGradients& gradients) {
  check_view(x, kCall, "x", empty_but_wide(x));
  const Shape<3> shape = x.shape();
  detail::check_layers(kCall, shape[2], {weights.linear1, weights.linear2}, options.activation,
                       detail::norms_of(weights));
  if (options.dropout) check_dropout(*options.dropout, kCall);
  check_shape(d_out, shape, kCall, "d_out", "the shape of x");
  detail::OverlapCheck overlap(kCall);
  overlap.reads(d_out), overlap.reads(x), overlap.reads_all(weights);
  detail::check_saved(overlap, kCall, shape, options.norm, options.norms, detail::traces_of(trace),
                      weights.linear1.weight.size(0), {trace.hidden, trace.activated});
  overlap.writes(gradients.d_x, shape, "d_x", "the shape of x");
  overlap.writes(gradients.d_mask, {shape[0], options.heads, shape[1], shape[1]}, "d_mask",
                 "that of the scores");
  overlap.writes_gradients(gradients.weights, weights);
  detail::check_part(kCall, "self_attn", [&] {
    check_multi_head_attention_backward(
        d_out, x, weights.self_attn, detail::self_options(options, shape), trace.self_attn,
        {.d_x = gradients.d_x, .d_mask = gradients.d_mask, .weights = gradients.weights.self_attn});
  });
}

TransformerBlockTrace transformer_block_saved(const Shape<3>& x,
                                              const TransformerBlockWeights& weights,
                                              const TransformerBlockOptions& options,
                                              SavedMemory& memory) {
  constexpr const char* kSaved = "transformer_block_saved";
  check_feed_forward(kSaved, x[2], {weights.linear1, weights.linear2}, options.activation);
  TransformerBlockTrace trace;
  detail::take_saved(memory, x, options.norm,
                     {{trace.residual1, trace.normed1, trace.mean1, trace.rstd1},
                      {trace.residual2, trace.normed2, trace.mean2, trace.rstd2}});
  detail::check_part(kSaved, "self_attn", [&] {
    trace.self_attn =
        multi_head_attention_saved(x, weights.self_attn, detail::self_options(options, x), memory);
  });
  const Index inner = weights.linear1.weight.size(0);
  trace.hidden = memory.take(x[0], x[1], inner);
  trace.activated = memory.take(x[0], x[1], inner);
  return trace;
}

void transformer_block_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                const TransformerBlockWeights& weights,
                                const TransformerBlockOptions& options,
                                const TransformerBlockTrace& trace,
                                const TransformerBlockGradients& gradients, Scratch& scratch,
                                Parallel& parallel) {
  check_transformer_block_backward(d_out, x, weights, options, trace, gradients);
  detail::run_transformer_block_backward(d_out, x, weights, options, trace, gradients, scratch,
                                         parallel);
}

// d_between = back through feed-forward's sublayer (d_out);  d_x = back through attention's
void detail::run_transformer_block_backward(const TensorView<const float, 3>& d_out,
                                            const TensorView<const float, 3>& x,
                                            const TransformerBlockWeights& weights,
                                            const TransformerBlockOptions& options,
                                            const TransformerBlockTrace& trace,
                                            const TransformerBlockGradients& gradients,
                                            Scratch& scratch, Parallel& parallel) {
  Scratch::Frame frame(scratch);
  const auto take = [&] { return TensorView<float, 3>(frame.take<float>(x.count()), x.shape()); };
  const TensorView<float, 3> work = take(), d_between = take();
  const TensorView<float, 3> dropped = options.dropout ? take() : TensorView<float, 3>();
  const BlockDropout dropout(options.dropout, x.size(1), parallel);
  const auto attend = [&](const auto& d, const auto& in, const auto& d_in) {
    run_multi_head_attention_backward(
        dropout.backward(d, EncoderPlaces::attention, dropped), in, weights.self_attn,
        self_options(options, x.shape()), trace.self_attn,
        {.d_x = d_in, .d_mask = gradients.d_mask, .weights = gradients.weights.self_attn}, scratch,
        parallel);
  };
  const auto feed = [&](const auto& d, const auto& in, const auto& d_in) {
    feed_forward_backward(dropout.backward(d, EncoderPlaces::feed_forward, dropped), in,
                          {weights.linear1, weights.linear2}, options.activation,
                          {trace.hidden, trace.activated}, d_in,
                          {gradients.weights.linear1, gradients.weights.linear2}, scratch, parallel,
                          dropout.at(EncoderPlaces::activated));
  };
  const auto [first, second] = sublayers_of(weights, options, trace);
  second.run_backward(d_out, first.outer_trace(), feed, work, {d_between, gradients.weights.norm2},
                      scratch, parallel);
  first.run_backward(d_between, x, attend, work, {gradients.d_x, gradients.weights.norm1}, scratch,
                     parallel);
}

}  // namespace tril
