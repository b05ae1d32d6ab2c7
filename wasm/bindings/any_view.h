// Conversions between tensors and the core's views whose rank is known only when the program runs.
#pragma once

#include <tril/foundation/broadcast.h>

#include <algorithm>
#include <vector>

#include "tensor.h"

namespace tril::js {

// Converts a shape. Throws Error for more axes than the core supports.
inline AnyShape any_shape(const DynamicShape& sizes, const char* call, const char* argument) {
  AnyShape shape;
  shape.rank = static_cast<int>(sizes.size());
  if (shape.rank > tril::detail::kMostAxes) {
    fail(call, argument, {"at most 8 axes; shape is ", sizes});
  }
  std::copy(sizes.begin(), sizes.end(), shape.sizes.begin());
  return shape;
}
inline AnyView<const float> any_view(const Tensor& tensor, const char* call, const char* argument) {
  return {tensor.data(), any_shape(tensor.shape(), call, argument)};
}

// The view of a tensor, or, for a null pointer, of `number`, which must outlive the view.
inline AnyView<const float> operand(const Tensor* tensor, const float& number, const char* call,
                                    const char* argument) {
  return tensor ? any_view(*tensor, call, argument) : AnyView<const float>(number);
}

// The shape of a JavaScript tensor: a shape without axes becomes one axis of size 1.
inline DynamicShape dynamic_shape(const AnyShape& shape) {
  if (shape.rank == 0) return {1};
  return {shape.sizes.begin(), shape.sizes.begin() + shape.rank};
}

// Converts JavaScript numbers to integers, clamped to 32 bits; NaN becomes 0.
std::vector<Index> indices_from(const Numbers& numbers);

}  // namespace tril::js
