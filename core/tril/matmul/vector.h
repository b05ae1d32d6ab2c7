// The product of one row or one column: a vector times a matrix, bound by memory.
#pragma once

#include <tril/foundation/context.h>
#include <tril/matmul/batch.h>
#include <tril/matmul/vector_kernels.h>

namespace tril::detail {

// Elements of a matrix up to which a second thread does not pay where each is read once: 32 Ki
// floats = 128 KiB take some 5 microseconds of reading, and a round among threads that are awake
// takes 1.
inline constexpr double kSerialElements = 32 << 10;

// Each product has one row or one column; one column is one row of the transposed product. Where
// the vector's elements are not neighbours, `scratch` holds it, depth floats for each thread.
void multiply_vector(const ProductBatch& batch, const Context& context,
                     const VectorKernels& kernels = vector_kernels());

}  // namespace tril::detail
