#include <tril/text/token_table.h>

#include <bit>
#include <cstring>

namespace tril::detail {
namespace {

std::size_t slots_for(std::size_t count) { return std::bit_ceil(2 * count + 1); }

// Eight bytes at a time, each spread over all 64 bits by a product (Knuth's multiplicative
// hashing).
std::uint64_t hash_of(std::string_view bytes) noexcept {
  std::uint64_t hash = bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = bytes.size() < sizeof word ? bytes.size() : sizeof word;
    std::memcpy(&word, bytes.data(), size);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    bytes.remove_prefix(size);
  }
  return hash;
}

}  // namespace

TokenTable::TokenTable(std::size_t count) : slots_(slots_for(count)) {}

// The slot of these bytes, or the slot for inserting them.
std::size_t TokenTable::slot_of(std::string_view bytes, std::uint64_t hash,
                                const std::vector<std::string>& tokens) const noexcept {
  const auto upper = static_cast<std::uint32_t>(hash >> 32);
  std::size_t at = static_cast<std::size_t>(hash) & (slots_.size() - 1);
  while (slots_[at].id != kNoToken) {
    if (slots_[at].hash == upper && tokens[static_cast<std::size_t>(slots_[at].id)] == bytes) break;
    at = (at + 1) & (slots_.size() - 1);
  }
  return at;
}

TokenId TokenTable::find(std::string_view bytes,
                         const std::vector<std::string>& tokens) const noexcept {
  return slots_[slot_of(bytes, hash_of(bytes), tokens)].id;
}

bool TokenTable::insert(TokenId id, const std::vector<std::string>& tokens) noexcept {
  const std::string& bytes = tokens[static_cast<std::size_t>(id)];
  const std::uint64_t hash = hash_of(bytes);
  Slot& slot = slots_[slot_of(bytes, hash, tokens)];
  if (slot.id != kNoToken) return false;
  slot = {static_cast<std::uint32_t>(hash >> 32), id};
  return true;
}

PairTable::PairTable(std::size_t count) : slots_(slots_for(count)) {}

bool PairTable::insert(TokenId left, TokenId right, PairMerge merge) noexcept {
  Slot& slot = slots_[slot_of(key(left, right))];
  if (slot.rank != kNoRank) return false;
  slot = {key(left, right), merge.rank, merge.id};
  return true;
}

}  // namespace tril::detail
