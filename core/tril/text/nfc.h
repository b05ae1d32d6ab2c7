// Unicode's normal form C (Unicode Standard Annex 15), which writes characters in one way where
// they could be one code point or a letter and its marks.
#pragma once

#include <tril/text/normalized_text.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tril::detail {

// Appends the normal form of `text` to `out`. The source of a changed character is the range of all
// characters that it replaces. Bytes that are not UTF-8 are kept, and nothing is composed across
// them.
void append_nfc(std::string_view text, NormalizedText& out);

// Appends the canonical decomposition of a character (normal form D): a letter and its marks, or
// itself.
void append_decomposed(std::uint32_t code, std::u32string& out);

}  // namespace tril::detail
