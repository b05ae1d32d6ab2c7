// Layer normalisation (Ba, Kiros, Hinton 2016): every row is shifted to mean 0 and scaled to
// variance 1.
//
//   out[n, :] = (x[n, :] - mean_n) / sqrt(variance_n + eps) * weight + bias
//
// with the biased variance, 1/C sum (x - mean)^2.
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>

namespace tril {

// Options of layer_norm().
struct LayerNormOptions {
  double eps = 1e-5;  // added to the variance: finite, at least 0
};

// Intermediate results for the caller; a null view is not filled.
struct LayerNormTrace {
  VectorView<float> mean = {};  // [N]
  VectorView<float> rstd = {};  // [N], 1 / sqrt(variance + eps)
};

// x and out [N, C], weight and bias [C] or none, as torch.nn.functional.layer_norm and ONNX's
// LayerNormalization: axes before the normalised ones are N, the normalised ones C. Rows may have
// any stride; out may be x itself. The error does not grow with the mean, only with the deviations
// (norm_kernels.cc); their squares must stay below 2^128. A NaN or an infinity makes its own row
// NaN and no other. Throws Error where shapes do not fit or eps is out of range.
void layer_norm(MatrixView<const float> x, VectorView<const float> weight,
                VectorView<const float> bias, const LayerNormOptions& options,
                MatrixView<float> out, const Context& context = {},
                const LayerNormTrace& trace = {});

// The same into a new buffer.
inline Buffer<float, 2> layer_norm(MatrixView<const float> x, VectorView<const float> weight = {},
                                   VectorView<const float> bias = {},
                                   const LayerNormOptions& options = {},
                                   const Context& context = {}) {
  return detail::new_buffer(x.shape(),
                            [&](auto out) { layer_norm(x, weight, bias, options, out, context); });
}

// Gradients of layer_norm; null views are not computed.
struct LayerNormGradients {
  MatrixView<float> d_x = {};       // [N, C], overwritten; may be d_out itself
  VectorView<float> d_weight = {};  // [C], added to
  VectorView<float> d_bias = {};    // [C], added to
};

// The backward pass, from the gradient d_out [N, C] of the output and the trace of the forward
// pass. With z = (x - mean) * rstd and g = d_out * weight, for each row:
//
//   d_x = rstd * (g - mean of g - z * mean of g z)
//   d_weight += sum over rows of d_out z,  d_bias += sum over rows of d_out
//
// weight [C] is that of layer_norm, or none. The sums do not depend on the number of threads.
// Throws Error where shapes do not fit, before anything is written.
void layer_norm_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                         VectorView<const float> weight, VectorView<const float> mean,
                         VectorView<const float> rstd, const LayerNormGradients& gradients,
                         const Context& context = {});

// Throws Error unless eps is finite and at least 0.
void check_eps(double eps, const char* call);

}  // namespace tril
