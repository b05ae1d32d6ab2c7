// Normalisation by the root mean square (Zhang, Sennrich 2019): layer normalisation without the
// shift.
//
//   out[n, :] = x[n, :] / sqrt(1/C sum_c x[n, c]^2 + eps) * weight
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/tensor.h>

namespace tril {

// What is not a tensor.
struct RmsNormOptions {
  double eps =
      1e-5;  // added to the mean square: finite, at least 0; ONNX's default (PyTorch: 2^-23)
};

// x and out [N, C], weight [C] or none, as torch.nn.functional.rms_norm and ONNX's
// RMSNormalization. Rows may have any stride; out may be x itself. Squares must stay below 2^128. A
// NaN makes its own row NaN and no other. Throws Error where shapes do not fit or eps is not what
// it must be.
void rms_norm(MatrixView<const float> x, VectorView<const float> weight,
              const RmsNormOptions& options, MatrixView<float> out, Parallel& parallel);

}  // namespace tril
