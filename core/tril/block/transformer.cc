#include <tril/block/stack.h>
#include <tril/block/transformer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>

namespace tril {
namespace {

// The view in a block's trace that has the block's output.
template <typename Trace>
auto& block_output(NormOrder order, Trace& trace) noexcept {
  if constexpr (requires { trace.normed3; }) {  // a decoder's
    return order == NormOrder::post ? trace.normed3 : trace.residual3;
  } else {
    return order == NormOrder::post ? trace.normed2 : trace.residual2;
  }
}

// The traces of all layers, from save(), including the outputs of layers that are followed by
// another layer or a norm.
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

}  // namespace

void transformer_encoder(TensorView<const float, 3> x, const TransformerEncoderWeights& weights,
                         const TransformerBlockOptions& options, TensorView<float, 3> out,
                         const Context& context, const std::vector<TransformerBlockTrace>& trace) {
  const detail::Stack stack = detail::stack_of(weights, options, trace);
  stack.check("transformer_encoder", x, out);
  stack.run(x, out, context);
}

void transformer_decoder(TensorView<const float, 3> x, TensorView<const float, 3> memory,
                         const TransformerDecoderWeights& weights,
                         const DecoderBlockOptions& options, TensorView<float, 3> out,
                         const Context& context, const std::vector<DecoderBlockTrace>& trace) {
  const detail::Stack stack = detail::stack_of(memory, weights, options, trace);
  stack.check("transformer_decoder", x, out);
  stack.run(x, out, context);
}

void transformer(TensorView<const float, 3> source, TensorView<const float, 3> target,
                 const TransformerWeights& weights, const TransformerOptions& options,
                 TensorView<float, 3> out, const Context& context, const TransformerTrace& trace) {
  constexpr const char* kCall = "transformer";
  check_view(source, kCall, "source", empty_but_wide(source));
  check_view(target, kCall, "target", empty_but_wide(target));
  if (source.size(0) != target.size(0)) {
    fail(kCall, "target",
         {"must have the batches of source; source is ", source, ", target is ", target});
  }
  if (options.dropout) check_dropout(*options.dropout, kCall);
  check_shape(out, target.shape(), kCall, "out", "the shape of target");
  if (trace.memory) {
    check_shape(trace.memory, source.shape(), kCall, "trace.memory", "the shape of source");
    check_no_overlap(trace.memory, target, kCall, "trace.memory");
  }

  Scratch::Frame frame(context.scratch);
  const TensorView<float, 3> memory =
      trace.memory ? trace.memory
                   : TensorView<float, 3>(frame.take<float>(source.count()), source.shape());
  const detail::Stack encoder =
      detail::stack_of(weights.encoder, detail::encoder_options(options), trace.encoder);
  const detail::Stack decoder = detail::stack_of(
      memory, weights.decoder, detail::decoder_options(options, weights.encoder.layers.size()),
      trace.decoder);
  detail::check_part(kCall, "encoder", [&] { encoder.check(kCall, source, memory); });
  detail::check_part(kCall, "decoder", [&] { decoder.check(kCall, target, out); });
  check_no_overlap(out, source, kCall, "out");

  encoder.run(source, memory, context);
  decoder.run(target, out, context);
}

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
  const detail::Stack stack = detail::stack_of(weights, options, trace);
  const TransformerDecoderGradients of_stack = detail::gradients_of(gradients);
  stack.check_backward("transformer_encoder_backward", d_out, x, of_stack);
  stack.backward(d_out, x, of_stack, context);
}

void transformer_decoder_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                  TensorView<const float, 3> memory,
                                  const TransformerDecoderWeights& weights,
                                  const DecoderBlockOptions& options,
                                  const std::vector<DecoderBlockTrace>& trace,
                                  const TransformerDecoderGradients& gradients,
                                  const Context& context) {
  const detail::Stack stack = detail::stack_of(memory, weights, options, trace);
  stack.check_backward("transformer_decoder_backward", d_out, x, gradients);
  stack.backward(d_out, x, gradients, context);
}

// d_memory = backward pass of the decoder (d_out);  d_source = backward pass of the encoder
// (d_memory)
void transformer_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> source,
                          TensorView<const float, 3> target, const TransformerWeights& weights,
                          const TransformerOptions& options, const TransformerTrace& trace,
                          const TransformerGradients& gradients, const Context& context) {
  constexpr const char* kCall = "transformer_backward";
  check_view(source, kCall, "source", empty_but_wide(source));
  check_view(target, kCall, "target", empty_but_wide(target));
  if (options.dropout) check_dropout(*options.dropout, kCall);
  check_shape(trace.memory, source.shape(), kCall, "trace.memory", "the shape of source");
  const detail::Stack encoder =
      detail::stack_of(weights.encoder, detail::encoder_options(options), trace.encoder);
  const detail::Stack decoder = detail::stack_of(
      trace.memory, weights.decoder,
      detail::decoder_options(options, weights.encoder.layers.size()), trace.decoder);
  Scratch::Frame frame(context.scratch);
  const TensorView<float, 3> d_memory(frame.take<float>(source.count()), source.shape());
  const TransformerDecoderGradients of_encoder =
      detail::gradients_of({gradients.d_source, gradients.weights.encoder});
  const TransformerDecoderGradients of_decoder{gradients.d_target, d_memory,
                                               gradients.weights.decoder};
  detail::check_part(kCall, "encoder",
                     [&] { encoder.check_backward(kCall, d_memory, source, of_encoder); });
  detail::check_part(kCall, "decoder",
                     [&] { decoder.check_backward(kCall, d_out, target, of_decoder); });
  detail::OverlapCheck overlap(kCall);  // between the two stacks
  overlap.reads(d_out), overlap.reads(source), overlap.reads(target), overlap.reads_all(weights);
  overlap.reads(trace.memory);
  encoder.reads_traces(overlap), decoder.reads_traces(overlap);
  overlap.writes(gradients.d_source, source.shape(), "d_source", "the shape of source");
  overlap.writes(gradients.d_target, target.shape(), "d_target", "the shape of target");
  overlap.writes_gradients(gradients.weights, weights);
  decoder.backward(d_out, target, of_decoder, context);
  encoder.backward(d_memory, source, of_encoder, context);
}

}  // namespace tril
