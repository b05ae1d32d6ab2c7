// One level of Strassen's product (1969), step by step: seven products of sums instead of eight of
// quarters.
//
//     left[p] = sum of A's quarters,  right[p] = sum of B's,  products[p] = left[p] * right[p]
//     quarters of out = sums of products, all with the signs of kStrassenProducts
//
// For teaching, it stores the sums; matmul's method strassen (strassen.h) is the fast one.
#pragma once

#include <tril/foundation/tensor.h>

namespace tril {

// The intermediate results, all of which must be given.
struct StrassenLevelTrace {
  TensorView<float, 3> left;      // [7, rows / 2, depth / 2]
  TensorView<float, 3> right;     // [7, depth / 2, cols / 2]
  TensorView<float, 3> products;  // [7, rows / 2, cols / 2]
};

// a [rows, depth], b [depth, cols], out [rows, cols], all sizes even. Throws Error where shapes do
// not fit or an output shares memory with an input.
void strassen_level(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out,
                    const StrassenLevelTrace& trace);

}  // namespace tril
