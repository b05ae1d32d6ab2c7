#pragma once

#include <tril/matmul/matmul.h>

#include <string>

#include "tensor.h"

namespace tril::js {

struct MatmulOptions {
  std::string method;
  bool transpose_a;
  bool transpose_b;
  int levels;  // -1: none given
};

// NumPy's matmul: batch axes broadcast, a vector is a row on the left and a column on the right and
// its axis is left out of the result. Two vectors give one number, of shape [1].
TensorHandle matmul(Engine& engine, const Tensor& a, const Tensor& b, const MatmulOptions& options,
                    Tensor* out);

}  // namespace tril::js
