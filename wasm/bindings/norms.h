#pragma once

#include "tensor.h"

namespace tril::js {

struct NormOptions {
  int axes;  // how many axes at the end are normalised together
  double eps;
};

// weight and bias: null, or of the shape of those axes.
TensorHandle layer_norm(Engine& engine, const Tensor& x, const Tensor* weight, const Tensor* bias,
                        const NormOptions& options, Tensor* out);
TensorHandle rms_norm(Engine& engine, const Tensor& x, const Tensor* weight,
                      const NormOptions& options, Tensor* out);

}  // namespace tril::js
