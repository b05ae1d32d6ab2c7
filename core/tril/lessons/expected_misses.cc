#include <tril/lessons/expected_misses.h>

namespace tril {

std::optional<std::uint64_t> expected_misses(MatmulMethod method, Index n,
                                             const SmallCache& cache) {
  const Index L = cache.line_floats, W = cache.lines, t = cache.block;
  if (n < 1 || n > kMostExpected || L < 1 || n % L != 0) return std::nullopt;
  const std::int64_t r = n / L, turns = std::int64_t{n} * n, clear = n * r;
  // At least two lines: one that stands still and one that moves. Less than a column and a row, so
  // that nothing lasts from one walk along them to the next.
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
      // b's block of t lines, two of a and two of out while one row follows the other; and less
      // than what lies between two uses of a line of a, in one block and in the next.
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
