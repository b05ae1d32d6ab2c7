// Softmax along one axis: out_i = e^(x_i / temperature) / sum_j e^(x_j / temperature).
//
// Stable: the maximum is subtracted first, so no finite input overflows. What the definition leaves
// open: -inf gives weight 0, and where all of a row is -inf every weight is 0, not NaN; a NaN or
// +inf makes its own row NaN and no other. Weights below 2^-126.5 of the largest are 0.
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/tensor.h>

namespace tril {

// Along which axis, and how sharp.
struct SoftmaxOptions {
  int axis = -1;           // -1: the last one, -2: the one before it, ...
  double temperature = 1;  // finite, above 0; towards 0 the largest element takes all
};

// x and out have one shape, any strides; out may be x itself, but no other overlap. Throws Error
// where they do not fit, for an axis that is not there, and for a bad temperature.
void softmax(VectorView<const float> x, const SoftmaxOptions& options, VectorView<float> out,
             Parallel& parallel);
void softmax(MatrixView<const float> x, const SoftmaxOptions& options, MatrixView<float> out,
             Parallel& parallel);
void softmax(TensorView<const float, 3> x, const SoftmaxOptions& options, TensorView<float, 3> out,
             Parallel& parallel);
void softmax(TensorView<const float, 4> x, const SoftmaxOptions& options, TensorView<float, 4> out,
             Parallel& parallel);

// log(softmax(x)) without the detour over weights that round to 0. All of a row -inf gives -inf.
void log_softmax(VectorView<const float> x, const SoftmaxOptions& options, VectorView<float> out,
                 Parallel& parallel);
void log_softmax(MatrixView<const float> x, const SoftmaxOptions& options, MatrixView<float> out,
                 Parallel& parallel);
void log_softmax(TensorView<const float, 3> x, const SoftmaxOptions& options,
                 TensorView<float, 3> out, Parallel& parallel);
void log_softmax(TensorView<const float, 4> x, const SoftmaxOptions& options,
                 TensorView<float, 4> out, Parallel& parallel);

}  // namespace tril
