// Views, owners, working memory, threads and random numbers.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/foundation/parallel.h>
#include <tril/foundation/random.h>
#include <tril/foundation/scratch.h>
#include <tril/foundation/sizes.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

TEST(Error, IsOneLineWhateverItNames) {
  const Error error("call", "a\nb", std::string("c\r\x7f\0d \u00e9", 8));
  EXPECT_EQ(error.argument(), "a\\nb");
  EXPECT_EQ(error.problem(), "c\\u000d\\u007f\\u0000d \u00e9");
  EXPECT_EQ(std::string(error.what()), "call: a\\nb: c\\u000d\\u007f\\u0000d \u00e9");
}

TEST(TensorView, HeadsOfAProjectionAreAView) {
  // [T, H * D] = [2, 3 * 2] viewed as [H, T, D].
  std::vector<float> data(12);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  const TensorView<float, 3> heads(data.data(), {3, 2, 2}, {2, 6, 1});
  EXPECT_EQ(heads[2][1][0], 10.0f);
  EXPECT_EQ(heads[0][1][1], 7.0f);
  EXPECT_FALSE(heads.is_contiguous());
  EXPECT_EQ(heads.count(), 12);
  heads[1][0][1] = -1.0f;
  EXPECT_EQ(data[3], -1.0f);
  const TensorView<const float, 3> read = heads;
  EXPECT_EQ(&read[2][1][1], &data[11]);
}

TEST(TensorView, NoneIsFalse) {
  EXPECT_FALSE((TensorView<float, 2>()));
  float x = 0;
  EXPECT_TRUE((TensorView<float, 1>(&x, {1})));
}

TEST(Buffer, IsAlignedAndZero) {
  const Buffer<float, 2> buffer({3, 5});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % kAlignment, 0u);
  for (Index i = 0; i < 15; ++i) EXPECT_EQ(buffer.data()[i], 0.0f);
}

TEST(Buffer, RejectsWhatCannotBe) {
  EXPECT_EQ(error_of([] {
              Buffer<float, 2>({3, -1});
            }),
            "Buffer: shape: no axis may be below 0; shape is [3, -1]");
  EXPECT_NE(error_of([] { Buffer<float, 1>({-1}); }).find("[-1]"), std::string::npos);
  constexpr Index kHuge = std::numeric_limits<Index>::max() / 2;
  EXPECT_NE(error_of([] {
              Buffer<float, 2>({kHuge, 4});
            }).find("too large to address"),
            std::string::npos);
}

TEST(Check, MultipliesSizesAndNamesThem) {
  constexpr Index kHalf = Index{1} << (4 * sizeof(Index) - 1);  // 2^31 or 2^15
  EXPECT_EQ(checked_count({{"batch", 3}, {"context", 5}}, 4, "f"), 15);
  EXPECT_EQ(checked_count({{"batch", kHalf}, {"context", 0}, {"width", kHalf}}, 1, "f"), 0);
  EXPECT_EQ(checked_count({{"batch", kHalf}, {"context", kHalf}}, 1, "f"), kHalf * kHalf);
  const std::string half = std::to_string(kHalf);
  const auto refused = [](Index a, Index b, std::size_t bytes) {
    return error_of([&] { checked_count({{"batch", a}, {"context", b}}, bytes, "f"); });
  };
  EXPECT_EQ(refused(kHalf, kHalf, 2),
            "f: batch: too large to address: batch " + half + " * context " + half);
  EXPECT_NE(refused(2 * kHalf, kHalf, 1).find("too large to address"), std::string::npos);
  EXPECT_NE(refused(2 * kHalf, 2 * kHalf, 1).find("too large to address"), std::string::npos);
  EXPECT_EQ(refused(1, -1, 1), "f: context: must be at least 0, is -1");
}

// In a constant expression overflow is a compile error.
TEST(TensorView, MultipliesAnyShapeWithoutOverflow) {
  constexpr Index kHuge = std::numeric_limits<Index>::max() / 2;
  constexpr Shape<4> strides = contiguous_strides<4>({kHuge, kHuge, 4, 3});
  static_assert(strides[3] == 1 && strides[2] == 3 && strides[1] == 12);
  constexpr TensorView<const float, 4> view(nullptr, {kHuge, kHuge, 4, 3});
  static_assert(view.count() == view.count());
}

TEST(Check, NamesCallArgumentAndShapes) {
  const Buffer<float, 2> buffer({2, 3});
  try {
    check_shape<const float, 2>(buffer, {3, 3}, "matmul", "out", "a is [3, 1], b is [1, 3]");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.call(), "matmul");
    EXPECT_EQ(error.argument(), "out");
    EXPECT_STREQ(error.what(),
                 "matmul: out: shape must be [3, 3], is [2, 3]; a is [3, 1], b is [1, 3]");
  }
}

