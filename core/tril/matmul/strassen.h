// Strassen's product (1969): 7 half-sized products instead of 8, at the price of 18 sums.
//
// No half-sized matrix is stored. As in Huang, Smith, Henry and van de Geijn, "Strassen's Algorithm
// Reloaded" (SC 2016), packing computes the sums of A's and B's quarters block by block, and a
// finished block is added to every quarter of out that it belongs to. So the working memory is a
// few blocks per thread, whatever the size. Winograd's form has 15 sums, but some are sums of sums,
// which must be stored, and its products go into 14 quarters instead of 12: measured with AVX-512
// at 2048, the best of six variants took 79 ms, this form 74 and the tiled product 81.
#pragma once

#include <tril/foundation/context.h>
#include <tril/matmul/product.h>
#include <tril/matmul/tile_kernels.h>

#include <array>
#include <string_view>

namespace tril {

// One of the seven products: (sum of a[q] * A's quarter q) * (sum of b[q] * B's quarter q), which
// is added out[q] times to quarter q of out. The quarters are 11, 12, 21, 22 in this order.
struct StrassenProduct {
  std::array<int, 4> a, b, out;  // -1, 0 or 1 for each quarter
};

// All seven products.
inline constexpr std::array<StrassenProduct, 7> kStrassenProducts{{
    {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}},   // M1 = (A11 + A22) (B11 + B22)
    {{0, 0, 1, 1}, {1, 0, 0, 0}, {0, 0, 1, -1}},  // M2 = (A21 + A22) B11
    {{1, 0, 0, 0}, {0, 1, 0, -1}, {0, 1, 0, 1}},  // M3 = A11 (B12 - B22)
    {{0, 0, 0, 1}, {-1, 0, 1, 0}, {1, 0, 1, 0}},  // M4 = A22 (B21 - B11)
    {{1, 1, 0, 0}, {0, 0, 0, 1}, {-1, 1, 0, 0}},  // M5 = (A11 + A12) B22
    {{-1, 0, 1, 0}, {1, 1, 0, 0}, {0, 0, 0, 1}},  // M6 = (A21 - A11) (B11 + B12)
    {{0, 1, 0, -1}, {0, 0, 1, 1}, {1, 0, 0, 0}},  // M7 = (A12 - A22) (B21 + B22)
}};

// The number of halvings of a product of this shape: 1 where all three sizes are at least
// TileKernels::strassen_from, 2 from four times that on.
int strassen_levels(Index rows, Index cols, Index depth);

// The bytes of Scratch that matmul takes for a Strassen product of any shape.
Index strassen_workspace(int threads);

namespace detail {

inline constexpr int kMostStrassenLevels = 2;

// Throws Error in the name of `call` for levels that the method does not support; -1 stands for the
// default.
void check_levels(MatmulMethod method, int levels, const char* call);

// Sizes that are not multiples of 2^levels are peeled: multiply_tiled computes the rest.
void multiply_strassen(const Product& product, int levels, const Context& context,
                       const TileKernels& kernels = tile_kernels());

}  // namespace detail
}  // namespace tril
