#pragma once

#include "tensor.h"

namespace tril::js {

struct SoftmaxOptions {
  int axis;  // counted from the end where negative
  double temperature;
};

// Tensors of any rank.
TensorHandle softmax(Engine& engine, const Tensor& x, const SoftmaxOptions& options, Tensor* out);
TensorHandle log_softmax(Engine& engine, const Tensor& x, const SoftmaxOptions& options,
                         Tensor* out);

}  // namespace tril::js
