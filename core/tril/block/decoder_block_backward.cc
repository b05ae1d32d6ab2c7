#include <tril/block/block_parts.h>
#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>

namespace tril {
namespace {

constexpr const char* kCall = "decoder_block_backward";

}  // namespace

void check_decoder_block_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                  TensorView<const float, 3> memory,
                                  const DecoderBlockWeights& weights,
                                  const DecoderBlockOptions& options,
                                  const DecoderBlockTrace& trace,
                                  const DecoderBlockGradients& gradients) {
  check_view(x, kCall, "x", empty_but_wide(x));
  check_memory(memory, x, kCall);
  const Shape<3> shape = x.shape();
  detail::check_layers(kCall, shape[2], {weights.linear1, weights.linear2}, options.activation,
                       detail::norms_of(weights));
  if (options.dropout) check_dropout(*options.dropout, kCall);
  check_shape(d_out, shape, kCall, "d_out", "the shape of x");
  detail::OverlapCheck overlap(kCall);
  overlap.reads(d_out), overlap.reads(x), overlap.reads(memory), overlap.reads_all(weights);
  detail::check_saved(overlap, kCall, shape, options.norm, options.norms, detail::traces_of(trace),
                      weights.linear1.weight.size(0), {trace.hidden, trace.activated});
  overlap.writes(gradients.d_x, shape, "d_x", "the shape of x");
  overlap.writes(gradients.d_memory, memory.shape(), "d_memory", "the shape of the memory");
  const Index batches = shape[0], tokens = shape[1];
  overlap.writes(gradients.d_self_mask, {batches, options.heads, tokens, tokens}, "d_self_mask",
                 "that of the scores");
  overlap.writes(gradients.d_cross_mask, {batches, options.heads, tokens, memory.size(1)},
                 "d_cross_mask", "that of the scores");
  overlap.writes_gradients(gradients.weights, weights);
  detail::check_part(kCall, "self_attn", [&] {
    check_multi_head_attention_backward(d_out, x, weights.self_attn,
                                        detail::self_options(options, shape), trace.self_attn,
                                        {.d_x = gradients.d_x,
                                         .d_mask = gradients.d_self_mask,
                                         .weights = gradients.weights.self_attn});
  });
  detail::check_part(kCall, "multihead_attn", [&] {
    check_multi_head_attention_backward(d_out, x, weights.multihead_attn,
                                        detail::cross_options(options, shape, memory),
                                        trace.multihead_attn,
                                        {.d_x = gradients.d_x,
                                         .d_context = gradients.d_memory,
                                         .d_mask = gradients.d_cross_mask,
                                         .weights = gradients.weights.multihead_attn});
  });
}

DecoderBlockTrace decoder_block_saved(const Shape<3>& x, const Shape<3>& memory_shape,
                                      const DecoderBlockWeights& weights,
                                      const DecoderBlockOptions& options, SavedMemory& memory) {
  constexpr const char* kSaved = "decoder_block_saved";
  check_feed_forward(kSaved, x[2], {weights.linear1, weights.linear2}, options.activation);
  DecoderBlockTrace trace;
  detail::take_saved(memory, x, options.norm,
                     {{trace.residual1, trace.normed1, trace.mean1, trace.rstd1},
                      {trace.residual2, trace.normed2, trace.mean2, trace.rstd2},
                      {trace.residual3, trace.normed3, trace.mean3, trace.rstd3}});
  detail::check_part(kSaved, "self_attn", [&] {
    trace.self_attn =
        multi_head_attention_saved(x, weights.self_attn, detail::self_options(options, x), memory);
  });
  detail::check_part(kSaved, "multihead_attn", [&] {
    const auto context = detail::view_of_shape<3>(memory_shape);
    trace.multihead_attn = multi_head_attention_saved(
        x, weights.multihead_attn, detail::cross_options(options, x, context), memory);
  });
  const Index inner = weights.linear1.weight.size(0);
  trace.hidden = memory.take(x[0], x[1], inner);
  trace.activated = memory.take(x[0], x[1], inner);
  return trace;
}

void decoder_block_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                            TensorView<const float, 3> memory, const DecoderBlockWeights& weights,
                            const DecoderBlockOptions& options, const DecoderBlockTrace& trace,
                            const DecoderBlockGradients& gradients, Scratch& scratch,
                            Parallel& parallel) {
  check_decoder_block_backward(d_out, x, memory, weights, options, trace, gradients);
  detail::run_decoder_block_backward(d_out, x, memory, weights, options, trace, gradients, scratch,
                                     parallel);
}

// d_across = back through feed-forward's sublayer (d_out)
// d_back = back through cross-attention's (d_across), and d_memory
// d_x = back through self-attention's (d_back)
void detail::run_decoder_block_backward(
    const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
    const TensorView<const float, 3>& memory, const DecoderBlockWeights& weights,
    const DecoderBlockOptions& options, const DecoderBlockTrace& trace,
    const DecoderBlockGradients& gradients, Scratch& scratch, Parallel& parallel) {
  const BasicDecoderBlockWeights<float>& d_weights = gradients.weights;
  Scratch::Frame frame(scratch);
  const auto take = [&] { return TensorView<float, 3>(frame.take<float>(x.count()), x.shape()); };
  const TensorView<float, 3> work = take(), d_across = take(), d_back = take();
  const TensorView<float, 3> dropped = options.dropout ? take() : TensorView<float, 3>();
  const BlockDropout dropout(options.dropout, x.size(1), parallel);
  const auto look_back = [&](const auto& d, const auto& in, const auto& d_in) {
    run_multi_head_attention_backward(
        dropout.backward(d, DecoderPlaces::attention, dropped), in, weights.self_attn,
        self_options(options, x.shape()), trace.self_attn,
        {.d_x = d_in, .d_mask = gradients.d_self_mask, .weights = d_weights.self_attn}, scratch,
        parallel);
  };
  const auto look_across = [&](const auto& d, const auto& in, const auto& d_in) {
    run_multi_head_attention_backward(
        dropout.backward(d, DecoderPlaces::cross, dropped), in, weights.multihead_attn,
        cross_options(options, x.shape(), memory), trace.multihead_attn,
        {.d_x = d_in,
         .d_context = gradients.d_memory,
         .d_mask = gradients.d_cross_mask,
         .weights = d_weights.multihead_attn},
        scratch, parallel);
  };
  const auto feed = [&](const auto& d, const auto& in, const auto& d_in) {
    feed_forward_backward(dropout.backward(d, DecoderPlaces::feed_forward, dropped), in,
                          {weights.linear1, weights.linear2}, options.activation,
                          {trace.hidden, trace.activated}, d_in,
                          {d_weights.linear1, d_weights.linear2}, scratch, parallel,
                          dropout.at(DecoderPlaces::activated));
  };
  const auto [first, second, third] = sublayers_of(weights, options, trace);
  third.run_backward(d_out, second.outer_trace(), feed, work, {d_across, d_weights.norm3}, scratch,
                     parallel);
  second.run_backward(d_across, first.outer_trace(), look_across, work, {d_back, d_weights.norm2},
                      scratch, parallel);
  first.run_backward(d_back, x, look_back, work, {gradients.d_x, d_weights.norm1}, scratch,
                     parallel);
}

}  // namespace tril
