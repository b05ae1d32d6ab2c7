// Windows of a stream, and the targets of their tokens.
#include <gtest/gtest.h>
#include <tril/model/batches.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/token_stream.h"

namespace tril {
namespace {

using testing::stream;

TEST(Batches, AreWindowsAndWhatFollows) {
  const std::vector<std::int32_t> tokens = stream(50);
  TokenBatch a, b;
  draw_batch(tokens, 200, 8, {}, 1, 3, a);
  draw_batch(tokens, 200, 8, {}, 1, 3, b);
  EXPECT_EQ(a.tokens, b.tokens);
  draw_batch(tokens, 200, 8, {}, 1, 4, b);
  EXPECT_NE(a.tokens, b.tokens);
  EXPECT_EQ(a.counted, 200 * 8);
  for (std::size_t w = 0; w < 200; ++w) {
    for (std::size_t t = 0; t + 1 < 8; ++t) {
      EXPECT_EQ(a.targets[w * 8 + t], a.tokens[w * 8 + t + 1]);
    }
  }
  spaced_batch(tokens, 3, 8, {}, 1, a);
  EXPECT_TRUE(std::equal(a.tokens.begin(), a.tokens.begin() + 8, tokens.begin()));
  EXPECT_EQ(a.targets.back(), tokens.back());
}

// 15 % of many tokens, and 80, 10 and 10 % of those, each within four deviations.
TEST(Batches, HideTokensAsTheyShould) {
  const std::vector<std::int32_t> tokens = stream(50);
  TokenBatch batch;
  draw_batch(tokens, 2000, 8, {TrainingObjective::masked, 11, 11}, 1, 0, batch);
  int hidden = 0, counted = 0, replaced = 0;
  for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
    if (batch.targets[i] == kIgnoredTarget) {
      EXPECT_NE(batch.tokens[i], 11);
      continue;
    }
    ++counted;
    if (batch.tokens[i] == 11) ++hidden;
    if (batch.tokens[i] != 11 && batch.tokens[i] != batch.targets[i]) ++replaced;
  }
  EXPECT_EQ(counted, batch.counted);
  const auto expect_share = [](int count, int of, double share) {
    EXPECT_NEAR(count, share * of, 4 * std::sqrt(of * share * (1 - share)));
  };
  expect_share(counted, 16000, 0.15);
  expect_share(hidden, counted, 0.8);
  expect_share(replaced, counted, 0.1 * 10 / 11);
}

}  // namespace
}  // namespace tril
