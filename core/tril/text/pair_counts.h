// Counts of the pairs of neighbouring tokens in words with frequencies, updated while pairs are
// merged (Sennrich et al. 2016, learn_bpe.py). A merge visits only positions at which its pair is
// or was, so that a word of n bytes costs O(n log n).
#pragma once

#include <tril/text/token_table.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tril::detail {

class PairCounts {
 public:
  struct Pair {
    TokenId left, right;
  };

  // Begins with words, whose tokens are their bytes, and their frequencies.
  explicit PairCounts(std::span<const std::pair<std::string_view, std::int64_t>> words);

  // The most frequent pair, of equally frequent ones that of the lowest ids; nothing where none
  // occurs `least` times. A pair is returned again only after merge() has made it more frequent.
  std::optional<Pair> take_most_frequent(std::int64_t least);
  // Replaces the pair by `id` wherever the two are neighbours, from left to right.
  void merge(const Pair& pair, TokenId id);

 private:
  using Key = std::uint64_t;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // A token of a word, and its neighbours; kNoToken once it is merged into the one before it.
  struct Node {
    TokenId token;
    std::uint32_t word;
    std::size_t before, after;  // kNone: no neighbour
  };
  struct Found {
    std::int64_t count = 0;
    std::vector<std::size_t> positions;  // of left tokens, where it occurs or has occurred
  };
  struct Candidate {
    std::int64_t count;
    Key key;
    bool operator<(const Candidate& other) const noexcept {
      return count != other.count ? count < other.count : key > other.key;
    }
  };
  static Key key_of(TokenId left, TokenId right) noexcept;
  Key key_at(std::size_t at) const noexcept;
  // Adds one to the count of the pair at a position, or subtracts one, as often as its word occurs.
  void add(std::size_t at);
  void take_away(std::size_t at);

  std::vector<std::int64_t> counts_;  // of each word
  std::vector<Node> nodes_;
  std::unordered_map<Key, Found> pairs_;
  std::priority_queue<Candidate> candidates_;  // their counts may have decreased since
};

}  // namespace tril::detail
