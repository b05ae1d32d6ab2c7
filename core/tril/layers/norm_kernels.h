// The normalisations of one row; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/foundation/tensor.h>

namespace tril {

struct NormKernels {
  struct Moments {
    float mean, rstd;
  };
  // out[c] = (x[c] - mean) / sqrt(variance + eps) * weight[c] + bias[c]; weight and bias may be
  // null. out may be x.
  Moments (*layer_norm)(const float* x, const float* weight, const float* bias, double eps,
                        float* out, Index cols) noexcept;
  // out[c] = x[c] / sqrt(mean square + eps) * weight[c]; weight may be null. out may be x. Returns
  // 1 / sqrt(mean square + eps).
  float (*rms_norm)(const float* x, const float* weight, double eps, float* out,
                    Index cols) noexcept;
};

const NormKernels& norm_kernels(Isa isa = best_isa());

}  // namespace tril
