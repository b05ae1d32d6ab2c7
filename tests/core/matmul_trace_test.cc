// The access recorder and the cache model: traces equal the loops, and misses equal those counted
// by hand.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>
#include <tril/lessons/access_trace.h>
#include <tril/lessons/cache_model.h>

#include <string>
#include <vector>

#include "core/compare.h"
#include "core/matmul_cases.h"

namespace tril {
namespace {

using testing::error_of;

// "a12" reads a[1, 2], "out01=" writes out[0, 1].
std::string text(const MatrixAccess& access) {
  const char* const names[] = {"a", "b", "out"};
  return names[static_cast<int>(access.matrix)] + std::to_string(access.row) +
         std::to_string(access.col) + (access.write ? "=" : "");
}

// A square product of size n, its matrices one after the other.
class Trace {
 public:
  explicit Trace(Index n) : n_(n), a_({n, n}), b_({n, n}), out_({n, n}), expected_({n, n}) {
    Random random(3);
    testing::fill_integers(a_.view(), random);
    testing::fill_integers(b_.view(), random);
    matmul_reference(a_, b_, {}, expected_);
  }

  template <typename Visit>
  void run(MatmulMethod method, const Visit& visit, Index block = 0) {
    const auto bytes = static_cast<std::uint64_t>(n_ * n_) * sizeof(float);
    trace_matmul(a_, b_, {.method = method}, {.a = 0, .b = bytes, .out = 2 * bytes, .block = block},
                 out_, visit);
    EXPECT_TRUE(testing::equal(expected_, out_));
  }

  std::string listing(MatmulMethod method) {
    std::string all;
    run(method, [&](const MatrixAccess& access) { all += text(access) + " "; });
    return all;
  }

  std::uint64_t misses(MatmulMethod method, const CacheShape& shape, Index block = 0) {
    CacheModel cache(shape);
    run(
        method, [&](const MatrixAccess& access) { cache.access(access.address); }, block);
    return cache.misses();
  }

