#include <tril/block/stack.h>
#include <tril/foundation/check.h>
#include <tril/layers/layer_norm.h>

namespace tril::detail {
namespace {

template <typename T>
BasicTransformerDecoderWeights<T> stack_weights(const BasicTransformerEncoderWeights<T>& encoder) {
  BasicTransformerDecoderWeights<T> stack;
  for (const auto& block : encoder.layers) stack.layers.push_back(layer_weights(block));
  stack.norm = encoder.norm;
  return stack;
}

template <typename Trace>
std::vector<LayerTrace> layer_traces(const std::vector<Trace>& traces) {
  std::vector<LayerTrace> result;
  for (const Trace& each : traces) result.push_back(layer_trace(each));
  return result;
}

// The weight gradients of a layer; null views if none are asked for.
BasicLayerWeights<float> layer_gradients(const TransformerDecoderGradients& gradients,
                                         std::size_t n) {
  const auto& layers = gradients.weights.layers;
  return layers.empty() ? BasicLayerWeights<float>{} : layers[n];
}

}  // namespace

Stack stack_of(const TransformerEncoderWeights& weights, const TransformerBlockOptions& options,
               const std::vector<TransformerBlockTrace>& trace) {
  return {layer_of({}, options), stack_weights(weights), layer_traces(trace)};
}

Stack stack_of(const TensorView<const float, 3>& memory, const TransformerDecoderWeights& weights,
               const DecoderBlockOptions& options, const std::vector<DecoderBlockTrace>& trace) {
  return {layer_of(memory, {}, options), weights, layer_traces(trace)};
}

TransformerBlockOptions encoder_options(const TransformerOptions& options) {
  return {.heads = options.heads,
          .kv_heads = options.kv_heads,
          .norm = options.norm,
          .activation = options.activation,
          .eps = options.eps,
          .attention = options.source_attention,
          .dropout = options.dropout,
          .gated = options.gated,
          .rotary = options.rotary};
}

DecoderBlockOptions decoder_options(const TransformerOptions& options, std::size_t encoder_layers) {
  DecoderBlockOptions of_decoder = {.heads = options.heads,
                                    .kv_heads = options.kv_heads,
                                    .norm = options.norm,
                                    .activation = options.activation,
                                    .eps = options.eps,
                                    .self_attention = options.target_attention,
                                    .cross_attention = options.memory_attention,
                                    .gated = options.gated,
                                    .rotary = options.rotary};
  if (options.dropout) {
    of_decoder.dropout =
        options.dropout->after(kBlockDropoutPlaces * static_cast<Index>(encoder_layers));
  }
  return of_decoder;
}

TransformerDecoderGradients gradients_of(const TransformerEncoderGradients& gradients) {
  return {gradients.d_x, {}, stack_weights(gradients.weights)};
}

Layer Stack::layer(std::size_t n) const {
  Layer result = like;
  result.weights = weights.layers[n];
  if (!traces.empty()) result.trace = traces[n];
  if (like.dropout) {
    const Index places = like.crosses ? kDecoderDropoutPlaces : kBlockDropoutPlaces;
    result.dropout->places = like.dropout->places.after(places * static_cast<Index>(n));
  }
  return result;
}

void Stack::reads_traces(OverlapCheck& overlap) const {
  for (const LayerTrace& trace : traces) {
    overlap.reads_trace(trace.self_attn), overlap.reads_trace(trace.multihead_attn);
    for (const SublayerTrace& each : trace.sublayers) {
      overlap.reads(each.residual), overlap.reads(each.normed);
      overlap.reads(each.norm.mean), overlap.reads(each.norm.rstd);
    }
    overlap.reads(trace.feed_forward.hidden), overlap.reads(trace.feed_forward.activated);
  }
}

void Stack::check(const char* call, const TensorView<const float, 3>& x,
                  const TensorView<float, 3>& out) const {
  const std::size_t count = weights.layers.size();
  like.refuse_past(call, "each layer of a stack would need one of its own");
  like.check_inputs(call, x);
  if (like.dropout) check_dropout(like.dropout->places, call);
  check_shape(out, x.shape(), call, "out", "the shape of x");
  if (count == 0) fail(call, "layers", "there are none");
  if (!traces.empty() && traces.size() != count) {
    fail(call, "trace", {traces.size(), " traces for ", count, " layers"});
  }
  for (std::size_t n = 0; n < count; ++n) {
    check_part(call, {"layers.", n}, [&] { layer(n).check(call, x, out); });
  }
  if (!weights.norm) return;
  check_norm(call, "norm", *weights.norm, out.size(2));
  check_no_overlap(out, weights.norm->weight, call, "out");
  check_no_overlap(out, weights.norm->bias, call, "out");
  check_eps(like.eps, call);
}

// for each layer: to = out for the last step, else the traced view, or one of two memories in turn
//                 to = layer(in);  in = to
// norm: in -> out
void Stack::run(const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
                const Context& context) const {
  const std::size_t count = weights.layers.size(), inner = weights.norm ? count : count - 1;
  WorkPlaces even(context.scratch, x.shape()), odd(context.scratch, x.shape());
  TensorView<const float, 3> in = x;
  for (std::size_t n = 0; n < count; ++n) {
    const Layer each = layer(n);
    TensorView<float, 3> wanted = each.last_output();
    if (wanted && memory_range(wanted).overlaps(memory_range(in))) wanted = {};
    WorkPlaces& places = n % 2 == 0 ? even : odd;
    const TensorView<float, 3> to = n < inner ? places.or_shared(wanted) : out;
    each.run(in, to, context);
    in = to;
  }
  if (weights.norm) norm(NormKind::layer_norm, in, *weights.norm, like.eps, out, context);
}

void Stack::check_backward(const char* call, const TensorView<const float, 3>& d_out,
                           const TensorView<const float, 3>& x,
                           const TransformerDecoderGradients& gradients) const {
  const std::size_t count = weights.layers.size();
  const TensorView<const float, 3>& memory = like.cross_attention.context;
  like.check_inputs(call, x);
  if (like.dropout) check_dropout(like.dropout->places, call);
  const auto check_count = [&](const char* name, std::size_t given) {
    if (given != count) fail(call, name, {given, " for ", count, " layers"});
  };
  if (count == 0) fail(call, "layers", "there are none");
  check_count("trace", traces.size());
  if (!gradients.weights.layers.empty()) check_count("d_layers", gradients.weights.layers.size());
  check_shape(d_out, x.shape(), call, "d_out", "the shape of x");
  OverlapCheck overlap(call);
  overlap.reads(d_out), overlap.reads(x), overlap.reads_all(weights);
  overlap.writes(gradients.d_x, x.shape(), "d_x", "the shape of x");
  for (std::size_t n = 0; n < count; ++n) {
    check_part(call, {"layers.", n}, [&] {
      const Layer each = layer(n);
      const bool needed = n + 1 < count || weights.norm;
      if (needed) {
        check_shape(each.last_output(), x.shape(), call, "trace.output", "the shape of x");
      }
      each.check_backward(call, d_out, input(x, n),
                          {.d_x = gradients.d_x,
                           .d_memory = gradients.d_memory,
                           .weights = layer_gradients(gradients, n)});
    });
  }
  if (weights.norm) {
    check_norm(call, "norm", *weights.norm, x.size(2));
    check_eps(like.eps, call);
  }
  if (gradients.weights.norm && !weights.norm) fail(call, "d_norm", "there is no norm at the end");
  overlap.writes_gradients(gradients.weights, weights);
  overlap.reads(memory);
  overlap.writes(gradients.d_memory, memory.shape(), "d_memory", "the shape of the memory");
}

// norm: recompute its mean and rstd, d = backward of norm (d)
// for each layer, from the last:  to = d_x for the first layer, else one of two memories in turn
//                                 to = backward of the layer (d);  d = to
// d_memory is the sum over the layers, from the last to the first.
void Stack::backward(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                     const TransformerDecoderGradients& gradients, const Context& context) const {
  Scratch::Frame frame(context.scratch);
  const auto take = [&](const Shape<3>& shape) {
    return TensorView<float, 3>(frame.take<float>(shape[0], shape[1], shape[2]), shape);
  };
  const std::size_t last = weights.layers.size() - 1;
  const TensorView<float, 3>& d_memory = gradients.d_memory;
  const TensorView<float, 3> d_memory_part =
      d_memory && last > 0 ? take(d_memory.shape()) : TensorView<float, 3>();
  const TensorView<float, 3> places[] = {take(x.shape()), take(x.shape())};
  TensorView<const float, 3> d = d_out;
  std::size_t turn = 0;
  if (weights.norm) {
    const TensorView<const float, 3> normed = layer(last).last_output();
    const Shape<2> tokens = {x.size(0), x.size(1)};
    const NormTrace moments{{frame.take<float>(tokens[0], tokens[1]), tokens},
                            {frame.take<float>(tokens[0], tokens[1]), tokens}};
    const auto d_norm = gradients.weights.norm.value_or(BasicNormWeights<float>{});
    constexpr NormKind kKind = NormKind::layer_norm;
    norm(kKind, normed, *weights.norm, like.eps, places[1], context, moments);
    norm_backward(kKind, d, normed, *weights.norm, moments, places[0], d_norm, context);
    d = places[0], turn = 1;
  }
  for (std::size_t n = last + 1; n-- > 0;) {
    const TensorView<float, 3>& to = n == 0 ? gradients.d_x : places[turn++ % 2];
    layer(n).backward(d, input(x, n),
                      {.d_x = to,
                       .d_memory = n == last ? d_memory : d_memory_part,
                       .weights = layer_gradients(gradients, n)},
                      context);
    if (d_memory && n != last) add(d_memory, d_memory_part, d_memory, context);
    d = to;
  }
}

}  // namespace tril::detail
