// Sums over rows, the same whatever the number of threads: the rows are cut into ranges that depend
// on their number alone, each range has sums of its own, and these are added in order.
#pragma once

#include <tril/foundation/context.h>

#include <algorithm>

namespace tril::detail {

class RowRanges {
 public:
  static constexpr Index kMost = 16;        // ranges, and so threads that can work
  static constexpr Index kFewestRows = 16;  // of a range: below, adding the sums would be felt

  explicit RowRanges(Index rows) noexcept
      : rows_(rows), step_(std::max(kFewestRows, (rows + kMost - 1) / kMost)) {}

  Index count() const noexcept { return (rows_ + step_ - 1) / step_; }
  Index first(Index range) const noexcept { return range * step_; }
  Index last(Index range) const noexcept { return std::min(rows_, (range + 1) * step_); }

 private:
  Index rows_, step_;
};

// Calls body(row, sums) for every row, where `sums` are `width` floats that belong to the row's
// range and start at 0; then add(sums) for each range, one after another. Takes its working memory,
// at most kMost * width floats, before anything is called.
template <typename Body, typename Add>
void sum_rows(Index rows, Index width, const Context& context, const Body& body, const Add& add) {
  const RowRanges ranges(rows);
  Scratch::Frame frame(context.scratch);
  float* const sums = frame.take<float>(ranges.count(), width);
  context.parallel.for_each(ranges.count(), [&](Index range, int) {
    float* const own = sums + range * width;
    std::fill_n(own, width, 0.0f);
    for (Index row = ranges.first(range); row < ranges.last(range); ++row) body(row, own);
  });
  for (Index range = 0; range < ranges.count(); ++range) add(sums + range * width);
}

// total[c] += sums[c], where there is a total.
inline void add_sums(const float* sums, const VectorView<float>& total) noexcept {
  for (Index c = 0; total && c < total.size(0); ++c) total[c] += sums[c];
}

}  // namespace tril::detail
