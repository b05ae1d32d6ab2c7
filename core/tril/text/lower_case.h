// Small letters for capitals, so that a word at the beginning of a sentence is the same word. The
// table is made by make_lower_case_table.mjs.
#pragma once

#include <cstdint>
#include <span>

namespace tril::detail {

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
