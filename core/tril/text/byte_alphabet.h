// The characters by which vocabularies of byte-level tokenizers are written in files: one for each
// of the 256 bytes, none of them white space or a control character (Radford et al. 2019,
// encoder.py, bytes_to_unicode). Bytes that are printable in Latin-1 stand for themselves, the
// others are U+0100, U+0101, ... in their order: a space is written U+0120.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tril::detail {

// "hello world" becomes "hello" U+0120 "world".
std::string to_byte_alphabet(std::string_view bytes);

// The bytes that `text` stands for; nothing where it is not UTF-8 or has a character that stands
// for no byte.
std::optional<std::string> from_byte_alphabet(std::string_view text);

}  // namespace tril::detail
