// Runs a product by the given method.
#pragma once

#include <tril/foundation/context.h>
#include <tril/matmul/batch.h>

#include <string_view>

namespace tril::detail {

// The fastest known method for products of this shape; never `automatic`.
MatmulMethod fastest_method(Index rows, Index cols, Index depth);

// Runs all products of a batch by a method that this build has.
void run_method(MatmulMethod method, const ProductBatch& batch, const Context& context);

// matmul for a caller that has already checked the arguments.
void run_matmul(const MatrixView<const float>& a, const MatrixView<const float>& b,
                const MatmulOptions& options, const MatrixView<float>& out, const Context& context);

}  // namespace tril::detail
