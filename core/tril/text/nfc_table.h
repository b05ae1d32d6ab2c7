// The data of Unicode's normal form C. make_nfc_table.mjs generates the table of 9 kB, which is
// unpacked when it is first needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tril::detail {

// A character that is equivalent to one or two others.
struct Decomposition {
  std::uint32_t code;   // the character
  std::uint32_t first;  // its first part, which may be decomposed further
  std::uint32_t last;   // its second part; 0: none
  bool is_composed;     // whether normal form C composes it from the two
};

// The property of code points from this one on, up to the next change.
struct NfcChange {
  std::uint32_t code;
  // The rank of its combining class, + 128 where the code point, or a character before it, may
  // change. 0: a normal form can begin here.
  std::uint32_t kind;
};

struct NfcTable {
  std::vector<NfcChange> changes;              // ascending
  std::vector<Decomposition> decompositions;   // ascending, without Hangul's
  std::vector<const Decomposition*> composed;  // ascending by `first`, then by `last`
};

const NfcTable& nfc_table();

// The table as the script packs it.
std::span<const std::uint8_t> packed_nfc_table() noexcept;

}  // namespace tril::detail
