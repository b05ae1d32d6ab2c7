#include <tril/block/decoder_block.h>
#include <tril/foundation/check.h>

namespace tril {
namespace {

// Calls visit(index, branch, residual, normed, mean, rstd) for each sublayer, with its views of the
// trace.
template <typename Trace, typename Visit>
void visit_sublayers(Trace& trace, const Visit& visit) {
  visit(0, trace.attention, trace.residual1, trace.normed1, trace.mean1, trace.rstd1);
  visit(1, trace.cross, trace.residual2, trace.normed2, trace.mean2, trace.rstd2);
  visit(2, trace.feed_forward, trace.residual3, trace.normed3, trace.mean3, trace.rstd3);
}

}  // namespace

detail::LayerTrace detail::layer_trace(const DecoderBlockTrace& trace) {
  LayerTrace result;
  result.self_attn = trace.self_attn;
  result.multihead_attn = trace.multihead_attn;
  result.feed_forward = {trace.hidden, trace.activated};
  visit_sublayers(trace, [&](std::size_t n, const auto& branch, const auto& residual,
                             const auto& normed, const auto& mean, const auto& rstd) {
    result.sublayers[n] = {branch, residual, normed, {mean, rstd}};
  });
  return result;
}

detail::Layer detail::layer_of(const TensorView<const float, 3>& memory,
                               const DecoderBlockWeights& weights,
                               const DecoderBlockOptions& options, const DecoderBlockTrace& trace) {
  Layer layer;
  layer.weights = weights;
  layer.trace = layer_trace(trace);
  layer.order = options.norm;
  layer.norm = options.norms ? NormKind::layer_norm : NormKind::none;
  layer.residuals = options.residuals;
  layer.eps = options.eps;
  layer.activation = options.activation;
  layer.gated = options.gated;
  layer.self_attention = {.heads = options.heads,
                          .kv_heads = options.kv_heads,
                          .rotary = options.rotary,
                          .past = options.past,
                          .attention = options.self_attention};
  layer.crosses = true;
  layer.cross_attention = {.heads = options.heads,
                           .kv_heads = options.kv_heads,
                           .context = memory,
                           .past = options.memory_past,
                           .attention = options.cross_attention};
  if (options.dropout) layer.dropout = {*options.dropout, 0, 1, 2, 3, 4, 5};
  return layer;
}

void check_decoder_block(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                         const DecoderBlockWeights& weights, const DecoderBlockOptions& options,
                         TensorView<float, 3> out, const DecoderBlockTrace& trace) {
  const detail::Layer layer = detail::layer_of(memory, weights, options, trace);
  layer.check_inputs("decoder_block", x);
  layer.check("decoder_block", x, out);
}

void decoder_block(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                   const DecoderBlockWeights& weights, const DecoderBlockOptions& options,
                   TensorView<float, 3> out, const Context& context,
                   const DecoderBlockTrace& trace) {
  const detail::Layer layer = detail::layer_of(memory, weights, options, trace);
  layer.check_inputs("decoder_block", x);
  layer.check("decoder_block", x, out);
  layer.run(x, out, context);
}

DecoderBlockTrace decoder_block_saved(const Shape<3>& x, const Shape<3>& memory_shape,
                                      const DecoderBlockWeights& weights,
                                      const DecoderBlockOptions& options, SavedMemory& memory) {
  detail::Layer layer = detail::layer_of(detail::view_of_shape<3>(memory_shape), weights, options);
  layer.lay_out("decoder_block_saved", x, memory);
  DecoderBlockTrace trace;
  trace.self_attn = layer.trace.self_attn;
  trace.multihead_attn = layer.trace.multihead_attn;
  trace.hidden = layer.trace.feed_forward.hidden;
  trace.activated = layer.trace.feed_forward.activated;
  visit_sublayers(trace, [&](std::size_t n, auto& branch, auto& residual, auto& normed, auto& mean,
                             auto& rstd) {
    const detail::SublayerTrace& from = layer.trace.sublayers[n];
    branch = from.branch, residual = from.residual, normed = from.normed;
    mean = from.norm.mean, rstd = from.norm.rstd;
  });
  return trace;
}

void decoder_block_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                            TensorView<const float, 3> memory, const DecoderBlockWeights& weights,
                            const DecoderBlockOptions& options, const DecoderBlockTrace& trace,
                            const DecoderBlockGradients& gradients, const Context& context) {
  const detail::Layer layer = detail::layer_of(memory, weights, options, trace);
  const detail::LayerGradients of_layer = {gradients.d_x, gradients.d_memory, gradients.d_self_mask,
                                           gradients.d_cross_mask, gradients.weights};
  layer.check_inputs("decoder_block_backward", x);
  layer.check_backward("decoder_block_backward", d_out, x, of_layer);
  layer.backward(d_out, x, of_layer, context);
}

}  // namespace tril
