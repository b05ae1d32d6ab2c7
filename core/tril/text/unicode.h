// What splits of a text ask of a character: is it a letter, a number, white space, a mark, or
// something else? By Unicode's general categories L, N and M and its property White_Space; and
// which of the others are punctuation or controls. The table is made by make_unicode_table.mjs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tril::detail {

// Of what splits ask.
enum class CharacterClass : std::uint8_t { other, letter, number, space, mark };

// Of any number; what is no code point is `other`.
CharacterClass character_class(std::uint32_t code) noexcept;

// Categories P; Mn, marks that take no place of their own; Cc, Cf and Co but for white space.
bool is_punctuation(std::uint32_t code) noexcept;
bool is_nonspacing_mark(std::uint32_t code) noexcept;
bool is_control(std::uint32_t code) noexcept;

// 8 * code point + class, for each code point at which another class begins; ascending. Classes are
// CharacterClass, of which mark is Mn, and then 5 for other marks, 6 for punctuation and 7 for
// controls.
std::span<const std::uint32_t> character_class_changes() noexcept;

// A character of a text: its class and its size in bytes.
struct Character {
  CharacterClass kind;
  std::size_t size;
};

Character wide_character(std::string_view text) noexcept;

// The one that `text`, which is not empty, ends with.
Character last_character(std::string_view text) noexcept;

// Whether the character that `text`, which is not empty, begins with is one of words and names: a
// letter, a number, a mark, U+200C, U+200D, or what connects as the underscore does (\w of Unicode
// Technical Standard 18, and fractions besides).
bool is_of_word(std::string_view text) noexcept;

// Of what follows a letter or a number of a word and has no meaning alone, which belongs to the
// word: marks, and U+200C and U+200D, which part and join letters of Persian and of India's scripts
// (as Unicode Standard Annex 29 has it, rule WB4).
bool extends_word(std::uint32_t code) noexcept;

// The bytes of all such characters that `text` begins with.
std::size_t word_extension(std::string_view text) noexcept;

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

// The bytes of the white space that `text` begins with.
std::size_t leading_space(std::string_view text) noexcept;

}  // namespace tril::detail
