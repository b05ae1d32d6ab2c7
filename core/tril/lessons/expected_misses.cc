#include <tril/lessons/expected_misses.h>

namespace tril {

std::optional<std::uint64_t> expected_misses(MatmulMethod method, Index n,
                                             const SmallCache& cache) {
  const Index L = cache.line_floats, W = cache.lines, t = cache.block;
  if (n < 1 || n > kMostExpected || L < 1 || n % L != 0) return std::nullopt;
  const std::int64_t r = n / L, turns = std::int64_t{n} * n, clear = n * r;
  // The cache needs at least two lines, one that stays and one that moves. It must be smaller than
  // a column and a row, so that nothing survives from one pass over them to the next.
  if (r < 2 || W < 2 || W > n - L + 1) return std::nullopt;
  std::int64_t misses = 0;
  switch (method) {
    case MatmulMethod::ijk:
    case MatmulMethod::jik:
      misses = turns * (r + n + 1);
      break;
    case MatmulMethod::ikj:
      misses =
          (W >= 2 * r ? n * r : turns * r) + turns * r + (W >= 2 * r + 1 ? n * r : turns) + clear;
      break;
    case MatmulMethod::kij:
      misses = turns * r + (W >= 2 * r + 2 ? n * r : turns * r) + turns + clear;
      break;
    case MatmulMethod::jki:
    case MatmulMethod::kji:
      misses = turns * (n + n + 1) + clear;
      break;
    case MatmulMethod::blocked: {
      if (t != L || n % t != 0) return std::nullopt;
      // The cache must hold b's block of t lines, two lines of a and two of out from one row to the
      // next; and it must be smaller than the data between two uses of a line of a, in one block
      // and in the next.
      if (W < t + 4 || W > 2 * t + 1) return std::nullopt;
      const std::int64_t edge = n / t, blocks = edge * edge * edge;
      misses = blocks * 3 * t + clear;
      break;
    }
    default:
      return std::nullopt;
  }
  return static_cast<std::uint64_t>(misses);
}

}  // namespace tril
