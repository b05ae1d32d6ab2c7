#pragma once

#include "tensor.h"

namespace tril::js {

struct SoftmaxOptions {
  int axis;  // counted from the end where negative
  double temperature;
};

// x, which has no gaps, as [outer, size, inner] around one of its axes. Throws Error, naming
// `call`, for an axis that there is not.
Shape<3> around(const Tensor& x, int axis, const char* call);

// Tensors of any rank.
TensorHandle softmax(Engine& engine, const Tensor& x, const SoftmaxOptions& options, Tensor* out);
TensorHandle log_softmax(Engine& engine, const Tensor& x, const SoftmaxOptions& options,
                         Tensor* out);

}  // namespace tril::js
