// The product of one row or one column: a vector times a matrix, bound by memory.
#pragma once

#include <tril/foundation/context.h>
#include <tril/matmul/batch.h>
#include <tril/matmul/vector_kernels.h>

namespace tril::detail {

// A second thread is not faster up to this number of elements, each of which is read once: reading
// 32 Ki floats = 128 KiB takes about 5 microseconds, and a round of spinning threads takes 1.
inline constexpr double kSerialElements = 32 << 10;

// Computes products of one row or one column; one column is one row of the transposed product. A
// vector with gaps is copied into working memory, depth floats for each thread.
void multiply_vector(const ProductBatch& batch, const Context& context,
                     const VectorKernels& kernels = vector_kernels());

}  // namespace tril::detail
