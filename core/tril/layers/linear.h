// The linear layer: out = x W^T + b.
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/weight.h>

#include <string_view>

namespace tril {

// x [N, in], weight [out, in] of any kind (matmul/weight.h), bias [out] or none, out [N, out], as
// torch.nn.functional.linear; rows of x, of a weight of floats and of out may have any stride. out
// may not share memory with an input. Throws Error where shapes do not fit.
void linear(MatrixView<const float> x, const Weight& weight, VectorView<const float> bias,
            MatrixView<float> out, const Context& context = {});

// The same into a new buffer.
inline Buffer<float, 2> linear(MatrixView<const float> x, const Weight& weight,
                               VectorView<const float> bias = {}, const Context& context = {}) {
  return detail::new_buffer(Shape<2>{x.size(0), weight.size(0)},
                            [&](auto out) { linear(x, weight, bias, out, context); });
}

// Gradients of linear; null views are not computed.
struct LinearGradients {
  MatrixView<float> d_x = {};       // [N, in], overwritten
  MatrixView<float> d_weight = {};  // [out, in], added to
  VectorView<float> d_bias = {};    // [out], added to
};

// The backward pass, from the gradient d_out [N, out] of the output:
//
//   d_x = d_out W,  d_weight += d_out^T x,  d_bias += sum over rows of d_out
//
// x [N, in] is read for d_weight only, weight [out, in] for d_x only; a view that is not read may
// be null. Outputs may not share memory with anything else. Results do not depend on the number of
// threads. Throws Error where shapes do not fit, before anything is written.
void linear_backward(MatrixView<const float> d_out, MatrixView<const float> x,
                     MatrixView<const float> weight, const LinearGradients& gradients,
                     const Context& context = {});

}  // namespace tril
