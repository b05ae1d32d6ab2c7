// Sums over rows that do not depend on the number of threads: the number of rows alone decides how
// they are divided into ranges. Each range has its own sums, which are added in order.
#pragma once

#include <tril/foundation/context.h>

#include <algorithm>

namespace tril::detail {

class RowRanges {
 public:
  static constexpr Index kMost = 16;        // ranges, and so threads
  static constexpr Index kFewestRows = 16;  // per range, so that adding the sums takes little time

  explicit RowRanges(Index rows) noexcept
      : rows_(rows), step_(std::max(kFewestRows, (rows + kMost - 1) / kMost)) {}

  Index count() const noexcept { return (rows_ + step_ - 1) / step_; }
  Index first(Index range) const noexcept { return range * step_; }
  Index last(Index range) const noexcept { return std::min(rows_, (range + 1) * step_); }

 private:
  Index rows_, step_;
};

// Calls body(row, sums) for every row, where `sums` are the `width` floats of the row's range, 0 at
// first. Then calls add(sums) for one range after another. Takes at most kMost * width floats
// of working memory before the first call.
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

// total[c] += sums[c], unless `total` is a null view.
inline void add_sums(const float* sums, const VectorView<float>& total) noexcept {
  for (Index c = 0; total && c < total.size(0); ++c) total[c] += sums[c];
}

}  // namespace tril::detail
