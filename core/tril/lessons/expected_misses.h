// The number of misses of a loop order in a small cache, from formulas instead of a trace.
//
// The matrices are square with edge n, follow one another in memory, and each begins with a line; a
// line has L floats and a row r = n / L lines. The cache is fully associative with W lines and
// least-recently-used replacement, and far too small for a matrix. In the innermost loop a row
// costs r misses, a column n, an element 1:
//
//     ijk, jik   n^2 (r + n + 1)
//     ikj        n^2 (r + r + 1) + n r for zeroing out; once W >= 2 r a row of out stays while its
//                terms are added, once W >= 2 r + 1 a line of a as well
//     kij        as ikj; once W >= 2 r + 2 a row of b stays
//     jki, kji   n^2 (n + n + 1) + n r
//     blocked    (n / t)^3 blocks of 3 t^2 / L, + n r: b's block and rows of a and out fit, no more
#pragma once

#include <tril/foundation/tensor.h>
#include <tril/matmul/matmul.h>

#include <cstdint>
#include <optional>

namespace tril {

// A cache small enough to draw.
struct SmallCache {
  Index line_floats = 4;  // L
  Index lines = 8;        // number of lines; each may hold any line of memory
  // The edge t of the blocks of `blocked`.
  Index block = 4;
};

// The largest edge: a double could not count the misses of larger matrices.
inline constexpr Index kMostExpected = Index{1} << 17;

// The number of misses; nothing where the formulas do not apply: n is not a multiple of L or above
// kMostExpected, the cache is too small or too large for them, or the method is not listed.
std::optional<std::uint64_t> expected_misses(MatmulMethod method, Index n, const SmallCache& cache);

}  // namespace tril
