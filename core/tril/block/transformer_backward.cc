#include <tril/block/transformer.h>
#include <tril/block/transformer_parts.h>
#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>
#include <tril/layers/layer_norm.h>

namespace tril {
namespace {

using detail::block_output;

// One layer's gradients; none where none are asked for.
template <typename Layer>
Layer at_or_none(const std::vector<Layer>& layers, std::size_t layer) {
  return layers.empty() ? Layer{} : layers[layer];
}

// What went into a layer: x, or what the one before it gave.
template <typename Trace>
TensorView<const float, 3> input_of(const TensorView<const float, 3>& x,
                                    const std::vector<Trace>& traces, std::size_t layer,
                                    NormOrder order) {
  return layer == 0 ? x : TensorView<const float, 3>(block_output(order, traces[layer - 1]));
}

// All that a block's forward pass left.
void reads_trace(detail::OverlapCheck& overlap, const MultiHeadTrace& trace) {
  for (const auto& each : {trace.queries, trace.keys, trace.values, trace.heads}) {
    overlap.reads(each);
  }
  overlap.reads(trace.attention.log_sum_exp);
}
template <typename... Views>
void reads_views(detail::OverlapCheck& overlap, const Views&... views) {
  (overlap.reads(views), ...);
}
void reads_trace(detail::OverlapCheck& overlap, const TransformerBlockTrace& trace) {
  reads_trace(overlap, trace.self_attn);
  reads_views(overlap, trace.residual1, trace.normed1, trace.hidden, trace.activated,
              trace.residual2, trace.normed2, trace.mean1, trace.rstd1, trace.mean2, trace.rstd2);
}
void reads_trace(detail::OverlapCheck& overlap, const DecoderBlockTrace& trace) {
  reads_trace(overlap, trace.self_attn), reads_trace(overlap, trace.multihead_attn);
  reads_views(overlap, trace.residual1, trace.normed1, trace.residual2, trace.normed2, trace.hidden,
              trace.activated, trace.residual3, trace.normed3, trace.mean1, trace.rstd1,
              trace.mean2, trace.rstd2, trace.mean3, trace.rstd3);
}

// Traces of all layers, save(): with the output of each that something follows.
template <typename Weights, typename Save>
auto saved_stack(const char* call, const Shape<3>& x, const Weights& weights, NormOrder order,
                 SavedMemory& memory, const Save& save) {
  const std::size_t count = weights.layers.size(), inner = weights.norm ? count : count - 1;
  if (count == 0) fail(call, "layers", "there are none");
  std::vector<decltype(save(weights.layers[0]))> traces;
  for (std::size_t layer = 0; layer < count; ++layer) {
    detail::check_part(call, {"layers.", layer},
                       [&] { traces.push_back(save(weights.layers[layer])); });
    if (layer < inner) block_output(order, traces.back()) = memory.take(x[0], x[1], x[2]);
  }
  return traces;
}

// Throws Error in the name of `call` unless there are layers, with a trace and, if any are asked
// for, gradients each, and each passes check(layer number, what went into it); and the norm fits.
template <typename Weights, typename Trace, typename Gradients, typename Check>
void check_stack(const char* call, const TensorView<const float, 3>& d_out,
                 const TensorView<const float, 3>& x, const Weights& weights, NormOrder order,
                 double eps, const std::vector<Trace>& traces, const Gradients& gradients,
                 const Check& check) {
  const std::size_t count = weights.layers.size();
  const auto fits = [&](const char* name, std::size_t given) {
    if (given == count) return;
    fail(call, name, {given, " for ", count, " layers"});
  };
  if (count == 0) fail(call, "layers", "there are none");
  fits("trace", traces.size());
  if (!gradients.weights.layers.empty()) fits("d_layers", gradients.weights.layers.size());
  check_view(x, call, "x", empty_but_wide(x));
  check_shape(d_out, x.shape(), call, "d_out", "the shape of x");
  detail::OverlapCheck overlap(call);
  overlap.reads(d_out), overlap.reads(x), overlap.reads_all(weights);
  overlap.writes(gradients.d_x, x.shape(), "d_x", "the shape of x");
  for (std::size_t layer = 0; layer < count; ++layer) {
    detail::check_part(call, {"layers.", layer}, [&] {
      const bool needed = layer + 1 < count || weights.norm;
      const TensorView<float, 3>& out = block_output(order, traces[layer]);
      if (needed) check_shape(out, x.shape(), call, "trace.output", "the shape of x");
      check(layer, input_of(x, traces, layer, order));
    });
  }
  if (weights.norm) {
    detail::check_norm(call, "norm", *weights.norm, x.size(2));
    check_eps(eps, call);
  }
  if (gradients.weights.norm && !weights.norm) {
    fail(call, "d_norm", "there is no norm at the end");
  }
  overlap.writes_gradients(gradients.weights, weights);
}

// norm: its mean and rstd anew, d = back through it
// for each layer, from the last:  to = d_x for the first one, else one of two places, turn about
//                                 back(d, what went in, layer, to);  d = to
template <typename Weights, typename Trace, typename Gradients, typename Back>
void run_stack_backward(const TensorView<const float, 3>& d_out,
                        const TensorView<const float, 3>& x, const Weights& weights,
                        NormOrder order, double eps, const std::vector<Trace>& traces,
                        const Gradients& gradients, const Context& context, const Back& back) {
  Scratch::Frame frame(context.scratch);
  const auto take = [&] { return TensorView<float, 3>(frame.take<float>(x.count()), x.shape()); };
  const TensorView<float, 3> places[] = {take(), take()};
  const std::size_t count = weights.layers.size();
  TensorView<const float, 3> d = d_out;
  std::size_t turn = 0;
  if (weights.norm) {
    const TensorView<const float, 3> last = block_output(order, traces[count - 1]);
    const Shape<2> tokens = {x.size(0), x.size(1)};
    const detail::NormTrace moments{{frame.take<float>(tokens[0], tokens[1]), tokens},
                                    {frame.take<float>(tokens[0], tokens[1]), tokens}};
    const BasicNormWeights<float> d_norm =
        gradients.weights.norm.value_or(BasicNormWeights<float>{});
    constexpr NormKind kKind = NormKind::layer_norm;
    detail::norm(kKind, last, *weights.norm, eps, places[1], context, moments);
    detail::norm_backward(kKind, d, last, *weights.norm, moments, places[0], d_norm, context);
    d = places[0], turn = 1;
  }
  for (std::size_t layer = count; layer-- > 0;) {
    const TensorView<float, 3>& to = layer == 0 ? gradients.d_x : places[turn++ % 2];
    back(d, input_of(x, traces, layer, order), layer, to);
    d = to;
  }
}

void check_encoder(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                   const TransformerEncoderWeights& weights, const TransformerBlockOptions& options,
                   const std::vector<TransformerBlockTrace>& trace,
                   const TransformerEncoderGradients& gradients) {
  constexpr const char* kCall = "transformer_encoder_backward";
  if (options.dropout) check_dropout(*options.dropout, kCall);
  check_stack(kCall, d_out, x, weights, options.norm, options.eps, trace, gradients,
              [&](std::size_t layer, const TensorView<const float, 3>& in) {
                detail::layer_of(weights.layers[layer], options, trace[layer])
                    .check_backward(kCall, d_out, in,
                                    detail::gradients_of(TransformerBlockGradients{
                                        .d_x = gradients.d_x,
                                        .weights = at_or_none(gradients.weights.layers, layer)}));
              });
}

void check_decoder(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                   const TensorView<const float, 3>& memory,
                   const TransformerDecoderWeights& weights, const DecoderBlockOptions& options,
                   const std::vector<DecoderBlockTrace>& trace,
                   const TransformerDecoderGradients& gradients) {
  constexpr const char* kCall = "transformer_decoder_backward";
  check_view(x, kCall, "x", empty_but_wide(x));
  detail::check_memory(kCall, memory, x);
  if (options.dropout) check_dropout(*options.dropout, kCall);
  check_stack(kCall, d_out, x, weights, options.norm, options.eps, trace, gradients,
              [&](std::size_t layer, const TensorView<const float, 3>& in) {
                detail::layer_of(memory, weights.layers[layer], options, trace[layer])
                    .check_backward(kCall, d_out, in,
                                    {.d_x = gradients.d_x,
                                     .d_memory = gradients.d_memory,
                                     .weights = at_or_none(gradients.weights.layers, layer)});
              });
  if (!gradients.d_memory) return;
  detail::OverlapCheck overlap(kCall);
  overlap.reads(d_out), overlap.reads(x), overlap.reads(memory), overlap.reads_all(weights);
  overlap.reads(gradients.d_x), overlap.reads_all(gradients.weights);
  overlap.writes(gradients.d_memory, memory.shape(), "d_memory", "the shape of the memory");
}

void run_encoder(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                 const TransformerEncoderWeights& weights, const TransformerBlockOptions& options,
                 const std::vector<TransformerBlockTrace>& trace,
                 const TransformerEncoderGradients& gradients, const Context& context) {
  run_stack_backward(
      d_out, x, weights, options.norm, options.eps, trace, gradients, context,
      [&](const auto& d, const auto& in, std::size_t layer, const auto& d_in) {
        detail::layer_of(weights.layers[layer], detail::layer_options(options, layer), trace[layer])
            .backward(d, in,
                      detail::gradients_of(TransformerBlockGradients{
                          .d_x = d_in, .weights = at_or_none(gradients.weights.layers, layer)}),
                      context);
      });
}

// d_memory is the sum over the layers, from the last to the first.
void run_decoder(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                 const TensorView<const float, 3>& memory, const TransformerDecoderWeights& weights,
                 const DecoderBlockOptions& options, const std::vector<DecoderBlockTrace>& trace,
                 const TransformerDecoderGradients& gradients, const Context& context) {
  Scratch::Frame frame(context.scratch);
  const TensorView<float, 3>& d_memory = gradients.d_memory;
  const std::size_t last = weights.layers.size() - 1;
  const TensorView<float, 3> part =
      d_memory && last > 0 ? TensorView<float, 3>(frame.take<float>(memory.count()), memory.shape())
                           : TensorView<float, 3>();
  run_stack_backward(d_out, x, weights, options.norm, options.eps, trace, gradients, context,
                     [&](const auto& d, const auto& in, std::size_t layer, const auto& d_in) {
                       detail::layer_of(memory, weights.layers[layer],
                                        detail::layer_options(options, layer), trace[layer])
                           .backward(d, in,
                                     {.d_x = d_in,
                                      .d_memory = layer == last ? d_memory : part,
                                      .weights = at_or_none(gradients.weights.layers, layer)},
                                     context);
                       if (d_memory && layer != last)
                         detail::add(d_memory, part, d_memory, context);
                     });
}

}  // namespace

std::vector<TransformerBlockTrace> transformer_encoder_saved(
    const Shape<3>& x, const TransformerEncoderWeights& weights,
    const TransformerBlockOptions& options, SavedMemory& memory) {
  return saved_stack("transformer_encoder_saved", x, weights, options.norm, memory,
                     [&](const TransformerBlockWeights& layer) {
                       return transformer_block_saved(x, layer, options, memory);
                     });
}

std::vector<DecoderBlockTrace> transformer_decoder_saved(const Shape<3>& x,
                                                         const Shape<3>& memory_shape,
                                                         const TransformerDecoderWeights& weights,
                                                         const DecoderBlockOptions& options,
                                                         SavedMemory& memory) {
  return saved_stack("transformer_decoder_saved", x, weights, options.norm, memory,
                     [&](const DecoderBlockWeights& layer) {
                       return decoder_block_saved(x, memory_shape, layer, options, memory);
                     });
}

TransformerTrace transformer_saved(const Shape<3>& source, const Shape<3>& target,
                                   const TransformerWeights& weights,
                                   const TransformerOptions& options, SavedMemory& memory) {
  constexpr const char* kCall = "transformer_saved";
  TransformerTrace trace;
  detail::check_part(kCall, "encoder", [&] {
    trace.encoder = transformer_encoder_saved(source, weights.encoder,
                                              detail::encoder_options(options), memory);
  });
  trace.memory = memory.take(source[0], source[1], source[2]);
  detail::check_part(kCall, "decoder", [&] {
    trace.decoder = transformer_decoder_saved(
        target, source, weights.decoder,
        detail::decoder_options(options, weights.encoder.layers.size()), memory);
  });
  return trace;
}

void transformer_encoder_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                  const TransformerEncoderWeights& weights,
                                  const TransformerBlockOptions& options,
                                  const std::vector<TransformerBlockTrace>& trace,
                                  const TransformerEncoderGradients& gradients,
                                  const Context& context) {
  check_encoder(d_out, x, weights, options, trace, gradients);
  run_encoder(d_out, x, weights, options, trace, gradients, context);
}

