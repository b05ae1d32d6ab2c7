// The backward pass of products of stacks of matrices (batched.h). With out = alpha op(a) op(b):
//
//   d_op(a) = alpha d_out op(b)^T,  d_op(b) = alpha op(a)^T d_out
//
// and what was repeated along an axis of the batch gets the sum over that axis.
#pragma once

#include <tril/matmul/batched.h>

namespace tril {

// Gradients of a product, each shaped as what it is the gradient of and overwritten; those that are
// not given are not computed.
struct MatmulGradients {
  MatrixStack<float> d_a = {};  // of a
  MatrixStack<float> d_b = {};  // of b
};

// d_out, a and b as batched_matmul's out, a and b, and its options but method, levels and
// accumulate, which are not looked at: sums are taken in the fastest order that is known, the same
// for any number of threads. What is written may not share memory with anything else. Throws Error
// where shapes do not fit, before anything is written.
void matmul_backward(const MatrixStack<const float>& d_out, const MatrixStack<const float>& a,
                     const MatrixStack<const float>& b, const MatmulOptions& options,
                     const MatmulGradients& gradients, const Context& context = {});

}  // namespace tril
