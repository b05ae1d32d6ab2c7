#include <tril/files/utf8.h>
#include <tril/text/unicode.h>

#include <algorithm>
#include <iterator>

namespace tril::detail {

namespace {

// The classes of the table.
enum class TableClass : std::uint8_t {
  other,
  letter,
  number,
  space,
  nonspacing_mark,
  other_mark,
  punctuation,
  control
};

TableClass table_class(std::uint32_t code) noexcept {
  constexpr std::uint32_t kLast = 0x10ffff;
  if (code > kLast) return TableClass::other;
  const std::span<const std::uint32_t> changes = character_class_changes();
  // The last change at or before `code`, whatever its class.
  const auto after = std::ranges::upper_bound(changes, 8 * code + 7);
  return static_cast<TableClass>(*(after - 1) & 7);
}

}  // namespace

CharacterClass character_class(std::uint32_t code) noexcept {
  const TableClass found = table_class(code);
  if (found >= TableClass::punctuation) return CharacterClass::other;
  return static_cast<CharacterClass>(std::min(found, TableClass::nonspacing_mark));
}

bool is_punctuation(std::uint32_t code) noexcept {
  return table_class(code) == TableClass::punctuation;
}

bool is_nonspacing_mark(std::uint32_t code) noexcept {
  return table_class(code) == TableClass::nonspacing_mark;
}

bool is_control(std::uint32_t code) noexcept { return table_class(code) == TableClass::control; }

Character wide_character(std::string_view text) noexcept {
  const CodePoint first = first_code_point(text);
  if (first.size == 0) return {CharacterClass::other, 1};
  return {character_class(first.code), first.size};
}

Character last_character(std::string_view text) noexcept {
  constexpr std::size_t kLongest = 4;
  for (std::size_t size = 1; size <= std::min(kLongest, text.size()); ++size) {
    const Character last = first_character(text.substr(text.size() - size));
    if (last.size == size && (size > 1 || static_cast<unsigned char>(text.back()) < 0x80)) {
      return last;
    }
  }
  return {CharacterClass::other, 1};
}

bool is_of_word(std::string_view text) noexcept {
  constexpr std::uint32_t kConnectors[] = {'_',    0x203f, 0x2040, 0x2054, 0xfe33,
                                           0xfe34, 0xfe4d, 0xfe4e, 0xfe4f, 0xff3f};
  const CodePoint first = first_code_point(text);
  if (first.size == 0) return false;
  const CharacterClass kind = character_class(first.code);
  return kind == CharacterClass::letter || kind == CharacterClass::number ||
         extends_word(first.code) ||
         std::ranges::find(kConnectors, first.code) != std::end(kConnectors);
}

bool extends_word(std::uint32_t code) noexcept {
  constexpr std::uint32_t kNonJoiner = 0x200c, kJoiner = 0x200d;
  return code == kNonJoiner || code == kJoiner || character_class(code) == CharacterClass::mark;
}

std::size_t word_extension(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) {  // none is of ASCII
    const CodePoint next = first_code_point(text.substr(at));
    if (next.size == 0 || !extends_word(next.code)) break;
    at += next.size;
  }
  return at;
}

std::size_t leading_space(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const Character next = first_character(text.substr(at));
    if (next.kind != CharacterClass::space) break;
    at += next.size;
  }
  return at;
}

}  // namespace tril::detail
