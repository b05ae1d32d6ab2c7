// The singular values of a matrix: how much of it each rank-1 part holds. What tells whether an
// attention matrix is of low rank.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// x [rows, cols], out [min(rows, cols)], the largest first; by Eigen's divide-and-conquer SVD in
// double (Gu and Eisenstat 1995), rounded at the end. An x that is not finite gives NaN. Takes its
// working memory from the heap, about 32 bytes an element. Throws Error where shapes do not fit.
void singular_values(MatrixView<const float> x, VectorView<float> out);

}  // namespace tril
