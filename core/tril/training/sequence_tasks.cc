#include <tril/foundation/check.h>
#include <tril/foundation/heap_sort.h>
#include <tril/foundation/out_of_memory.h>
#include <tril/foundation/random.h>
#include <tril/training/sequence_tasks.h>

#include <algorithm>
#include <span>

namespace tril {

void draw_sequences(SequenceTask task, Index batches, Index tokens, Index vocabulary,
                    std::uint64_t seed, std::uint64_t step, SequenceBatch& batch) {
  constexpr const char* kCall = "draw_sequences";
  constexpr Index kLargest = 0x7fffffff;
  const auto check = [&](const char* name, Index value, Index least) {
    if (value >= least && value <= kLargest) return;
    fail(kCall, name, {"must be from ", least, " to 2147483647, is ", value});
  };
  check("batches", batches, 1);
  check("tokens", tokens, 1);
  check("vocabulary", vocabulary, 2);
  const Index sizes[] = {batches, tokens};
  const auto count =
      static_cast<std::size_t>(checked_count(sizes, 2, sizeof(std::int32_t), kCall, "batches"));
  const double bytes = 3.0 * sizeof(std::int32_t) * static_cast<double>(count);
  detail::with_memory(kCall, "sources, targets and labels take", bytes, [&] {
    batch.source.resize(count), batch.target.resize(count), batch.labels.resize(count);
  });
  batch.batches = batches, batch.tokens = tokens;
  Random random(seed + 0x9e3779b97f4a7c15u * (step + 1));
  const auto symbols = static_cast<std::uint32_t>(vocabulary - 1);
  for (std::int32_t& token : batch.source) {
    token = static_cast<std::int32_t>(random.below(symbols)) + 1;
  }
  for (Index b = 0; b < batches; ++b) {
    const auto begin = static_cast<std::ptrdiff_t>(b * tokens), size = std::ptrdiff_t{tokens};
    const auto source = batch.source.begin() + begin, labels = batch.labels.begin() + begin;
    std::reverse_copy(source, source + size, labels);
    if (task == SequenceTask::sort)
      detail::heap_sort(std::span(labels, static_cast<std::size_t>(size)));
    const auto target = batch.target.begin() + begin;
    *target = kBeginToken;
    std::copy(labels, labels + size - 1, target + 1);
  }
}

}  // namespace tril
