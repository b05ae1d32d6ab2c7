// Strassen's product (1969): 7 half-sized products in place of 8, at the price of 18 sums.
//
// No half-sized matrix is ever stored. As in Huang, Smith, Henry and van de Geijn, "Strassen's
// Algorithm Reloaded" (SC 2016), the sums of A's and B's quarters are formed block by block while
// they are packed, and a finished block is added to every quarter of out that it belongs to; so the
// working memory is a few blocks per thread, whatever the size. Winograd's form has 15 sums, but
// sums of sums, which must be stored, and its products go into 14 quarters instead of 12: measured
// with AVX-512 at 2048, the best of six ways to cut it took 79 ms, this form 74 and the tiled
// product 81.
#pragma once

#include <tril/foundation/context.h>
#include <tril/matmul/product.h>
#include <tril/matmul/tile_kernels.h>

#include <array>
#include <string_view>

namespace tril {

// One of the seven: (sum of a[q] * A's quarter q) * (sum of b[q] * B's quarter q), which goes
// out[q] times into out's quarter q. Quarters are 11, 12, 21, 22 in this order.
struct StrassenProduct {
  std::array<int, 4> a, b, out;  // -1, 0 or 1 for each quarter
};

// All seven.
inline constexpr std::array<StrassenProduct, 7> kStrassenProducts{{
    {{1, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 0, 1}},   // M1 = (A11 + A22) (B11 + B22)
    {{0, 0, 1, 1}, {1, 0, 0, 0}, {0, 0, 1, -1}},  // M2 = (A21 + A22) B11
    {{1, 0, 0, 0}, {0, 1, 0, -1}, {0, 1, 0, 1}},  // M3 = A11 (B12 - B22)
    {{0, 0, 0, 1}, {-1, 0, 1, 0}, {1, 0, 1, 0}},  // M4 = A22 (B21 - B11)
    {{1, 1, 0, 0}, {0, 0, 0, 1}, {-1, 1, 0, 0}},  // M5 = (A11 + A12) B22
    {{-1, 0, 1, 0}, {1, 1, 0, 0}, {0, 0, 0, 1}},  // M6 = (A21 - A11) (B11 + B12)
    {{0, 1, 0, -1}, {0, 0, 1, 1}, {1, 0, 0, 0}},  // M7 = (A12 - A22) (B21 + B22)
}};

// How often a product of this shape is halved: once from TileKernels::strassen_from on, in all
// three sizes, and twice from four times that.
int strassen_levels(Index rows, Index cols, Index depth);

// Bytes that matmul takes from its Scratch for a Strassen product, of any shape.
Index strassen_workspace(int threads);

namespace detail {

inline constexpr int kMostStrassenLevels = 2;

// Throws Error in the name of `call` for levels that the method does not have; -1 is none given.
void check_levels(MatmulMethod method, int levels, const char* call);

// Sizes that do not divide by 2^levels are peeled: the rest is multiplied by multiply_tiled.
void multiply_strassen(const Product& product, int levels, const Context& context,
                       const TileKernels& kernels = tile_kernels());

}  // namespace detail
}  // namespace tril