// Checks a view for reading without reading any element.
void check_matrix(const Shape<2>& shape, const Shape<2>& strides) {
  const float nothing = 0;
  check_view(MatrixView<const float>(&nothing, shape, strides), "f", "x");
}

TEST(Check, RefusesRowsThatAreNotContiguous) {
  const auto message = [](const Shape<2>& shape, const Shape<2>& strides) {
    return error_of([&] { check_matrix(shape, strides); });
  };
  for (const Index stride : {0, 2, -1}) {
    EXPECT_EQ(message({1, 64}, {0, stride}),
              "f: x: the last axis must be contiguous; shape is [1, 64], strides are [0, " +
                  std::to_string(stride) + "]");
  }
  EXPECT_NO_THROW(check_matrix({3, 64}, {0, 1})) << "a row that is repeated";
}

TEST(Check, RefusesWhatCannotBeAddressed) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  constexpr Index kHalf = Index{1} << 4 * sizeof(Index);  // half of the bits: its square is 0
  const auto refuses = [](const Shape<2>& shape, const Shape<2>& strides) {
    const std::string message = error_of([&] { check_matrix(shape, strides); });
    EXPECT_EQ(message.find("f: x: too large to address; shape is ["), 0u) << message;
  };
  refuses({kHalf, kHalf}, {0, 1});
  refuses({3, 2}, {kMost, 1});
  refuses({2, 2}, {std::numeric_limits<Index>::min(), 1});
  refuses({2, 2}, {kMost / 4, 1});  // its bytes
  EXPECT_NO_THROW(check_matrix({kMost / 8, 2}, {0, 1}));
}

TEST(Check, FindsSharedMemory) {
  Buffer<float, 1> buffer({10});
  const VectorView<float> first(buffer.data(), {5}), second(buffer.data() + 5, {5}),
      middle(buffer.data() + 4, {2});
  EXPECT_NO_THROW(check_no_overlap(first, second, "f", "out"));
  EXPECT_THROW(check_no_overlap(first, middle, "f", "out"), Error);
  EXPECT_THROW(check_no_overlap(middle, second, "f", "out"), Error);
  EXPECT_NO_THROW(check_no_overlap(first, VectorView<float>(), "f", "out"));
}

TEST(Scratch, NothingMovesAndAllComesBack) {
  Scratch scratch;
  {
    const Scratch::Frame outer(scratch);
    Scratch::Frame frame(scratch);
    float* const a = frame.take<float>(1000);
    a[0] = 1, a[999] = 2;
    {
      Scratch::Frame inner(scratch);
      float* const b = inner.take<float>(1000000);
      b[0] = 3, b[999999] = 4;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % kAlignment, 0u);
    }
    float* const c = frame.take<float>(1000000);
    c[0] = 5;
    EXPECT_EQ(a[0], 1.0f);
    EXPECT_EQ(a[999], 2.0f);
    const bool apart = std::less_equal<>()(a + 1000, c) || std::less_equal<>()(c + 1000000, a);
    EXPECT_TRUE(apart) << "blocks may be anywhere, but never on top of each other";
  }
  const std::size_t capacity = scratch.capacity();
  EXPECT_GE(scratch.peak(), 4004000u);
  {
    // A capacity that sufficed once suffices again, in one piece.
    Scratch::Frame frame(scratch);
    float* const a = frame.take<float>(1000);
    float* const b = frame.take<float>(1000000);
    EXPECT_EQ(b, a + 1008);
  }
  EXPECT_EQ(scratch.capacity(), capacity);
  scratch.clear();
  EXPECT_EQ(scratch.capacity(), 0u);
}

TEST(Scratch, SaysWhenMemoryIsOut) {
  Scratch scratch;
  Scratch::Frame frame(scratch);
  EXPECT_THROW(frame.take<double>(std::numeric_limits<std::ptrdiff_t>::max()), OutOfMemory);
  // Each has half of the bits: the product of two is 0 in an Index, that of four is a rounding
  // more.
  constexpr Index kHalf = Index{1} << 4 * sizeof(Index);
  EXPECT_THROW(frame.take<float>(kHalf, kHalf), OutOfMemory);
  EXPECT_THROW(frame.take<float>(kHalf, kHalf, kHalf, kHalf + 1), OutOfMemory);
  float* const after = frame.take<float>(4);
  after[3] = 1;
}

