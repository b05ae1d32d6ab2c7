// The misses of the closed formulas equal those of the trace, wherever the formulas apply.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/lessons/access_trace.h>
#include <tril/lessons/cache_model.h>
#include <tril/lessons/expected_misses.h>

#include "core/sanitized.h"

namespace tril {
namespace {

constexpr MatmulMethod kAll[] = {MatmulMethod::ijk,    MatmulMethod::ikj, MatmulMethod::jik,
                                 MatmulMethod::jki,    MatmulMethod::kij, MatmulMethod::kji,
                                 MatmulMethod::blocked};

std::uint64_t counted(MatmulMethod method, Index n, const SmallCache& small) {
  Buffer<float, 2> a({n, n}), b({n, n}), out({n, n});
  const auto bytes = static_cast<std::uint64_t>(n * n) * sizeof(float);
  CacheModel cache({.line_bytes = small.line_floats * 4, .ways = small.lines, .sets = 1});
  trace_matmul(a, b, {.method = method},
               {.a = 0, .b = bytes, .out = 2 * bytes, .block = small.block}, out,
               [&](const MatrixAccess& access) { cache.access(access.address); });
  return cache.misses();
}

TEST(ExpectedMisses, AreThoseOfTheTrace) {
  int compared[7] = {};
  constexpr Index kMost = TRIL_SANITIZED ? 16 : 24;
  for (Index n = 4; n <= kMost; n += n < 16 ? 4 : 8) {
    for (const Index line : {2, 4, 8}) {
      for (Index lines = 1; lines <= n + 2; ++lines) {
        const SmallCache cache{.line_floats = line, .lines = lines, .block = line};
        for (const MatmulMethod& method : kAll) {
          const auto expected = expected_misses(method, n, cache);
          if (!expected) continue;
          ++compared[static_cast<int>(&method - kAll)];
          EXPECT_EQ(*expected, counted(method, n, cache))
              << "method " << static_cast<int>(method) << ", n " << n << ", " << lines
              << " lines of " << line;
        }
      }
    }
  }
  for (const int times : compared) EXPECT_GT(times, 0);
}

// The page's example: 16 x 16 in lines of 4, and 8 lines of cache.
TEST(ExpectedMisses, OfTheSmallestExample) {
  const std::uint64_t expected[] = {5376, 1408, 5376, 8512, 2368, 8512, 832};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(expected_misses(kAll[i], 16, {}), expected[i]);
}

// n^2 (n / L + n + 1), which exceeds 32 bits.
TEST(ExpectedMisses, AreCountedWhereAnIndexOf32BitsEnds) {
  for (const std::uint64_t n : {std::uint64_t{2048}, std::uint64_t{1} << 17}) {
    EXPECT_EQ(expected_misses(MatmulMethod::ijk, static_cast<Index>(n), {}),
              n * n * (n / 4 + n + 1));
  }
  EXPECT_EQ(expected_misses(MatmulMethod::ijk, kMostExpected + 4, {}), std::nullopt);
}

TEST(ExpectedMisses, AreNotGuessed) {
  EXPECT_EQ(expected_misses(MatmulMethod::ijk, 15, {}), std::nullopt);
  EXPECT_EQ(expected_misses(MatmulMethod::ijk, 16, {.lines = 192}), std::nullopt);
  EXPECT_EQ(expected_misses(MatmulMethod::ijk, 16, {.lines = 1}), std::nullopt);
  EXPECT_EQ(expected_misses(MatmulMethod::blocked, 16, {.block = 3}), std::nullopt);
  EXPECT_EQ(expected_misses(MatmulMethod::tiled, 16, {}), std::nullopt);
}

}  // namespace
}  // namespace tril
