// The two tables of a tokenizer: bytes to token, and pair of tokens to merge. They use open
// addressing and are at most half full, so that a look-up mostly reads one place of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The id of a token in its vocabulary.
using TokenId = std::int32_t;

namespace detail {

inline constexpr TokenId kNoToken = -1;

// Maps the bytes of tokens to their ids. Borrows the vocabulary: every call must get the same
// `tokens`.
class TokenTable {
 public:
  // Reserves room for `count` tokens.
  explicit TokenTable(std::size_t count = 0);

  // The token with these bytes; kNoToken where there is none.
  TokenId find(std::string_view bytes, const std::vector<std::string>& tokens) const noexcept;
  // Inserts tokens[id]. Returns false, and does nothing, where a token with the same bytes exists.
  bool insert(TokenId id, const std::vector<std::string>& tokens) noexcept;

 private:
  struct Slot {
    std::uint32_t hash = 0;  // upper half of the hash, so that few other tokens are compared
    TokenId id = kNoToken;
  };
  std::size_t slot_of(std::string_view bytes, std::uint64_t hash,
                      const std::vector<std::string>& tokens) const noexcept;

  std::vector<Slot> slots_;
};

// The token that two neighbours become, and the rank of this merge: merges of lower rank come
// first.
struct PairMerge {
  std::uint32_t rank;  // kNoRank: no merge
  TokenId id;
};

inline constexpr std::uint32_t kNoRank = 0xffffffff;

// Maps two tokens to their merge.
class PairTable {
 public:
  // Reserves room for `count` merges.
  explicit PairTable(std::size_t count = 0);

  PairMerge find(TokenId left, TokenId right) const noexcept {
    const Slot& slot = slots_[slot_of(key(left, right))];
    return {slot.rank, slot.id};
  }
  // Inserts a pair. Returns false, and does nothing, where it exists.
  bool insert(TokenId left, TokenId right, PairMerge merge) noexcept;

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t rank = kNoRank;
    TokenId id = kNoToken;
  };
  static std::uint64_t key(TokenId left, TokenId right) noexcept {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
  }
  std::size_t slot_of(std::uint64_t key) const noexcept {
    std::size_t at =
        static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> 32) & (slots_.size() - 1);
    while (slots_[at].rank != kNoRank && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_;
};

}  // namespace detail
}  // namespace tril
