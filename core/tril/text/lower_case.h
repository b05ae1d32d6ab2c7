// Small letters for capitals, so that a word at the beginning of a sentence is the same word.
#pragma once

#include <cstdint>

namespace tril::detail {

// Of the alphabets that Latin, Greek, Cyrillic and Armenian are written with today; what has no
// single small letter there (U+0130 among them) stays as it is.
std::uint32_t lower_case(std::uint32_t code) noexcept;

}  // namespace tril::detail
