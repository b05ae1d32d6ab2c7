// Sequence-to-sequence tasks, against their definitions.
#include <gtest/gtest.h>
#include <tril/training/sequence_tasks.h>

#include <algorithm>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

TEST(SequenceTasks, HaveTheAnswersThatTheySay) {
  SequenceBatch batch, again;
  for (const SequenceTask task : {SequenceTask::reverse, SequenceTask::sort}) {
    draw_sequences(task, 50, 4, 5, 7, 3, batch);
    std::vector<bool> seen(5);
    for (Index b = 0; b < 50; ++b) {
      const auto begin = static_cast<std::size_t>(b * 4);
      std::vector<std::int32_t> source(&batch.source[begin], &batch.source[begin] + 4);
      const std::vector<std::int32_t> labels(&batch.labels[begin], &batch.labels[begin] + 4);
      for (const std::int32_t token : source) seen.at(static_cast<std::size_t>(token)) = true;
      if (task == SequenceTask::reverse) std::reverse(source.begin(), source.end());
      if (task == SequenceTask::sort) std::sort(source.begin(), source.end());
      EXPECT_EQ(labels, source);
      EXPECT_EQ(batch.target[begin], kBeginToken);
      EXPECT_TRUE(std::equal(labels.begin(), labels.end() - 1, &batch.target[begin + 1]));
    }
    EXPECT_EQ(seen, (std::vector<bool>{false, true, true, true, true}));
    draw_sequences(task, 50, 4, 5, 7, 3, again);
    EXPECT_EQ(batch.source, again.source);
    draw_sequences(task, 50, 4, 5, 7, 4, again);
    EXPECT_NE(batch.source, again.source);
  }
  const auto refused = [&](Index batches, Index tokens, Index vocabulary) {
    return error_of(
        [&] { draw_sequences(SequenceTask::sort, batches, tokens, vocabulary, 1, 1, batch); });
  };
  EXPECT_EQ(refused(0, 4, 5), "draw_sequences: batches: must be from 1 to 2147483647, is 0");
  EXPECT_EQ(refused(1, 0, 5), "draw_sequences: tokens: must be from 1 to 2147483647, is 0");
  EXPECT_EQ(refused(1, 4, 1), "draw_sequences: vocabulary: must be from 2 to 2147483647, is 1");
}

}  // namespace
}  // namespace tril
