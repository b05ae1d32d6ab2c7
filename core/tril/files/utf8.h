// Checks of UTF-8, which names in files must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tril::detail {

struct CodePoint {
  std::uint32_t code;
  std::size_t size;  // in bytes; 0 where the text is not UTF-8
};

// The first code point of `text`, which is not empty, by RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF.
CodePoint first_code_point(std::string_view text) noexcept;

// Whether `text` consists of such code points.
bool is_utf8(std::string_view text) noexcept;

// The number of bytes of a byte order mark at the beginning of `text`, as written by editors on
// Windows; 0 without one.
inline std::size_t byte_order_mark(std::string_view text) noexcept {
  return text.starts_with("\xef\xbb\xbf") ? 3 : 0;
}

void append_utf8(std::string& text, std::uint32_t code_point);

}  // namespace tril::detail
