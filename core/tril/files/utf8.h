// UTF-8, as names in files have to be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tril::detail {

// Whether `text` is UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above
// U+10FFFF.
bool is_utf8(std::string_view text) noexcept;

void append_utf8(std::string& text, std::uint32_t code_point);

}  // namespace tril::detail
