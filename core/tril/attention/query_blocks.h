// The work items of attention: a block of queries of one head, or of all heads that share keys and
// values, and the keys that each row sees.
#pragma once

#include <tril/attention/attention_problem.h>

#include <algorithm>

namespace tril::detail {

// Queries [first_query, last_query) of `heads` heads from `head` on. Its rows are the queries of
// the first head, then those of the next.
struct QueryBlock {
  Index batch, head, heads;
  Index first_query, last_query;
  Index offset;  // position of query 0 on the axis of keys

  Index queries() const noexcept { return last_query - first_query; }
  Index rows() const noexcept { return heads * queries(); }
  Index head_of(Index row) const noexcept { return head + row / queries(); }
  Index query_of(Index row) const noexcept { return first_query + row % queries(); }

  // The block as a mask sees it: the queries of one head, or one row, and `keys`.
  MaskBlock of_head(Index which, KeyRange keys) const noexcept {
    return {batch, which, first_query, last_query, offset, keys};
  }
  MaskBlock of_row(Index row, KeyRange keys) const noexcept {
    return {batch, head_of(row), query_of(row), query_of(row) + 1, offset, keys};
  }
};

// All blocks: `group` consecutive heads and `count` queries each, fewer queries in the last one.
class QueryBlocks {
 public:
  QueryBlocks(const AttentionProblem& problem, Index group, Index count) noexcept
      : problem_(problem),
        group_(group),
        queries_(std::min(count, problem.queries())),
        blocks_((problem.queries() + queries_ - 1) / queries_) {}

  Index in_group() const noexcept { return blocks_; }
  Index count() const noexcept { return problem_.batches() * problem_.heads() / group_ * blocks_; }

  // The last queries of each head come first, as they see most under a causal mask: small blocks at
  // the end keep all threads busy until the end.
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

// `keys` widened to whole registers within `limits`. The additional keys have been masked and have
// no effect; parts of registers would cost several times as much as whole ones.
inline KeyRange whole_registers(KeyRange keys, KeyRange limits) noexcept {
  constexpr Index kWidest = 16;  // lanes
  if (keys.empty()) return keys;
  return {std::max(limits.first, keys.first / kWidest * kWidest),
          std::min(limits.last, (keys.last + kWidest - 1) / kWidest * kWidest)};
}

// Rows of a product where a mask hides keys from some of them: two register tiles of 6 rows, or six
// of 2.
inline constexpr Index kRowGroup = 12;

// The keys that the rows of a block see, as ranges; a row sees no key outside its range.
struct VisibleKeys {
  KeyRange* rows;  // one range a row
  KeyRange any;    // the keys outside it are hidden from all rows
  KeyRange all;    // the keys in every row's range

  // The range that covers those of rows [first, first + count).
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
