// Layers over batches of tokens, [B, T, C]: as rows [B T, C] where no view has gaps between
// batches, else batch by batch.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>
#include <tril/layers/dropout.h>
#include <tril/layers/feed_forward.h>

namespace tril::detail {

struct FeedForward;

// The statistics of a norm for each token; a null view is not filled. RMS norm has no mean.
struct NormTrace {
  MatrixView<float> mean = {}, rstd = {};  // [B, T]
};

// The norm of this kind; out may be x.
void norm(NormKind kind, const TensorView<const float, 3>& x, const NormWeights& weights,
          double eps, const TensorView<float, 3>& out, const Context& context,
          const NormTrace& trace = {});
// d_x is overwritten, or is a null view; it may be d_out.
void norm_backward(NormKind kind, const TensorView<const float, 3>& d_out,
                   const TensorView<const float, 3>& x, const NormWeights& weights,
                   const NormTrace& trace, const TensorView<float, 3>& d_x,
                   const BasicNormWeights<float>& d_weights, const Context& context);

// out = x + y; out may be either.
void add(const TensorView<const float, 3>& x, const TensorView<const float, 3>& y,
         const TensorView<float, 3>& out, const Context& context);

// Forward and backward; out may be x.
void drop(const TensorView<const float, 3>& x, const DropoutOptions& dropout,
          const TensorView<float, 3>& out, const Context& context);

// The intermediate results of feed-forward, [B, T, F]; gated, hidden is [B, T, 2 F].
struct BatchedFeedForwardTrace {
  TensorView<float, 3> hidden = {}, activated = {};
};
// Computes `rows` over a batch and fills `trace` instead of its own trace.
void feed_forward(const FeedForward& rows, const BatchedFeedForwardTrace& trace,
                  const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
                  const Context& context);
void feed_forward_backward(const FeedForward& rows, const BatchedFeedForwardTrace& trace,
                           const TensorView<const float, 3>& d_out,
                           const TensorView<const float, 3>& x, const TensorView<float, 3>& d_x,
                           const BasicFeedForwardWeights<float>& d_weights, const Context& context);

}  // namespace tril::detail
