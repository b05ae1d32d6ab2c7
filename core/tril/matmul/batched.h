// Products of stacks of matrices, as numpy.matmul: the last two axes are matrices, and the axes
// before them broadcast.
//
//     out[..., :, :] = alpha * op(a[..., :, :]) * op(b[..., :, :]) (+ out[..., :, :])
//
// An axis that a stack lacks, or that has size 1, is repeated without a copy, so one matrix can be
// a factor of many products. Strides are arbitrary: the heads inside a [B, T, H*D] projection are
// the stack [B, H, T, D] with strides {T*H*D, D, H*D, 1}.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/matmul.h>

namespace tril {

// Returns the broadcast batch axes of stacks of these shapes. Throws Error in the name of `call` if
// they do not broadcast, or if a stack has fewer than two axes.
AnyShape broadcast_axes(const AnyShape& a, const AnyShape& b, const char* call = "batched_matmul");

// Multiplies stacks of 2 to 8 axes. Products that share b and have evenly spaced rows are computed
// as one product. Throws Error if the batch axes do not broadcast, if out does not have the
// broadcast shape, and for the errors of matmul.
void batched_matmul(const AnyView<const float>& a, const AnyView<const float>& b,
                    const MatmulOptions& options, const AnyView<float>& out,
                    const Context& context = {});

}  // namespace tril
