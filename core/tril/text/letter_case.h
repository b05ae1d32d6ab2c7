// The case of letters, and the lower case of capitals, so that a word at the beginning of a
// sentence is the same word. make_letter_case_table.mjs and make_lower_case_table.mjs generate the
// tables.
#pragma once

#include <cstdint>
#include <span>

namespace tril::detail {

// capital: Unicode's categories Lu and Lt; small: Ll; none: all other code points.
enum class LetterCase : std::uint8_t { none, capital, small };
LetterCase letter_case(std::uint32_t code) noexcept;

// A run of code points up to `last` of one case, or of alternating case. `first` is 4 * the first
// code point, + 2 where cases alternate, + 1 where the first letter is small.
struct CaseRun {
  std::uint32_t first, last;
};

// All runs, ascending.
std::span<const CaseRun> case_runs() noexcept;

// Unicode's simple lower-case mapping; a code point without a single small letter (U+0130) is
// unchanged.
std::uint32_t lower_case(std::uint32_t code) noexcept;

// Capitals first, first + step, ..., last, whose small letters are `distance` further.
struct Capitals {
  std::uint32_t first, last;
  std::int32_t step, distance;
};

// All of them, ascending.
std::span<const Capitals> capitals() noexcept;

}  // namespace tril::detail
