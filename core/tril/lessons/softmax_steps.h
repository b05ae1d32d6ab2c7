// The steps of softmax, for teaching: as it is written, and as it must be computed (stable):
//
//   shift = 0, or the largest x of the row if stable
//   powers_i = e^(x_i - shift),  sum = powers_0 + powers_1 + ...,  out_i = powers_i / sum
//
// As written, e^89 is infinite in float, and infinity over infinity is NaN; where all powers round
// to 0, it is 0 over 0. The shift does not change the exact result, and prevents overflow.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// Views to fill; no view: not traced.
struct SoftmaxTrace {
  VectorView<float> shift = {};   // [N]
  MatrixView<float> powers = {};  // [N, C]
  VectorView<float> sum = {};     // [N]
};

// x and out are [N, C]. With `stable`, a row of only -inf gives zeros, as in softmax(). Outputs may
// not share memory with x or with each other. Throws Error where shapes do not fit.
void softmax_steps(MatrixView<const float> x, bool stable, MatrixView<float> out,
                   const SoftmaxTrace& trace = {});

// The concentration of weights [N, C] that add up to 1 in each row: entropy[n] = -sum of w log w,
// in nats, from 0 (one weight is 1) to log C (all are equal), and the largest weight. Computed in
// double. Throws Error where shapes do not fit.
void concentration(MatrixView<const float> weights, VectorView<float> entropy,
                   VectorView<float> largest);

}  // namespace tril
