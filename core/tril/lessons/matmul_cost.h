// The cost of a matrix product (lessons/cost.h says what is counted).
#pragma once

#include <tril/lessons/cost.h>
#include <tril/matmul/matmul.h>

namespace tril {

// The sizes of a stack of products.
struct MatmulSizes {
  Index batches = 1;                    // number of products
  Index rows = 1, depth = 1, cols = 1;  // sizes of each
};

// A product takes 2 rows cols depth flops, a multiplication and an addition a term, in any order.
// `strassen` takes, for each given level or each halving of matmul, 7 products of half the sizes
// and 18 sums of quarters (5 of A's, 5 of B's, 8 of out's); remaining rows, columns and depth are
// counted as in a plain product. Throws Error for a size below 1, and as matmul does for `levels`.
Cost matmul_cost(const MatmulSizes& sizes, MatmulMethod method = MatmulMethod::automatic,
                 int levels = -1);

}  // namespace tril
