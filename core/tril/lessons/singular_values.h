// The singular values of a matrix, which say how much each rank-1 part contributes: whether an
// attention matrix has low rank.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// x is [rows, cols], out [min(rows, cols)], the largest first. Reflections reduce x to a bidiagonal
// matrix (Golub and Kahan 1965), whose singular values bisection finds (Demmel and Kahan 1990,
// section 4), in double and rounded at the end. The error of each is at most a few 2^-52 of the
// largest. An x that is not finite gives NaN. Working memory comes from the heap, 8 bytes an
// element. Throws Error where shapes do not fit.
void singular_values(MatrixView<const float> x, VectorView<float> out);

}  // namespace tril
