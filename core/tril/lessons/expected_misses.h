// How often a loop order misses a small cache, by counting on paper instead of by trace.
//
// Square matrices of edge n, one after the other and each beginning with a line, L floats a line
// and r = n / L lines a row; a fully associative cache of W lines that keeps the least recently
// used, far too small for a matrix. Of the innermost loop a row costs r misses, a column n, an
// element 1:
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

// A cache small enough to be drawn.
struct SmallCache {
  Index line_floats = 4;  // L
  Index lines = 8;        // any of which may hold any line of memory
  // The edge t of the blocks of `blocked`.
  Index block = 4;
};

// The largest edge: the misses of larger matrices are more than a double can count.
inline constexpr Index kMostExpected = Index{1} << 17;

// None where the counting above does not hold: n is no multiple of L or above kMostExpected, the
// cache is too small or too large for it, or the method is none of these.
std::optional<std::uint64_t> expected_misses(MatmulMethod method, Index n, const SmallCache& cache);

}  // namespace tril
