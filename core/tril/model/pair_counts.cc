#include <tril/model/pair_counts.h>

#include <algorithm>

namespace tril::detail {

PairCounts::Key PairCounts::key_of(TokenId left, TokenId right) noexcept {
  return static_cast<Key>(left) << 32 | static_cast<Key>(right);
}

PairCounts::PairCounts(std::span<const std::pair<std::string_view, std::int64_t>> words) {
  for (const auto& [bytes, count] : words) {
    Word& word = words_.emplace_back();
    word.count = count;
    for (const char byte : bytes) word.tokens.push_back(static_cast<unsigned char>(byte));
    add(static_cast<std::uint32_t>(words_.size() - 1));
  }
  for (const auto& [key, found] : pairs_) candidates_.push({found.count, key});
}

void PairCounts::add(std::uint32_t word) {
  const auto& [tokens, count] = words_[word];
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    Found& found = pairs_[key_of(tokens[at], tokens[at + 1])];
    found.count += count;
    if (found.words.empty() || found.words.back() != word) found.words.push_back(word);
  }
}

void PairCounts::take_away(std::uint32_t word) {
  const auto& [tokens, count] = words_[word];
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    pairs_[key_of(tokens[at], tokens[at + 1])].count -= count;
  }
}

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
  // No pair but those with `id` becomes more frequent.
  std::vector<Key> grown;
  const std::vector<std::uint32_t> places = std::move(pairs_[key_of(pair.left, pair.right)].words);
  for (const std::uint32_t word : places) {
    take_away(word);
    std::vector<TokenId>& tokens = words_[word].tokens;
    std::size_t size = 0;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      const bool is_pair =
          at + 1 < tokens.size() && tokens[at] == pair.left && tokens[at + 1] == pair.right;
      tokens[size++] = is_pair ? id : tokens[at];
      at += is_pair;
    }
    tokens.resize(size);
    for (std::size_t at = 0; at + 1 < size; ++at) {
      if (tokens[at] == id || tokens[at + 1] == id) {
        grown.push_back(key_of(tokens[at], tokens[at + 1]));
      }
    }
    add(word);
  }
  std::ranges::sort(grown);
  grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
  for (const Key key : grown) candidates_.push({pairs_[key].count, key});
}

}  // namespace tril::detail
