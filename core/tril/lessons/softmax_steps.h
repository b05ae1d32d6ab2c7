// Softmax taken apart, for looking at, once as it is written and once as it must be computed:
//
//   shift = 0, or the largest x of the row if stable
//   powers_i = e^(x_i - shift),  sum = powers_0 + powers_1 + ...,  out_i = powers_i / sum
//
// As written, e^89 is infinite in float, and infinity over infinity is NaN; and where all powers
// round to 0 it is 0 over 0. Shifted, both forms are the same number on paper, and nothing
// overflows.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// Views to fill; none: not wanted.
struct SoftmaxTrace {
  VectorView<float> shift = {};   // [N]
  MatrixView<float> powers = {};  // [N, C]
  VectorView<float> sum = {};     // [N]
};

// x and out [N, C]. Stable, a row of only -inf gives zeros, as softmax() has it. What is written
// may not share memory with x or with another. Throws Error where shapes do not fit.
void softmax_steps(MatrixView<const float> x, bool stable, MatrixView<float> out,
                   const SoftmaxTrace& trace = {});

// How sharply weights [N, C], shares of 1 in each row, are concentrated: entropy[n] = -sum of w log
// w, in nats, from 0 (all on one) to log C (all alike), and the largest weight. Computed in double.
// Throws Error where shapes do not fit.
void concentration(MatrixView<const float> weights, VectorView<float> entropy,
                   VectorView<float> largest);

}  // namespace tril