TEST(Parallel, DoesEveryItemOnceAndNoWorkerTwice) {
  for (const int threads : {1, 2, 4}) {
    Parallel parallel(threads);
    EXPECT_GE(parallel.threads(), 1);
    EXPECT_LE(parallel.threads(), threads);
    for (const Index count : {Index{0}, Index{1}, Index{3}, Index{1000}}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      std::vector<std::atomic<int>> busy(static_cast<std::size_t>(threads));
      std::atomic<int> clashes{0};
      parallel.for_each(count, [&](Index item, int worker) {
        auto& mine = busy[static_cast<std::size_t>(worker)];
        if (mine.fetch_add(1) != 0) ++clashes;
        ++done[static_cast<std::size_t>(item)];
        mine.fetch_sub(1);
      });
      for (const auto& times : done) EXPECT_EQ(times, 1);
      EXPECT_EQ(clashes, 0);
    }
  }
}

// Rounds that follow at once, that find the workers asleep, and that have fewer items than threads.
TEST(Parallel, DoesEveryRound) {
  for (const int threads : {2, 3}) {
    Parallel parallel(threads);
    std::vector<Index> sums(static_cast<std::size_t>(threads));  // plain: one per worker
    Index expected = 0;
    for (Index round = 0; round < 2000; ++round) {
      if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const Index count = 2 + round % 7;
      parallel.for_each(count, [&](Index item, int worker) {
        sums[static_cast<std::size_t>(worker)] += round * item;
      });
      expected += round * (count * (count - 1) / 2);
      EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), Index{0}), expected);
    }
  }
}

// Pauses longer than a thread stays awake: workers sleep between rounds, the caller within one.
TEST(Parallel, WakesWhoSleeps) {
  constexpr std::chrono::milliseconds kPause{2};
  Parallel parallel(3);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> done{0};
    parallel.for_each(3, [&](Index item, int worker) {
      if (worker > 0 || item == 0) std::this_thread::sleep_for(kPause * static_cast<int>(item));
      ++done;
    });
    EXPECT_EQ(done, 3);
    std::this_thread::sleep_for(kPause);
  }
}

// The thread with item 0 waits until all others are done: the second thread works on its own five
// items, and the thread that does not wait takes over the rest of the first share.
TEST(Parallel, SaysWhenAllThreadsRun) {
  EXPECT_TRUE(Parallel().started());
  const Parallel parallel(4);
  while (!parallel.started()) std::this_thread::yield();
}

TEST(Parallel, BeginsWithItsOwnShareAndTakesOverWhatIsLeft) {
  Parallel parallel(2);
  if (parallel.threads() < 2) GTEST_SKIP() << "one thread has all items";
  std::array<int, 10> doer{};
  std::atomic<int> done{0};
  parallel.for_each(10, [&](Index item, int worker) {
    while (item == 0 && done < 9) std::this_thread::yield();
    doer[static_cast<std::size_t>(item)] = worker;
    ++done;
  });
  for (std::size_t item = 5; item < 10; ++item) EXPECT_EQ(doer[item], 1) << item;
  for (std::size_t item = 1; item < 5; ++item) EXPECT_NE(doer[item], doer[0]) << item;
}

TEST(Parallel, RejectsNumbersThatCannotBe) {
  for (const int threads : {0, -1, 4097, std::numeric_limits<int>::max()}) {
    EXPECT_EQ(error_of([&] { Parallel parallel(threads); }),
              "Parallel: threads: must be from 1 to 4096, is " + std::to_string(threads));
  }
}

TEST(Random, IsTheSameEverywhere) {
  // The recurrence of PCG-XSH-RR 64/32, implemented again.
  const auto reference = [](std::uint64_t seed, int draws) {
    constexpr std::uint64_t kMultiplier = 6364136223846793005u, kIncrement = 1442695040888963407u;
    std::uint64_t state = (kIncrement + seed) * kMultiplier + kIncrement;
    std::uint32_t bits = 0;
    for (int i = 0; i < draws; ++i) {
      bits = std::rotr(static_cast<std::uint32_t>((state ^ (state >> 18)) >> 27),
                       static_cast<int>(state >> 59));
      state = state * kMultiplier + kIncrement;
    }
    return bits;
  };
  for (const std::uint64_t seed : {0u, 1u, 42u, 4294967295u}) {
    Random random(seed);
    for (int draw = 1; draw <= 5; ++draw) EXPECT_EQ(random.bits(), reference(seed, draw));
  }
}

TEST(Random, HasTheMomentsItClaims) {
  Random random(7);
  constexpr int kDraws = 100000;
  double sum = 0, squares = 0, even = 0;
  std::vector<int> dice(6);
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    even += u;
    ++dice[random.below(6)];
  }
  // Five standard errors of each estimate.
  EXPECT_NEAR(sum / kDraws, 0, 5 * 1 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(even / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  for (const int count : dice) {
    EXPECT_NEAR(count, kDraws / 6.0, 5 * std::sqrt(kDraws * (1.0 / 6) * (5.0 / 6)));
  }
}

}  // namespace
}  // namespace tril