void transformer_decoder_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                  TensorView<const float, 3> memory,
                                  const TransformerDecoderWeights& weights,
                                  const DecoderBlockOptions& options,
                                  const std::vector<DecoderBlockTrace>& trace,
                                  const TransformerDecoderGradients& gradients,
                                  const Context& context) {
  check_decoder(d_out, x, memory, weights, options, trace, gradients);
  run_decoder(d_out, x, memory, weights, options, trace, gradients, context);
}

// d_memory = back through the decoder (d_out);  d_source = back through the encoder (d_memory)
void transformer_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> source,
                          TensorView<const float, 3> target, const TransformerWeights& weights,
                          const TransformerOptions& options, const TransformerTrace& trace,
                          const TransformerGradients& gradients, const Context& context) {
  constexpr const char* kCall = "transformer_backward";
  check_view(source, kCall, "source", empty_but_wide(source));
  check_view(target, kCall, "target", empty_but_wide(target));
  if (options.dropout) check_dropout(*options.dropout, kCall);
  check_shape(trace.memory, source.shape(), kCall, "trace.memory", "the shape of source");
  const TransformerBlockOptions of_encoder = detail::encoder_options(options);
  const DecoderBlockOptions of_decoder =
      detail::decoder_options(options, weights.encoder.layers.size());
  Scratch::Frame frame(context.scratch);
  const TensorView<float, 3> d_memory(frame.take<float>(source.count()), source.shape());
  const TransformerEncoderGradients encoder{gradients.d_source, gradients.weights.encoder};
  const TransformerDecoderGradients decoder{gradients.d_target, d_memory,
                                            gradients.weights.decoder};
  detail::check_part(kCall, "encoder", [&] {
    check_encoder(d_memory, source, weights.encoder, of_encoder, trace.encoder, encoder);
  });
  detail::check_part(kCall, "decoder", [&] {
    check_decoder(d_out, target, trace.memory, weights.decoder, of_decoder, trace.decoder, decoder);
  });
  detail::OverlapCheck overlap(kCall);  // of one side with the other
  overlap.reads(d_out), overlap.reads(source), overlap.reads(target), overlap.reads_all(weights);
  overlap.reads(trace.memory);
  for (const TransformerBlockTrace& each : trace.encoder) reads_trace(overlap, each);
  for (const DecoderBlockTrace& each : trace.decoder) reads_trace(overlap, each);
  overlap.writes(gradients.d_source, source.shape(), "d_source", "the shape of source");
  overlap.writes(gradients.d_target, target.shape(), "d_target", "the shape of target");
  overlap.writes_gradients(gradients.weights, weights);
  run_decoder(d_out, target, trace.memory, weights.decoder, of_decoder, trace.decoder, decoder,
              context);
  run_encoder(d_memory, source, weights.encoder, of_encoder, trace.encoder, encoder, context);
}

}  // namespace tril
