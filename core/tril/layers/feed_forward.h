// The feed-forward of a Transformer block (Vaswani et al. 2017, section 3.3), the same for every
// token:
//
//   hidden = x W1^T + b1      [N, F]
//   out = activation(hidden) W2^T + b2      [N, C]
//
// and its gated form (Shazeer 2020), with silu SwiGLU, whose W1 has the rows of the gate above
// those of the gated values:
//
//   gate, up = x W1^T + b1      [N, 2 F]
//   out = (activation(gate) up) W2^T + b2      [N, C]
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/saved_memory.h>
#include <tril/foundation/tensor.h>
#include <tril/layers/activations.h>
#include <tril/layers/weights.h>

namespace tril {

// A null view is not filled.
struct FeedForwardTrace {
  MatrixView<float> hidden = {};     // [N, F]; gated: [N, 2 F]
  MatrixView<float> activated = {};  // [N, F]
};

// x and out [N, C]; rows may have any stride. out may not share memory with an input. Throws Error
// where shapes do not fit.
void feed_forward(MatrixView<const float> x, const FeedForwardWeights& weights,
                  Activation activation, MatrixView<float> out, const Context& context = {},
                  const FeedForwardTrace& trace = {});

// The trace that the backward pass over `rows` rows needs, laid out in `memory`: 2 N F floats.
FeedForwardTrace feed_forward_saved(Index rows, const FeedForwardWeights& weights,
                                    SavedMemory& memory);

// Gradients of feed_forward; null views are not computed.
struct FeedForwardGradients {
  MatrixView<float> d_x = {};                   // [N, C], overwritten
  BasicFeedForwardWeights<float> weights = {};  // shaped as the weights, added to
};

// The backward pass, from the gradient d_out [N, C] of the output; x, weights and activation are
// those of the forward pass, and the trace has its hidden and activated:
//
//   d_hidden = (d_out W2) * activation'(hidden)
//   d_W2 += d_out^T activated,  d_W1 += d_hidden^T x,  d_x = d_hidden W1
//
// What is written may not share memory with anything else. Results do not depend on the number of
// threads. Throws Error where shapes do not fit, before anything is written.
void feed_forward_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                           const FeedForwardWeights& weights, Activation activation,
                           const FeedForwardTrace& trace, const FeedForwardGradients& gradients,
                           const Context& context = {});

// The gated form: linear1 [2 F, C], linear2 [C, F]. All else as above; gated_feed_forward_saved
// takes 3 N F floats.
void gated_feed_forward(MatrixView<const float> x, const FeedForwardWeights& weights,
                        Activation activation, MatrixView<float> out, const Context& context = {},
                        const FeedForwardTrace& trace = {});
FeedForwardTrace gated_feed_forward_saved(Index rows, const FeedForwardWeights& weights,
                                          SavedMemory& memory);
void gated_feed_forward_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                                 const FeedForwardWeights& weights, Activation activation,
                                 const FeedForwardTrace& trace,
                                 const FeedForwardGradients& gradients,
                                 const Context& context = {});

// Throw Error in the name of `call` unless the weights fit each other and inputs of this width.
void check_gated_feed_forward(const char* call, Index width, const FeedForwardWeights& weights,
                              Activation activation);
void check_feed_forward(const char* call, Index width, const FeedForwardWeights& weights,
                        Activation activation);

namespace detail {

// A half of hidden [N, 2 F]: 0, the gate, or 1, the gated values, [N, F].
inline MatrixView<float> gated_half(const MatrixView<float>& both, Index which) noexcept {
  const Index width = both.size(1) / 2;
  return {both.data() + which * width, {both.size(0), width}, both.strides()};
}

}  // namespace detail

}  // namespace tril
