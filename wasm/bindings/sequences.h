// Sequences of vectors as the layers of a Transformer take them, [B, T, C]; JavaScript may leave
// out the batch axis.
#pragma once

#include <string_view>

#include "tensor.h"

namespace tril::js {

// `tensor`, which has as many axes as `x`, as a batch. Throws Error, naming `argument`, where it
// has not 2 or 3.
inline TensorView<float, 3> sequences(Tensor& tensor, const Tensor& x, const char* call,
                                      const char* argument) {
  if (tensor.rank() != x.rank() || x.rank() < 2 || x.rank() > 3) {
    const Message other{", this is ", tensor}, nothing{""};
    fail(call, argument,
         {"must be [B, T, C] or [T, C], all inputs alike; x is ", x,
          &tensor == &x ? nothing : other});
  }
  return {tensor.data(), {x.rank() > 2 ? tensor.size(0) : 1, tensor.size(-2), tensor.size(-1)}};
}
inline TensorView<const float, 3> sequences(const Tensor& tensor, const Tensor& x, const char* call,
                                            const char* argument) {
  return sequences(const_cast<Tensor&>(tensor), x, call, argument);
}

// How many axes of [B, T, C] there are not in `x`.
inline int left_out(const Tensor& x) { return 3 - x.rank(); }

}  // namespace tril::js
