#pragma once

#include <tril/matmul/batched.h>

#include <string>

#include "tensor.h"

namespace tril::js {

struct MatmulOptions {
  std::string method;
  bool transpose_a;
  bool transpose_b;
  int levels;  // -1: none given
};

// Two factors as stacks of matrices, and what comes out. A vector is a matrix of one row (left) or
// one column (right).
struct Product {
  // Throws Error, naming a, b or a transposed vector, where they do not broadcast.
  Product(const Tensor& a, const Tensor& b, const MatmulOptions& options);

  AnyView<const float> left, right;
  AnyShape full;       // with the axes of vectors
  DynamicShape shape;  // as NumPy has it
};

}  // namespace tril::js
