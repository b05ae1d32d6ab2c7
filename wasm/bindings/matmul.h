#pragma once

#include <tril/matmul/batched.h>

#include <string>

#include "tensor.h"

namespace tril::js {

struct MatmulOptions {
  std::string method;
  bool transpose_a;
  bool transpose_b;
  int levels;  // -1: not given
};

// Two factors as stacks of matrices, and the shape of their product. A vector is a matrix of one
// row (left) or one column (right).
struct Product {
  // Throws Error, naming a, b or a transposed vector, if the factors do not broadcast.
  Product(const Tensor& a, const Tensor& b, const MatmulOptions& options);

  AnyView<const float> left, right;
  AnyShape full;       // includes the axes of vectors
  DynamicShape shape;  // the shape in NumPy
};

}  // namespace tril::js
