#include <tril/block/transformer_block.h>

namespace tril {
namespace {

// Calls visit(index, branch, residual, normed, mean, rstd) for each sublayer, with its views of the
// trace.
template <typename Trace, typename Visit>
void visit_sublayers(Trace& trace, const Visit& visit) {
  visit(0, trace.attention, trace.residual1, trace.normed1, trace.mean1, trace.rstd1);
  visit(1, trace.feed_forward, trace.residual2, trace.normed2, trace.mean2, trace.rstd2);
}

}  // namespace

detail::LayerTrace detail::layer_trace(const TransformerBlockTrace& trace) {
  LayerTrace result;
  result.self_attn = trace.self_attn;
  result.feed_forward = {trace.hidden, trace.activated};
  visit_sublayers(trace, [&](std::size_t n, const auto& branch, const auto& residual,
                             const auto& normed, const auto& mean, const auto& rstd) {
    result.sublayers[n] = {branch, residual, normed, {mean, rstd}};
  });
  return result;
}

detail::Layer detail::layer_of(const TransformerBlockWeights& weights,
                               const TransformerBlockOptions& options,
                               const TransformerBlockTrace& trace) {
  Layer layer;
  layer.weights = layer_weights(weights);
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
                          .attention = options.attention};
  if (options.dropout) {
    layer.dropout = {*options.dropout, 0, 1, -1, -1, 2, 3};
  }
  return layer;
}

void check_transformer_block(TensorView<const float, 3> x, const TransformerBlockWeights& weights,
                             const TransformerBlockOptions& options, TensorView<float, 3> out,
                             const TransformerBlockTrace& trace) {
  const detail::Layer layer = detail::layer_of(weights, options, trace);
  layer.check_inputs("transformer_block", x);
  layer.check("transformer_block", x, out);
}

void transformer_block(TensorView<const float, 3> x, const TransformerBlockWeights& weights,
                       const TransformerBlockOptions& options, TensorView<float, 3> out,
                       const Context& context, const TransformerBlockTrace& trace) {
  const detail::Layer layer = detail::layer_of(weights, options, trace);
  layer.check_inputs("transformer_block", x);
  layer.check("transformer_block", x, out);
  layer.run(x, out, context);
}

TransformerBlockTrace transformer_block_saved(const Shape<3>& x,
                                              const TransformerBlockWeights& weights,
                                              const TransformerBlockOptions& options,
                                              SavedMemory& memory) {
  detail::Layer layer = detail::layer_of(weights, options);
  layer.lay_out("transformer_block_saved", x, memory);
  TransformerBlockTrace trace;
  trace.self_attn = layer.trace.self_attn;
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

void transformer_block_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                const TransformerBlockWeights& weights,
                                const TransformerBlockOptions& options,
                                const TransformerBlockTrace& trace,
                                const TransformerBlockGradients& gradients,
                                const Context& context) {
  const detail::Layer layer = detail::layer_of(weights, options, trace);
  const detail::LayerGradients of_layer = {.d_x = gradients.d_x,
                                           .d_self_mask = gradients.d_mask,
                                           .weights = detail::layer_weights(gradients.weights)};
  layer.check_inputs("transformer_block_backward", x);
  layer.check_backward("transformer_block_backward", d_out, x, of_layer);
  layer.backward(d_out, x, of_layer, context);
}

}  // namespace tril
