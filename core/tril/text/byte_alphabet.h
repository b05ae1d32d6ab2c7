// The alphabet in which files write the vocabularies of byte-level tokenizers: one character for
// each of the 256 bytes, none of them white space or a control character (Radford et al. 2019,
// encoder.py, bytes_to_unicode). Bytes that are printable in Latin-1 are written as themselves, the
// others as U+0100, U+0101, ... in order; a space is U+0120.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tril::detail {

// "hello world" becomes "hello" U+0120 "world".
std::string to_byte_alphabet(std::string_view bytes);

// The bytes of a text in this alphabet; nothing where it is not UTF-8 or has another character.
std::optional<std::string> from_byte_alphabet(std::string_view text);

}  // namespace tril::detail
