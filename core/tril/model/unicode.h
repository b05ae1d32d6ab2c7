// What GPT-2's split asks of a character: is it a letter, a number, white space, or something else?
// By Unicode's general categories L and N and its property White_Space; the table is made by
// make_unicode_table.mjs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tril::detail {

// In the order of the table.
enum class CharacterClass : std::uint8_t { other, letter, number, space };

// Of any number; what is no code point is `other`.
CharacterClass character_class(std::uint32_t code) noexcept;

// 4 * code point + class, for each code point at which another class begins; ascending.
std::span<const std::uint32_t> character_class_changes() noexcept;

// A character of a text: its class and its size in bytes.
struct Character {
  CharacterClass kind;
  std::size_t size;
};

Character wide_character(std::string_view text) noexcept;

// The one that `text`, which is not empty, begins with. A byte that is not UTF-8 is a character of
// its own, and `other`.
inline Character first_character(std::string_view text) noexcept {
  using enum CharacterClass;
  const char c = text[0];
  if (static_cast<unsigned char>(c) >= 0x80) return wide_character(text);
  const char lower = static_cast<char>(c | 0x20);
  const bool is_letter = lower >= 'a' && lower <= 'z', is_number = c >= '0' && c <= '9',
             is_space = c == ' ' || (c >= '\t' && c <= '\r');
  return {is_letter ? letter : is_number ? number : is_space ? space : other, 1};
}

}  // namespace tril::detail
