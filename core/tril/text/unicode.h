// Classes of characters for splitting texts: letters, numbers and marks (Unicode's general
// categories L, N and M), white space (its property White_Space), and others, among them
// punctuation and controls. make_unicode_table.mjs generates the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tril::detail {

// The classes.
enum class CharacterClass : std::uint8_t { other, letter, number, space, mark };

// The class of any number; numbers that are not code points are `other`.
CharacterClass character_class(std::uint32_t code) noexcept;

// Categories P; Mn, marks without a width; and Cc, Cf and Co without white space.
bool is_punctuation(std::uint32_t code) noexcept;
bool is_nonspacing_mark(std::uint32_t code) noexcept;
bool is_control(std::uint32_t code) noexcept;

// 8 * code point + class for each code point at which another class begins, ascending. A class is a
// CharacterClass, where `mark` is Mn, or 5 for other marks, 6 for punctuation, 7 for controls.
std::span<const std::uint32_t> character_class_changes() noexcept;

// A character of a text: its class and its size in bytes.
struct Character {
  CharacterClass kind;
  std::size_t size;
};

Character wide_character(std::string_view text) noexcept;

// The last character of `text`, which is not empty.
Character last_character(std::string_view text) noexcept;

// Whether the first character of `text`, which is not empty, belongs to words and names: a letter,
// a number, a mark, U+200C, U+200D, or a connector such as the underscore (\w of Unicode Technical
// Standard 18, and fractions).
bool is_of_word(std::string_view text) noexcept;

// Whether a character extends the word whose letter or number it follows: marks, and U+200C and
// U+200D, which separate and join letters in Persian and in India's scripts (Unicode Standard Annex
// 29, rule WB4).
bool extends_word(std::uint32_t code) noexcept;

// The number of bytes of such extending characters at the beginning of `text`.
std::size_t word_extension(std::string_view text) noexcept;

// The first character of `text`, which is not empty. A byte that is not UTF-8 is a character of
// class `other`.
inline Character first_character(std::string_view text) noexcept {
  using enum CharacterClass;
  const char c = text[0];
  if (static_cast<unsigned char>(c) >= 0x80) return wide_character(text);
  const char lower = static_cast<char>(c | 0x20);
  const bool is_letter = lower >= 'a' && lower <= 'z', is_number = c >= '0' && c <= '9',
             is_space = c == ' ' || (c >= '\t' && c <= '\r');
  return {is_letter ? letter : is_number ? number : is_space ? space : other, 1};
}

// The number of bytes of white space at the beginning of `text`.
std::size_t leading_space(std::string_view text) noexcept;

}  // namespace tril::detail
