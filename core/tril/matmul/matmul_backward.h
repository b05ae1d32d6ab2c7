// The backward pass of products of stacks of matrices (batched.h). With out = alpha op(a) op(b):
//
//   d_op(a) = alpha d_out op(b)^T,  d_op(b) = alpha op(a)^T d_out
//
// The gradient of a matrix that is repeated along a batch axis is the sum over that axis.
#pragma once

#include <tril/matmul/batched.h>

namespace tril {

// Gradients of a product, with the shapes of a and b; each is overwritten. A null view is not
// computed.
struct MatmulGradients {
  AnyView<float> d_a = {};  // the gradient of a
  AnyView<float> d_b = {};  // the gradient of b
};

// d_out has the shape of batched_matmul's out. a, b and options are those of the forward pass;
// method, levels and accumulate are ignored, and the fastest known method is used. Results do not
// depend on the number of threads. Outputs may not share memory with anything else. Throws Error
// where shapes do not fit, before anything is written.
void matmul_backward(const AnyView<const float>& d_out, const AnyView<const float>& a,
                     const AnyView<const float>& b, const MatmulOptions& options,
                     const MatmulGradients& gradients, const Context& context = {});

}  // namespace tril
