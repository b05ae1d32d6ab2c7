// From a method's name to what runs it.
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/matmul/batch.h>

#include <string_view>

namespace tril::detail {

// The fastest method that is known for products of this shape; never `automatic`.
MatmulMethod fastest_method(Index rows, Index cols, Index depth) noexcept;

// Runs all products of the batch. Throws Error, in the name of `call`, for a method that is none.
void run_method(MatmulMethod method, const ProductBatch& batch, const char* call, Scratch& scratch,
                Parallel& parallel);

}  // namespace tril::detail
