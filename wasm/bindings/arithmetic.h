#pragma once

#include <string>

#include "tensor.h"

namespace tril::js {

// The operation of that name (kBinary) on two tensors of up to 8 axes that broadcast; in place
// of a null one stands its number.
TensorHandle arithmetic(Engine& engine, const std::string& operation, const Tensor* x,
                        float x_number, const Tensor* y, float y_number, Tensor* out);

}  // namespace tril::js
