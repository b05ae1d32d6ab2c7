// Unicode's normal form C (Unicode Standard Annex 15): characters that can be written in two ways,
// as one code point or as a letter and its marks, are written in one.
#pragma once

#include <tril/text/normalized_text.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tril::detail {

// Appends the normal form of `text` to `out`. What changes stands, in `out`, for all of the
// characters that it was made of. Bytes that are not UTF-8 stay, and nothing joins across them.
void append_nfc(std::string_view text, NormalizedText& out);

// Appends what a character is made of by normal form D: a letter and its marks, or itself.
void append_decomposed(std::uint32_t code, std::u32string& out);

}  // namespace tril::detail
