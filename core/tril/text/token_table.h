// Two tables that a tokenizer looks into for every piece of text: bytes to token, and pair of
// tokens to the merge of both. Open addressing, at most half full, so that a look into it is one
// place of memory, mostly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The number of a token in its vocabulary.
using TokenId = std::int32_t;

namespace detail {

inline constexpr TokenId kNoToken = -1;

// From the bytes of tokens to their ids. Borrows the vocabulary: `tokens` of each call is the same.
class TokenTable {
 public:
  // Room for so many tokens.
  explicit TokenTable(std::size_t count = 0);

  // The token with these bytes, kNoToken where there is none.
  TokenId find(std::string_view bytes, const std::vector<std::string>& tokens) const noexcept;
  // `bytes` are tokens[id]. False, and nothing done, where a token with these bytes is there.
  bool insert(TokenId id, const std::vector<std::string>& tokens) noexcept;

 private:
  struct Slot {
    std::uint32_t hash = 0;  // its upper half, so that few other bytes are compared
    TokenId id = kNoToken;
  };
  std::size_t slot_of(std::string_view bytes, std::uint64_t hash,
                      const std::vector<std::string>& tokens) const noexcept;

  std::vector<Slot> slots_;
};

// What two tokens side by side become, and how early; of all that are possible the lowest is made.
struct PairMerge {
  std::uint32_t rank;  // kNoRank: they stay two
  TokenId id;
};

inline constexpr std::uint32_t kNoRank = 0xffffffff;

// From two tokens to their merge.
class PairTable {
 public:
  // Room for so many merges.
  explicit PairTable(std::size_t count = 0);

  PairMerge find(TokenId left, TokenId right) const noexcept {
    const Slot& slot = slots_[slot_of(key(left, right))];
    return {slot.rank, slot.id};
  }
  // False, and nothing done, where the pair is there.
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
