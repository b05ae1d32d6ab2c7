// The choice of the fastest number of threads, from given times: each number is tried, the fastest
// is used, and another one once times change.
#include <gtest/gtest.h>
#include <tril/foundation/thread_choice.h>

#include <functional>
#include <set>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

// The numbers of threads that `count` pieces use, if a piece takes `seconds` by their number.
std::vector<int> pieces(ThreadChoice& choice, int count,
                        const std::function<double(int)>& seconds) {
  std::vector<int> threads;
  for (int piece = 0; piece < count; ++piece) {
    threads.push_back(choice.threads());
    choice.took(1, seconds(choice.threads()));
  }
  return threads;
}

TEST(ThreadChoice, TriesEachNumberFromTheMostAndUsesTheFastest) {
  ThreadChoice choice(6);
  EXPECT_EQ(choice.most(), 6);
  const auto seconds = [](int threads) { return threads == 2 ? 0.5 : 1; };
  const std::vector<int> used = pieces(choice, 100, seconds);
  EXPECT_EQ(std::vector(used.begin(), used.begin() + 12),
            (std::vector{6, 6, 6, 4, 4, 4, 2, 2, 2, 1, 1, 1}));
  for (std::size_t piece = 12; piece < used.size(); ++piece) EXPECT_EQ(used[piece], 2) << piece;
}

TEST(ThreadChoice, TriesAnewBeforeLong) {
  ThreadChoice choice(2);
  const std::vector<int> before = pieces(choice, 20, [](int threads) { return 1.0 / threads; });
  EXPECT_EQ(before.back(), 2);
  const std::vector<int> after = pieces(choice, 500, [](int threads) { return 1.0 * threads; });
  EXPECT_EQ(after.back(), 1);
  EXPECT_EQ(std::set(after.begin(), after.end()), (std::set{1, 2}));
}

TEST(ThreadChoice, JudgesByWorkNotByTime) {
  ThreadChoice choice(2);
  for (int piece = 0; piece < 6; ++piece) {  // two threads take longer, for three times the work
    choice.took(choice.threads() == 2 ? 3 : 1, choice.threads() == 2 ? 2 : 1);
  }
  EXPECT_EQ(choice.threads(), 2);
}

TEST(ThreadChoice, StaysWithOneThreadAndWithTimesThatNobodyCouldMeasure) {
  ThreadChoice one(1);
  for (const int threads : pieces(one, 300, [](int) { return 1.0; })) EXPECT_EQ(threads, 1);
  ThreadChoice four(4);
  for (const int threads : pieces(four, 300, [](int) { return 0.0; })) EXPECT_GE(threads, 1);
}

TEST(ThreadChoice, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { ThreadChoice choice(0); }),
            "ThreadChoice: most: must be at least 1, is 0");
}

}  // namespace
}  // namespace tril
