// What a matrix product costs (foundation/cost.h says what is counted).
#pragma once

#include <tril/lessons/cost.h>
#include <tril/matmul/matmul.h>

namespace tril {

// The sizes of a stack of products.
struct MatmulSizes {
  Index batches = 1;                    // how many products
  Index rows = 1, depth = 1, cols = 1;  // of each
};

// 2 rows cols depth flops: a multiplication and an addition a term, in whatever order. `strassen`,
// for as many levels as are given or matmul would halve: 7 products of half the sizes and 18 sums
// of quarters (5 of A's, 5 of B's, 8 of out's); rows, columns and depth that are left over go by
// the plain way. Throws Error for a size below 1, and as matmul does for `levels`.
Cost matmul_cost(const MatmulSizes& sizes, MatmulMethod method = MatmulMethod::automatic,
                 int levels = -1);

}  // namespace tril
