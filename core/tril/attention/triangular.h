// Triangles of matrices: the elements on one side of a diagonal, zeros on the other.
//
//   lower   out[i, j] = x[i, j] where j <= i + diagonal, else 0
//   upper   out[i, j] = x[i, j] where j >= i + diagonal, else 0
#pragma once

#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

namespace tril {

// The part that is kept.
enum class Triangle { lower, upper };

// Their names.
inline constexpr Named<Triangle> kTriangles[] = {{"lower", Triangle::lower},
                                                 {"upper", Triangle::upper}};

// Which part is kept.
struct TriangularOptions {
  Triangle part = Triangle::lower;  // on which side of the diagonal, itself kept
  Index diagonal = 0;               // 0: the main one; above 0: above it; below 0: below it
};

// x and out [N, rows, cols] or [rows, cols], as torch.tril and torch.triu; out may be x itself. A
// NaN on the other side is gone, as it is there. Throws Error where shapes do not fit.
void triangular(TensorView<const float, 3> x, const TriangularOptions& options,
                TensorView<float, 3> out);
void triangular(MatrixView<const float> x, const TriangularOptions& options, MatrixView<float> out);

}  // namespace tril
