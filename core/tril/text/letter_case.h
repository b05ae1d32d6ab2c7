// Which letters are capitals and which are small, and the small letters of capitals, so that a word
// at the beginning of a sentence is the same word. The tables are made by
// make_letter_case_table.mjs and make_lower_case_table.mjs.
#pragma once

#include <cstdint>
#include <span>

namespace tril::detail {

// Unicode's categories Lu and Lt, and Ll; of all other code points none.
enum class LetterCase : std::uint8_t { none, capital, small };
LetterCase letter_case(std::uint32_t code) noexcept;

// Code points up to `last` of one case, or of both in turn: 4 * the first + 2 where in turn + 1
// where the first is small.
struct CaseRun {
  std::uint32_t first, last;
};

// All of them, ascending.
std::span<const CaseRun> case_runs() noexcept;

// Unicode's simple lower-case mapping; what has no single small letter (U+0130) stays as it is.
std::uint32_t lower_case(std::uint32_t code) noexcept;

// Capitals first, first + step, ..., last; the small letter is `distance` further.
struct Capitals {
  std::uint32_t first, last;
  std::int32_t step, distance;
};

// All of them, ascending.
std::span<const Capitals> capitals() noexcept;

}  // namespace tril::detail
