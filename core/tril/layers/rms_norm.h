// Normalisation by the root mean square (Zhang, Sennrich 2019): layer normalisation without the
// shift.
//
//   out[n, :] = x[n, :] / sqrt(1/C sum_c x[n, c]^2 + eps) * weight
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>

namespace tril {

// Options of rms_norm().
struct RmsNormOptions {
  double eps =
      1e-5;  // added to the mean square: finite, at least 0; ONNX's default (PyTorch: 2^-23)
};

// x and out [N, C], weight [C] or none, as torch.nn.functional.rms_norm and ONNX's
// RMSNormalization. Rows may have any stride; out may be x itself. Squares must stay below 2^128. A
// NaN makes its own row NaN and no other. rstd [N], where given, gets 1 / sqrt(mean square + eps),
// which the backward pass needs. Throws Error where shapes do not fit or eps is out of range.
void rms_norm(MatrixView<const float> x, VectorView<const float> weight,
              const RmsNormOptions& options, MatrixView<float> out, const Context& context = {},
              VectorView<float> rstd = {});

// The same into a new buffer.
inline Buffer<float, 2> rms_norm(MatrixView<const float> x, VectorView<const float> weight = {},
                                 const RmsNormOptions& options = {}, const Context& context = {}) {
  return detail::new_buffer(x.shape(),
                            [&](auto out) { rms_norm(x, weight, options, out, context); });
}

// Gradients of rms_norm; null views are not computed.
struct RmsNormGradients {
  MatrixView<float> d_x = {};       // [N, C], overwritten; may be d_out itself
  VectorView<float> d_weight = {};  // [C], added to
};

// The backward pass, from the gradient d_out [N, C] of the output and the rstd of the forward pass.
// With z = x * rstd and g = d_out * weight, for each row:
//
//   d_x = rstd * (g - z * mean of g z),  d_weight += sum over rows of d_out z
//
// The sums do not depend on the number of threads. Throws Error where shapes do not fit, before
// anything is written.
void rms_norm_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                       VectorView<const float> weight, VectorView<const float> rstd,
                       const RmsNormGradients& gradients, const Context& context = {});

}  // namespace tril
