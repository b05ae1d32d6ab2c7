#include <tril/block/transformer.h>
#include <tril/block/transformer_parts.h>
#include <tril/foundation/check.h>
#include <tril/layers/layer_norm.h>

namespace tril {
namespace {

template <typename Trace>
Trace trace_of(const std::vector<Trace>& traces, std::size_t layer) {
  return traces.empty() ? Trace{} : traces[layer];
}

// Throws Error in the name of `call` unless the stack has layers, each passes check(layer number),
// and the traces and the norm fit.
template <typename Weights, typename Trace, typename Check>
void check_stack(const char* call, const Weights& weights, const std::vector<Trace>& traces,
                 const TensorView<float, 3>& out, double eps, const Check& check) {
  const std::size_t count = weights.layers.size();
  if (count == 0) fail(call, "layers", "there are none");
  if (!traces.empty() && traces.size() != count) {
    fail(call, "trace", {traces.size(), " traces for ", count, " layers"});
  }
  for (std::size_t layer = 0; layer < count; ++layer) {
    detail::check_part(call, {"layers.", layer}, [&] { check(layer); });
  }
  if (!weights.norm) return;
  detail::check_norm(call, "norm", *weights.norm, out.size(2));
  check_no_overlap(out, weights.norm->weight, call, "out");
  check_no_overlap(out, weights.norm->bias, call, "out");
  check_eps(eps, call);
}

// One layer after the other, layer_at(its number), and the norm.
//
//   for each layer: to = out if nothing follows, else where the trace wants it, or one of two
//                   places, turn about
//                   to = layer(in);  in = to
//   norm: in -> out
template <typename Weights, typename LayerAt>
void run_stack(const TensorView<const float, 3>& x, const Weights& weights, double eps,
               const TensorView<float, 3>& out, const Context& context, const LayerAt& layer_at) {
  const std::size_t count = weights.layers.size(), inner = weights.norm ? count : count - 1;
  detail::WorkPlaces even(context.scratch, x.shape()), odd(context.scratch, x.shape());
  TensorView<const float, 3> in = x;
  for (std::size_t n = 0; n < count; ++n) {
    const detail::Layer layer = layer_at(n);
    TensorView<float, 3> wanted = layer.output(layer.count() - 1);
    if (wanted && memory_range(wanted).overlaps(memory_range(in))) wanted = {};
    detail::WorkPlaces& places = n % 2 == 0 ? even : odd;
    const TensorView<float, 3> to = n < inner ? places.or_shared(wanted) : out;
    layer.run(in, to, context);
    in = to;
  }
  if (weights.norm) {
    detail::norm(NormKind::layer_norm, in, *weights.norm, eps, out, context);
  }
}

void check_encoder(const TensorView<const float, 3>& x, const TransformerEncoderWeights& weights,
                   const TransformerBlockOptions& options, const TensorView<float, 3>& out,
                   const std::vector<TransformerBlockTrace>& trace) {
  constexpr const char* kCall = "transformer_encoder";
  check_view(x, kCall, "x", empty_but_wide(x));
  if (options.dropout) check_dropout(*options.dropout, kCall);
  check_shape(out, x.shape(), kCall, "out", "the shape of x");
  check_stack(kCall, weights, trace, out, options.eps, [&](std::size_t layer) {
    check_transformer_block(x, weights.layers[layer], options, out, trace_of(trace, layer));
  });
}

void check_decoder(const TensorView<const float, 3>& x, const TensorView<const float, 3>& memory,
                   const TransformerDecoderWeights& weights, const DecoderBlockOptions& options,
                   const TensorView<float, 3>& out, const std::vector<DecoderBlockTrace>& trace) {
  constexpr const char* kCall = "transformer_decoder";
  check_view(x, kCall, "x", empty_but_wide(x));
  detail::check_memory(kCall, memory, x);
  if (options.dropout) check_dropout(*options.dropout, kCall);
  check_shape(out, x.shape(), kCall, "out", "the shape of x");
  check_stack(kCall, weights, trace, out, options.eps, [&](std::size_t layer) {
    check_decoder_block(x, memory, weights.layers[layer], options, out, trace_of(trace, layer));
  });
}

void run_encoder(const TensorView<const float, 3>& x, const TransformerEncoderWeights& weights,
                 const TransformerBlockOptions& options, const TensorView<float, 3>& out,
                 const Context& context, const std::vector<TransformerBlockTrace>& trace,
                 const PreparedWeights* prepared) {
  run_stack(x, weights, options.eps, out, context, [&](std::size_t n) {
    return detail::layer_of(weights.layers[n], detail::layer_options(options, n),
                            trace_of(trace, n), prepared);
  });
}

void run_decoder(const TensorView<const float, 3>& x, const TensorView<const float, 3>& memory,
                 const TransformerDecoderWeights& weights, const DecoderBlockOptions& options,
                 const TensorView<float, 3>& out, const Context& context,
                 const std::vector<DecoderBlockTrace>& trace, const PreparedWeights* prepared) {
  run_stack(x, weights, options.eps, out, context, [&](std::size_t n) {
    return detail::layer_of(memory, weights.layers[n], detail::layer_options(options, n),
                            trace_of(trace, n), prepared);
  });
}

}  // namespace

void transformer_encoder(TensorView<const float, 3> x, const TransformerEncoderWeights& weights,
                         const TransformerBlockOptions& options, TensorView<float, 3> out,
                         const Context& context, const std::vector<TransformerBlockTrace>& trace,
                         const PreparedWeights* prepared) {
  check_encoder(x, weights, options, out, trace);
  run_encoder(x, weights, options, out, context, trace, prepared);
}

void transformer_decoder(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                         const TransformerDecoderWeights& weights,
                         const DecoderBlockOptions& options, TensorView<float, 3> out,
                         const Context& context, const std::vector<DecoderBlockTrace>& trace,
                         const PreparedWeights* prepared) {
  check_decoder(x, memory, weights, options, out, trace);
  run_decoder(x, memory, weights, options, out, context, trace, prepared);
}

void transformer(TensorView<const float, 3> source, TensorView<const float, 3> target,
                 const TransformerWeights& weights, const TransformerOptions& options,
                 TensorView<float, 3> out, const Context& context, const TransformerTrace& trace,
                 const PreparedWeights* prepared) {
  constexpr const char* kCall = "transformer";
  check_view(source, kCall, "source", empty_but_wide(source));
  check_view(target, kCall, "target", empty_but_wide(target));
  if (source.size(0) != target.size(0)) {
    fail(kCall, "target",
         {"must have the batches of source; source is ", source, ", target is ", target});
  }
  if (options.dropout) check_dropout(*options.dropout, kCall);
  check_shape(out, target.shape(), kCall, "out", "the shape of target");
  const TransformerBlockOptions encoder_options = detail::encoder_options(options);
  const DecoderBlockOptions decoder_options =
      detail::decoder_options(options, weights.encoder.layers.size());
  if (trace.memory) {
    check_shape(trace.memory, source.shape(), kCall, "trace.memory", "the shape of source");
    check_no_overlap(trace.memory, target, kCall, "trace.memory");
  }

  Scratch::Frame frame(context.scratch);
  const TensorView<float, 3> memory =
      trace.memory ? trace.memory
                   : TensorView<float, 3>(frame.take<float>(source.count()), source.shape());
  detail::check_part(kCall, "encoder", [&] {
    check_encoder(source, weights.encoder, encoder_options, memory, trace.encoder);
  });
  detail::check_part(kCall, "decoder", [&] {
    check_decoder(target, memory, weights.decoder, decoder_options, out, trace.decoder);
  });
  check_no_overlap(out, source, kCall, "out");

  run_encoder(source, weights.encoder, encoder_options, memory, context, trace.encoder, prepared);
  run_decoder(target, memory, weights.decoder, decoder_options, out, context, trace.decoder,
              prepared);
}

}  // namespace tril
