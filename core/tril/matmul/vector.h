// The product of one row or one column: a vector times a matrix, bound by memory.
#pragma once

#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/matmul/product.h>
#include <tril/matmul/vector_kernels.h>

namespace tril::detail {

// product.rows or product.cols is 1; one column is one row of the transposed product. `scratch`
// holds the vector, depth floats, where its elements are not neighbours.
void multiply_vector(const Product& product, Scratch& scratch, Parallel& parallel,
                     const VectorKernels& kernels = vector_kernels());

}  // namespace tril::detail
