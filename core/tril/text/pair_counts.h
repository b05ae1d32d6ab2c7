// How often which two tokens are neighbours in words that occur so and so often, kept up to date
// while pairs are merged (Sennrich et al. 2016, learn_bpe.py). A merge looks only where its pair
// stands, or has stood, so that a word of any length costs n log n.
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

  // Words, whose tokens are their bytes, and how often each occurs.
  explicit PairCounts(std::span<const std::pair<std::string_view, std::int64_t>> words);

  // The pair that occurs most often, of several that of the lowest ids; nothing where none occurs
  // `least` times. A pair is not given again unless merge() makes more of it.
  std::optional<Pair> take_most_frequent(std::int64_t least);
  // Wherever the two are neighbours, from left to right, they become `id`.
  void merge(const Pair& pair, TokenId id);

 private:
  using Key = std::uint64_t;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // A token of a word, and its neighbours; kNoToken once it is merged into the one before it.
  struct Node {
    TokenId token;
    std::uint32_t word;
    std::size_t before, after;  // kNone: there is none
  };
  struct Found {
    std::int64_t count = 0;
    std::vector<std::size_t> positions;  // of the left one, where it occurs, or has occurred
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
  // The pair at a position occurs once more, or once less, in its word.
  void add(std::size_t at);
  void take_away(std::size_t at);

  std::vector<std::int64_t> counts_;  // of each word
  std::vector<Node> nodes_;
  std::unordered_map<Key, Found> pairs_;
  std::priority_queue<Candidate> candidates_;  // counts may have fallen since
};

}  // namespace tril::detail
