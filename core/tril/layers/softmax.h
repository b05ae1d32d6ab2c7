// Softmax along one axis: out_i = e^(x_i / temperature) / sum_j e^(x_j / temperature).
//
// Stable: the maximum is subtracted first, so no finite input overflows. What the definition leaves
// open: -inf gives weight 0, and where all of a row is -inf every weight is 0, not NaN; a NaN or
// +inf makes its own row NaN and no other. Weights below 2^-126.5 of the largest are 0.
#pragma once

#include <tril/foundation/context.h>
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
             const Context& context = {});
void softmax(MatrixView<const float> x, const SoftmaxOptions& options, MatrixView<float> out,
             const Context& context = {});
void softmax(TensorView<const float, 3> x, const SoftmaxOptions& options, TensorView<float, 3> out,
             const Context& context = {});
void softmax(TensorView<const float, 4> x, const SoftmaxOptions& options, TensorView<float, 4> out,
             const Context& context = {});

// log(softmax(x)) without the detour over weights that round to 0. All of a row -inf gives -inf.
void log_softmax(VectorView<const float> x, const SoftmaxOptions& options, VectorView<float> out,
                 const Context& context = {});
void log_softmax(MatrixView<const float> x, const SoftmaxOptions& options, MatrixView<float> out,
                 const Context& context = {});
void log_softmax(TensorView<const float, 3> x, const SoftmaxOptions& options,
                 TensorView<float, 3> out, const Context& context = {});
void log_softmax(TensorView<const float, 4> x, const SoftmaxOptions& options,
                 TensorView<float, 4> out, const Context& context = {});

// The gradient d_x of softmax's x, given that of its output, d_out, and the output itself:
//
//   d_x_i = out_i (d_out_i - sum_j d_out_j out_j) / temperature
//
// All of one shape, any strides; d_x, which is overwritten, may be d_out or out itself. Throws
// Error as softmax does.
void softmax_backward(VectorView<const float> d_out, VectorView<const float> out,
                      const SoftmaxOptions& options, VectorView<float> d_x,
                      const Context& context = {});
void softmax_backward(MatrixView<const float> d_out, MatrixView<const float> out,
                      const SoftmaxOptions& options, MatrixView<float> d_x,
                      const Context& context = {});
void softmax_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> out,
                      const SoftmaxOptions& options, TensorView<float, 3> d_x,
                      const Context& context = {});
void softmax_backward(TensorView<const float, 4> d_out, TensorView<const float, 4> out,
                      const SoftmaxOptions& options, TensorView<float, 4> d_x,
                      const Context& context = {});

// The same of log_softmax: d_x_i = (d_out_i - e^out_i sum_j d_out_j) / temperature.
void log_softmax_backward(VectorView<const float> d_out, VectorView<const float> out,
                          const SoftmaxOptions& options, VectorView<float> d_x,
                          const Context& context = {});
void log_softmax_backward(MatrixView<const float> d_out, MatrixView<const float> out,
                          const SoftmaxOptions& options, MatrixView<float> d_x,
                          const Context& context = {});
void log_softmax_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> out,
                          const SoftmaxOptions& options, TensorView<float, 3> d_x,
                          const Context& context = {});
void log_softmax_backward(TensorView<const float, 4> d_out, TensorView<const float, 4> out,
                          const SoftmaxOptions& options, TensorView<float, 4> d_x,
                          const Context& context = {});

}  // namespace tril
