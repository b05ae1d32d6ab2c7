// The pieces of work of an attention: a block of queries of one head of one batch each.
#pragma once

#include <tril/attention/problem.h>

#include <algorithm>

namespace tril::detail {

class QueryBlocks {
 public:
  // Blocks of `rows` queries, fewer in the last one.
  QueryBlocks(const AttentionProblem& problem, Index rows) noexcept
      : problem_(problem),
        rows_(std::min(rows, problem.queries())),
        blocks_((problem.queries() + rows_ - 1) / rows_) {}

  Index rows() const noexcept { return rows_; }
  Index count() const noexcept { return problem_.batches() * problem_.heads() * blocks_; }

  // The last queries of each head, which see most under a causal mask, come first: with short
  // pieces at the end all threads are busy to the end.
  MaskBlock operator[](Index item) const noexcept {
    const Index heads = problem_.batches() * problem_.heads(), head = item % heads;
    MaskBlock block;
    block.batch = head / problem_.heads();
    block.head = head % problem_.heads();
    block.first_query = (blocks_ - 1 - item / heads) * rows_;
    block.last_query = std::min(block.first_query + rows_, problem_.queries());
    block.offset = problem_.offset(block.batch);
    block.keys = {0, problem_.keys()};
    return block;
  }

 private:
  const AttentionProblem& problem_;
  Index rows_, blocks_;
};

// The one row of a block that belongs to `query`.
inline MaskBlock row_of(const MaskBlock& block, Index query) noexcept {
  MaskBlock row = block;
  row.first_query = query;
  row.last_query = query + 1;
  return row;
}

// `seen` widened to whole registers, but not beyond `keys`: what comes along has been masked, and
// counts for nothing. Parts of registers would cost several times as much as whole ones.
inline KeyRange whole_registers(KeyRange seen, KeyRange keys) noexcept {
  constexpr Index kWidest = 16;  // lanes
  if (seen.empty()) return seen;
  return {std::max(keys.first, seen.first / kWidest * kWidest),
          std::min(keys.last, (seen.last + kWidest - 1) / kWidest * kWidest)};
}

}  // namespace tril::detail
