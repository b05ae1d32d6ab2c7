// From a method's name to what runs it.
#pragma once

#include <tril/foundation/context.h>
#include <tril/matmul/batch.h>

#include <string_view>

namespace tril::detail {

// The fastest method that is known for products of this shape; never `automatic`.
MatmulMethod fastest_method(Index rows, Index cols, Index depth);

// Runs all products of the batch by a method that there is.
void run_method(MatmulMethod method, const ProductBatch& batch, const Context& context);

// matmul for a call that has checked its arguments already.
void run_matmul(const MatrixView<const float>& a, const MatrixView<const float>& b,
                const MatmulOptions& options, const MatrixView<float>& out, const Context& context);

}  // namespace tril::detail
