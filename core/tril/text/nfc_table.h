// What Unicode says of its normal form C, as a table made by make_nfc_table.mjs: 9 kB, unpacked
// when it is asked for first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tril::detail {

// A character that is the same as one or two others.
struct Decomposition {
  std::uint32_t code;   // it
  std::uint32_t first;  // which may be decomposed further
  std::uint32_t last;   // 0: there is no second one
  bool is_composed;     // whether normal form C makes it of the two
};

// From this code point on, up to the next change.
struct NfcChange {
  std::uint32_t code;
  // Its combining class, as a rank; 128 more where what stands before it, or it, may change. 0: a
  // normal form begins anew here.
  std::uint32_t kind;
};

struct NfcTable {
  std::vector<NfcChange> changes;              // ascending
  std::vector<Decomposition> decompositions;   // ascending, without Hangul's
  std::vector<const Decomposition*> composed;  // ascending by `first`, then by `last`
};

const NfcTable& nfc_table();

// As the script packs it.
std::span<const std::uint8_t> packed_nfc_table() noexcept;

}  // namespace tril::detail
