// A stack of layers, with an optional norm at the end: the form of an encoder and of a decoder.
#pragma once

#include <tril/block/transformer.h>
#include <tril/foundation/overlap_check.h>

#include <vector>

namespace tril::detail {

// A stack bound to its weights and to the views that its traces fill. run() and backward() expect
// that check() and check_backward() have passed.
struct Stack {
  Layer like;                           // the common settings of the layers
  TransformerDecoderWeights weights;    // an encoder's weights have the same form
  std::vector<LayerTrace> traces = {};  // one per layer, or none at all

  // Layer n. Its dropout places follow those of the layers before it.
  Layer layer(std::size_t n) const;

  void run(const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
           const Context& context) const;
  void backward(const TensorView<const float, 3>& d_out, const TensorView<const float, 3>& x,
                const TransformerDecoderGradients& gradients, const Context& context) const;

  // Throw Error in the name of `call`, naming the layer, unless everything fits.
  void check(const char* call, const TensorView<const float, 3>& x,
             const TensorView<float, 3>& out) const;
  void check_backward(const char* call, const TensorView<const float, 3>& d_out,
                      const TensorView<const float, 3>& x,
                      const TransformerDecoderGradients& gradients) const;

  // Adds all results of the forward pass as memory that is read.
  void reads_traces(OverlapCheck& overlap) const;

 private:
  // The input of a layer: x, or the traced output of the layer before it.
  TensorView<const float, 3> input(const TensorView<const float, 3>& x, std::size_t n) const {
    return n == 0 ? x : TensorView<const float, 3>(layer(n - 1).last_output());
  }
};

Stack stack_of(const TransformerEncoderWeights& weights, const TransformerBlockOptions& options,
               const std::vector<TransformerBlockTrace>& trace);
Stack stack_of(const TensorView<const float, 3>& memory, const TransformerDecoderWeights& weights,
               const DecoderBlockOptions& options, const std::vector<DecoderBlockTrace>& trace);
// The options of a Transformer, for each of its stacks. The dropout places of the decoder follow
// those of an encoder with `encoder_layers` layers.
TransformerBlockOptions encoder_options(const TransformerOptions& options);
DecoderBlockOptions decoder_options(const TransformerOptions& options, std::size_t encoder_layers);

// An encoder's gradients in the form of a decoder's.
TransformerDecoderGradients gradients_of(const TransformerEncoderGradients& gradients);

}  // namespace tril::detail
