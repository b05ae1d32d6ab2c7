// Products of stacks of matrices, as numpy.matmul: the last two axes are matrices, and the axes
// before them broadcast.
//
//     out[..., :, :] = alpha * op(a[..., :, :]) * op(b[..., :, :]) (+ out[..., :, :])
//
// An axis that a stack lacks, or that has size 1, is repeated without a copy, so that one matrix
// can serve many products. Strides are arbitrary: the heads inside a [B, T, H*D] projection are the
// stack [B, H, T, D] with strides {T*H*D, D, H*D, 1}.
#pragma once

#include <tril/foundation/broadcast.h>
#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/matmul.h>

namespace tril {

// The batch axes that stacks of these shapes broadcast to. Throws Error in the name of `call` where
// they do not, or where a stack has fewer than two axes.
AnyShape broadcast_axes(const AnyShape& a, const AnyShape& b, const char* call = "batched_matmul");

// Multiplies stacks of 2 to 8 axes. Products that share b and whose rows are evenly spaced are
// computed as one product. Throws Error where the batch axes do not broadcast, out does not have
// the broadcast shape, and as matmul does.
void batched_matmul(const AnyView<const float>& a, const AnyView<const float>& b,
                    const MatmulOptions& options, const AnyView<float>& out,
                    const Context& context = {});

}  // namespace tril
