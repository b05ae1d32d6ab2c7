// The singular values of a matrix, which say how much each rank-1 part contributes: whether an
// attention matrix has low rank.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// x is [rows, cols], out [min(rows, cols)], the largest first. Eigen finds them: reflections reduce
// x to a triangle R, and the eigenvalues of [0 R^T; R 0] are the singular values and their
// negatives (Golub and Kahan 1965), in double and rounded at the end. The error of each is a few
// 2^-52 of the largest. An x that is not finite gives NaN. Working memory comes from the heap, 8
// bytes an element and 64 for each of min(rows, cols)^2. Throws Error where shapes do not fit,
// where memory is not enough, and where Tril was built without Eigen.
void singular_values(MatrixView<const float> x, VectorView<float> out);

}  // namespace tril
