// The pieces of work of an attention: some queries of a head, or of all heads that share keys and
// values, and which keys each of them sees.
#pragma once

#include <tril/attention/attention_problem.h>

#include <algorithm>

namespace tril::detail {

// Scores of queries [first_query, last_query) of `heads` heads from `head` on: a row for each query
// of the first head, then of the next.
struct QueryBlock {
  Index batch, head, heads;
  Index first_query, last_query;
  Index offset;  // where query 0 stands on the axis of keys

  Index queries() const noexcept { return last_query - first_query; }
  Index rows() const noexcept { return heads * queries(); }
  Index head_of(Index row) const noexcept { return head + row / queries(); }
  Index query_of(Index row) const noexcept { return first_query + row % queries(); }

  // As masks take it: one head's queries and some keys; one row and some keys.
  MaskBlock of_head(Index which, KeyRange keys) const noexcept {
    return {batch, which, first_query, last_query, offset, keys};
  }
  MaskBlock of_row(Index row, KeyRange keys) const noexcept {
    return {batch, head_of(row), query_of(row), query_of(row) + 1, offset, keys};
  }
};

// The blocks of `group` heads in a row, `count` queries each, fewer in the last one.
class QueryBlocks {
 public:
  QueryBlocks(const AttentionProblem& problem, Index group, Index count) noexcept
      : problem_(problem),
        group_(group),
        queries_(std::min(count, problem.queries())),
        blocks_((problem.queries() + queries_ - 1) / queries_) {}

  Index in_group() const noexcept { return blocks_; }
  Index count() const noexcept { return problem_.batches() * problem_.heads() / group_ * blocks_; }

  // The last queries of each head, which see most under a causal mask, come first: with short
  // pieces at the end all threads are busy to the end.
  QueryBlock operator[](Index item) const noexcept {
    const Index groups = problem_.heads() / group_, all = problem_.batches() * groups;
    const Index batch = item % all / groups, first = (blocks_ - 1 - item / all) * queries_;
    return {batch,
            item % groups * group_,
            group_,
            first,
            std::min(first + queries_, problem_.queries()),
            problem_.offset(batch)};
  }

 private:
  const AttentionProblem& problem_;
  Index group_, queries_, blocks_;
};

inline KeyRange common(KeyRange a, KeyRange b) noexcept {
  const Index first = std::max(a.first, b.first);
  return {first, std::max(first, std::min(a.last, b.last))};
}

// `keys` widened to whole registers, but not beyond `limits`: what comes along has been masked, and
// counts for nothing. Parts of registers would cost several times as much as whole ones.
inline KeyRange whole_registers(KeyRange keys, KeyRange limits) noexcept {
  constexpr Index kWidest = 16;  // lanes
  if (keys.empty()) return keys;
  return {std::max(limits.first, keys.first / kWidest * kWidest),
          std::min(limits.last, (keys.last + kWidest - 1) / kWidest * kWidest)};
}

// Products go by so many rows where a mask hides keys from some of them: two register tiles of 6
// rows, or six of 2.
inline constexpr Index kRowGroup = 12;

// Which keys the rows of a block see: outside of its range a row sees nothing.
struct VisibleKeys {
  KeyRange* rows;  // of each
  KeyRange any;    // outside of which none sees anything
  KeyRange all;    // what is in every row's range

  // That of rows [first, first + count).
  KeyRange of_rows(Index first, Index count) const noexcept {
    KeyRange range = rows[first];
    for (Index row = first + 1; row < first + count; ++row) {
      const KeyRange& next = rows[row];
      if (next.empty()) continue;
      range = range.empty()
                  ? next
                  : KeyRange{std::min(range.first, next.first), std::max(range.last, next.last)};
    }
    return range;
  }
};

}  // namespace tril::detail
