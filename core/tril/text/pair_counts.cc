#include <tril/foundation/heap_sort.h>
#include <tril/text/pair_counts.h>

#include <algorithm>

namespace tril::detail {

PairCounts::Key PairCounts::key_of(TokenId left, TokenId right) noexcept {
  return static_cast<Key>(left) << 32 | static_cast<Key>(right);
}

PairCounts::Key PairCounts::key_at(std::size_t at) const noexcept {
  return key_of(nodes_[at].token, nodes_[nodes_[at].after].token);
}

PairCounts::PairCounts(std::span<const std::pair<std::string_view, std::int64_t>> words) {
  for (const auto& [bytes, count] : words) {
    const auto word = static_cast<std::uint32_t>(counts_.size());
    counts_.push_back(count);
    const std::size_t begin = nodes_.size(), end = begin + bytes.size();
    for (const char byte : bytes) {
      const std::size_t at = nodes_.size();
      nodes_.push_back({static_cast<unsigned char>(byte), word, at == begin ? kNone : at - 1,
                        at + 1 == end ? kNone : at + 1});
    }
    for (std::size_t at = begin; at + 1 < end; ++at) add(at);
  }
  for (const auto& [key, found] : pairs_) candidates_.push({found.count, key});
}

void PairCounts::add(std::size_t at) {
  Found& found = pairs_[key_at(at)];
  found.count += counts_[nodes_[at].word];
  found.positions.push_back(at);
}

void PairCounts::take_away(std::size_t at) { pairs_[key_at(at)].count -= counts_[nodes_[at].word]; }

std::optional<PairCounts::Pair> PairCounts::take_most_frequent(std::int64_t least) {
  while (!candidates_.empty()) {
    const Candidate best = candidates_.top();
    if (best.count < least) break;
    candidates_.pop();
    const std::int64_t count = pairs_[best.key].count;
    if (count == best.count) {
      return Pair{static_cast<TokenId>(best.key >> 32), static_cast<TokenId>(best.key)};
    }
    if (count >= least) candidates_.push({count, best.key});
  }
  return std::nullopt;
}

void PairCounts::merge(const Pair& pair, TokenId id) {
  const Key merged = key_of(pair.left, pair.right);
  std::vector<std::size_t> positions = std::move(pairs_[merged].positions);
  heap_sort(positions);  // they alternate if the same token is made in two ways
  // Only pairs with `id` become more frequent.
  std::vector<Key> grown;
  for (const std::size_t at : positions) {
    Node& left = nodes_[at];
    if (left.token != pair.left || left.after == kNone || key_at(at) != merged) continue;
    const std::size_t before = left.before, next = left.after, after = nodes_[next].after;
    take_away(at);
    if (before != kNone) take_away(before);
    if (after != kNone) take_away(next);
    left.token = id;
    left.after = after;
    nodes_[next].token = kNoToken;
    if (after != kNone) {
      nodes_[after].before = at;
      add(at);
      grown.push_back(key_at(at));
    }
    if (before != kNone) {
      add(before);
      grown.push_back(key_at(before));
    }
  }
  heap_sort(grown);
  grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
  for (const Key key : grown) candidates_.push({pairs_[key].count, key});
}

}  // namespace tril::detail
