#pragma once

#include "tensor.h"

namespace tril::js {

struct NormOptions {
  int axes;  // how many axes at the end are normalised together
  double eps;
};

// The last `axes` axes of x taken as one, all before them as the other. Throws Error, naming
// `call`, for a number that x has not.
Shape<2> rows_and_columns(const Tensor& x, int axes, const char* call);

// weight and bias: null, or of the shape of those axes.
TensorHandle layer_norm(Engine& engine, const Tensor& x, const Tensor* weight, const Tensor* bias,
                        const NormOptions& options, Tensor* out);
TensorHandle rms_norm(Engine& engine, const Tensor& x, const Tensor* weight,
                      const NormOptions& options, Tensor* out);

}  // namespace tril::js
