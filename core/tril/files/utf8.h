// UTF-8, as names in files have to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tril::detail {

struct CodePoint {
  std::uint32_t code;
  std::size_t size;  // in bytes; 0 where there is none
};

// The one that `text`, which is not empty, begins with, as RFC 3629 has it: no overlong forms, no
// surrogates, nothing above U+10FFFF.
CodePoint first_code_point(std::string_view text) noexcept;

// Whether `text` is nothing but such code points.
bool is_utf8(std::string_view text) noexcept;

void append_utf8(std::string& text, std::uint32_t code_point);

}  // namespace tril::detail
