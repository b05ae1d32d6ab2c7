#include <tril/text/merger.h>

#include <algorithm>

namespace tril::detail {
namespace {

// Up to this length, scanning all pairs again costs less than a heap. Most words are shorter.
constexpr std::size_t kShort = 64;

}  // namespace

void Merger::merge(std::string_view piece, std::vector<TokenId>& ids) {
  const std::size_t begin = ids.size();
  first_.append(piece, tokens_, ids);
  const std::span<TokenId> symbols = std::span(ids).subspan(begin);
  ids.resize(begin + (symbols.size() <= kShort ? merge_short(symbols) : merge_long(symbols)));
}

// Merges `ids` in place and returns how many are left, at the front.
std::size_t Merger::merge_short(std::span<TokenId> ids) const noexcept {
  PairMerge merges[kShort];  // the merge of each token with the next
  std::size_t count = ids.size();
  for (std::size_t at = 0; at + 1 < count; ++at) merges[at] = pairs_.find(ids[at], ids[at + 1]);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t at = 1; at + 1 < count; ++at) {
      if (merges[at].rank < merges[best].rank) best = at;
    }
    if (merges[best].rank == kNoRank) break;
    ids[best] = merges[best].id;
    --count;
    for (std::size_t at = best + 1; at < count; ++at) ids[at] = ids[at + 1];
    for (std::size_t at = best; at + 1 < count; ++at) merges[at] = merges[at + 1];
    if (best > 0) merges[best - 1] = pairs_.find(ids[best - 1], ids[best]);
    if (best + 1 < count) merges[best] = pairs_.find(ids[best], ids[best + 1]);
  }
  return count;
}

void Merger::consider(std::span<const TokenId> ids, std::size_t at) {
  if (after_[at] == ids.size()) return;
  const TokenId left = ids[at], right = ids[after_[at]];
  const PairMerge merge = pairs_.find(left, right);
  if (merge.rank == kNoRank) return;
  heap_.push_back({merge, at, left, right});
}

// The same in O(n log n): tokens are a linked list, from which a merge removes its right token. A
// candidate from the heap counts only if both its tokens are still in the list.
std::size_t Merger::merge_long(std::span<TokenId> ids) {
  const std::size_t count = ids.size();
  before_.resize(count);
  after_.resize(count);
  heap_.clear();
  for (std::size_t at = 0; at < count; ++at) {
    before_[at] = at - 1;  // never read for the first token
    after_[at] = at + 1;
  }
  for (std::size_t at = 0; at < count; ++at) consider(ids, at);
  const auto later = [](const Candidate& a, const Candidate& b) {
    return a.merge.rank != b.merge.rank ? a.merge.rank > b.merge.rank : a.at > b.at;
  };
  std::ranges::make_heap(heap_, later);
  const auto push = [&](std::size_t at) {
    const std::size_t size = heap_.size();
    consider(ids, at);
    if (heap_.size() > size) std::ranges::push_heap(heap_, later);
  };
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, later);
    const Candidate best = heap_.back();
    heap_.pop_back();
    const std::size_t at = best.at, next = after_[at];
    if (ids[at] != best.left || next == count || ids[next] != best.right) continue;
    ids[at] = best.merge.id;
    ids[next] = kNoToken;
    after_[at] = after_[next];
    if (after_[at] < count) before_[after_[at]] = at;
    push(at);
    if (at > 0) push(before_[at]);
  }
  return static_cast<std::size_t>(std::remove(ids.begin(), ids.end(), kNoToken) - ids.begin());
}

}  // namespace tril::detail
