// The singular values of a matrix: how much of it each rank-1 part holds. What tells whether an
// attention matrix is of low rank.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// x [rows, cols], out [min(rows, cols)], the largest first: reduced to a bidiagonal matrix by
// reflections (Golub and Kahan 1965), whose values are found by bisection (Demmel and Kahan 1990,
// section 4), in double, rounded at the end. Each is off by a few 2^-52 of the largest at most. An
// x that is not finite gives NaN. Takes its working memory from the heap, 8 bytes an element.
// Throws Error where shapes do not fit.
void singular_values(MatrixView<const float> x, VectorView<float> out);

}  // namespace tril
