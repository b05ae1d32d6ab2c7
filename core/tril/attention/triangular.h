// Triangles of matrices: the elements on one side of a diagonal, zeros on the other.
//
//   lower   out[i, j] = x[i, j] where j <= i + diagonal, else 0
//   upper   out[i, j] = x[i, j] where j >= i + diagonal, else 0
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

namespace tril {

// The triangle to keep.
enum class Triangle { lower, upper };

// Their names.
inline constexpr Named<Triangle> kTriangles[] = {{"lower", Triangle::lower},
                                                 {"upper", Triangle::upper}};

// Options of triangular().
struct TriangularOptions {
  Triangle part = Triangle::lower;  // the side to keep, with the diagonal
  Index diagonal = 0;               // 0: the main one; above 0: above it; below 0: below it
};

// x and out are [N, rows, cols] or [rows, cols], as in torch.tril and torch.triu; out may be x
// itself. The other side becomes 0 even where it is NaN, as in torch. Throws Error where shapes do
// not fit.
void triangular(TensorView<const float, 3> x, const TriangularOptions& options,
                TensorView<float, 3> out);
void triangular(MatrixView<const float> x, const TriangularOptions& options, MatrixView<float> out);

}  // namespace tril
