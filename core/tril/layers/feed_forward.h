// The feed-forward of a Transformer block (Vaswani et al. 2017, section 3.3), the same for every
// token:
//
//   hidden = x W1^T + b1      [N, F]
//   out = activation(hidden) W2^T + b2      [N, C]
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/foundation/tensor.h>
#include <tril/layers/activations.h>
#include <tril/layers/prepared_weights.h>
#include <tril/layers/weights.h>

namespace tril {

// A view that is not given is not filled.
struct FeedForwardTrace {
  MatrixView<float> hidden = {};     // [N, F]
  MatrixView<float> activated = {};  // [N, F]
};

// x and out [N, C]; rows may have any stride. out may not share memory with an input. `prepared`:
// where packed copies of weights are looked for. Throws Error where shapes do not fit.
void feed_forward(MatrixView<const float> x, const FeedForwardWeights& weights,
                  Activation activation, MatrixView<float> out, Scratch& scratch,
                  Parallel& parallel, const FeedForwardTrace& trace = {},
                  const PreparedWeights* prepared = nullptr);

// Throws Error in the name of `call` unless the weights fit each other and inputs of this width.
void check_feed_forward(const char* call, Index width, const FeedForwardWeights& weights,
                        Activation activation);

}  // namespace tril
