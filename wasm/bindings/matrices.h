#pragma once

#include <string>

#include "tensor.h"

namespace tril::js {

// The last two axes are matrices. part: "lower" or "upper".
TensorHandle triangular(Engine& engine, const Tensor& x, const std::string& part, int diagonal,
                        Tensor* out);

// x [rows, cols]; gives [min(rows, cols)].
TensorHandle singular_values(Engine& engine, const Tensor& x, Tensor* out);

}  // namespace tril::js