 private:
  Index n_;
  Buffer<float, 2> a_, b_, out_;
  Buffer<double, 2> expected_;
};

constexpr MatmulMethod kAll[] = {MatmulMethod::ijk,    MatmulMethod::ikj, MatmulMethod::jik,
                                 MatmulMethod::jki,    MatmulMethod::kij, MatmulMethod::kji,
                                 MatmulMethod::blocked};

TEST(AccessTrace, IsWhatTheLoopsSay) {
  Trace trace(2);
  EXPECT_EQ(trace.listing(MatmulMethod::ijk),
            "a00 b00 a01 b10 out00= a00 b01 a01 b11 out01= "
            "a10 b00 a11 b10 out10= a10 b01 a11 b11 out11= ");
  EXPECT_EQ(trace.listing(MatmulMethod::kij),
            "out00= out01= out10= out11= "
            "a00 out00 b00 out00= out01 b01 out01= a10 out10 b00 out10= out11 b01 out11= "
            "a01 out00 b10 out00= out01 b11 out01= a11 out10 b10 out10= out11 b11 out11= ");
  EXPECT_EQ(trace.listing(MatmulMethod::jki),
            "out00= out01= out10= out11= "
            "b00 out00 a00 out00= out10 a10 out10= b10 out00 a01 out00= out10 a11 out10= "
            "b01 out01 a00 out01= out11 a10 out11= b11 out01 a01 out01= out11 a11 out11= ");
}

TEST(AccessTrace, FollowsTranspositionAndStrides) {
  testing::MatmulCase product(2, 3, 4, {.transpose_a = true, .accumulate = true}, 2);
  Random random(4);
  product.fill_exactly(random);
  product.options.method = MatmulMethod::ijk;
  std::vector<MatrixAccess> accesses;
  trace_matmul(product.a.view(), product.b.view(), product.options,
               {.a = 1000, .b = 2000, .out = 3000}, product.out.view(),
               [&](const MatrixAccess& access) { accesses.push_back(access); });
  EXPECT_TRUE(testing::equal(product.expected_view(), product.out.view()));
  ASSERT_EQ(accesses.size(), 2u * 3 * (2 * 4 + 2));  // depth of a and of b, out read and written
  EXPECT_EQ(accesses[2].address, 1000u + 4 * 4);  // a[0, 1] is stored at [1, 0], rows 2 + 2 apart
  EXPECT_EQ(accesses[3].address, 2000u + 4 * 7);  // b[1, 0], rows 3 + 4 apart
  EXPECT_EQ(accesses.back().address, 3000u + 4 * (9 + 2));  // out[1, 2], rows 3 + 6 apart
}

TEST(AccessTrace, RejectsWhatItCannotFollow) {
  Buffer<float, 2> a({2, 2}), b({2, 2}), out({2, 2});
  const auto ignore = [](const MatrixAccess&) {};
  EXPECT_EQ(error_of([&] { trace_matmul(a, b, {.method = MatmulMethod::tiled}, {}, out, ignore); }),
            "trace_matmul: method: must be one of the six loop orders or blocked");
  EXPECT_EQ(error_of([&] {
              trace_matmul(a, b, {.method = MatmulMethod::ijk}, {.block = -1}, out, ignore);
            }),
            "trace_matmul: block: must not be negative, is -1");
}

TEST(CacheModel, ReplacesTheLeastRecentlyUsed) {
  CacheModel cache({.line_bytes = 16, .ways = 2, .sets = 1});
  EXPECT_FALSE(cache.access(0));
  EXPECT_TRUE(cache.access(15));
  EXPECT_FALSE(cache.access(16));
  EXPECT_TRUE(cache.access(0));    // line 1 is now the older one
  EXPECT_FALSE(cache.access(32));  // and is evicted
  EXPECT_TRUE(cache.access(0));
  EXPECT_FALSE(cache.access(16));
  EXPECT_EQ(cache.hits(), 3u);
  EXPECT_EQ(cache.misses(), 4u);
  EXPECT_EQ(cache.line(0, 0), 1u);
  EXPECT_EQ(cache.line(0, 1), 0u);
}

// Walking down a column with rows a power of two apart: all its lines fall into one set, and a
// cache 64 times as large as the column keeps only `ways` of them. One more line per row cures it.
TEST(CacheModel, PowersOfTwoFallIntoOneSet) {
  const auto second_walk = [](std::uint64_t stride) {
    CacheModel cache({.line_bytes = 64, .ways = 8, .sets = 64});
    for (int turn = 0; turn < 2; ++turn) {
      for (std::uint64_t row = 0; row < 16; ++row) cache.access(row * stride);
    }
    return cache.misses() - 16;
  };
  EXPECT_EQ(second_walk(4096), 16u);
  EXPECT_EQ(second_walk(4096 + 64), 0u);
}

TEST(CacheModel, MissesEachLineOnceWhereAllFits) {
  const Index n = 24;
  Trace trace(n);
  for (const MatmulMethod method : kAll) {
    EXPECT_EQ(trace.misses(method, {.line_bytes = 64, .ways = 4, .sets = 64}),
              static_cast<std::uint64_t>(3 * n * n / 16));
  }
}

// A cache of four lines keeps only the lines that the innermost loop walks along. With L floats per
// line, a run of the innermost loop costs n / L misses for a row, n for a column, and 1 for a fixed
// element. Clearing out walks its rows once more.
TEST(CacheModel, CountsWhatTheInnermostLoopWalks) {
  const std::uint64_t n = 32, L = 8, turns = n * n, row = n / L, column = n, clear = n * n / L;
  const CacheShape four{.line_bytes = 4 * L, .ways = 4, .sets = 1};
  Trace trace(n);
  EXPECT_EQ(trace.misses(MatmulMethod::ijk, four), turns * (row + column + 1));
  EXPECT_EQ(trace.misses(MatmulMethod::jik, four), turns * (row + column + 1));
  EXPECT_EQ(trace.misses(MatmulMethod::ikj, four), turns * (row + row + 1) + clear);
  EXPECT_EQ(trace.misses(MatmulMethod::kij, four), turns * (row + row + 1) + clear);
  EXPECT_EQ(trace.misses(MatmulMethod::jki, four), turns * (column + column + 1) + clear);
  EXPECT_EQ(trace.misses(MatmulMethod::kji, four), turns * (column + column + 1) + clear);
}

// Blocks of edge t, and a cache that holds b's block and a row of a's and of out's while it works
// through a block: per block of three, b's t^2 / L lines, and as many of a's and out's.
TEST(CacheModel, BlocksCostTheirLines) {
  const std::uint64_t n = 32, L = 8, t = 8, blocks = (n / t) * (n / t) * (n / t);
  const std::uint64_t lines = t * t / L;
  // b's block, 2 rows each of a's and out's. No two blocks share a line: t = L.
  const CacheShape shape{.line_bytes = 4 * L, .ways = static_cast<Index>(lines + 4), .sets = 1};
  Trace trace(n);
  // a's block stays from one block to the next: only the columns have moved on. All its lines have
  // been evicted by then: between two uses of a line lie b's block and out's rows.
  EXPECT_EQ(trace.misses(MatmulMethod::blocked, shape, static_cast<Index>(t)),
            blocks * 3 * lines + n * n / L);
}

TEST(CacheModel, RejectsWhatIsNoCache) {
  EXPECT_EQ(error_of([] { CacheModel({.line_bytes = 0}); }),
            "CacheModel: line_bytes: must be at least 1, is 0");
  EXPECT_EQ(error_of([] { CacheModel({.ways = -1}); }),
            "CacheModel: ways: must be at least 1, is -1");
  EXPECT_EQ(error_of([] { CacheModel({.sets = Index{1} << 22}); }),
            "CacheModel: sets: 4194304 sets of 8 ways are more than 2^24 lines");
}

}  // namespace
}  // namespace tril
