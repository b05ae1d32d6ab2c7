#include <tril/files/utf8.h>
#include <tril/model/unicode.h>

#include <algorithm>

namespace tril::detail {

CharacterClass character_class(std::uint32_t code) noexcept {
  constexpr std::uint32_t kLast = 0x10ffff;
  if (code > kLast) return CharacterClass::other;
  const std::span<const std::uint32_t> changes = character_class_changes();
  // The last change at or before `code`, whatever its class.
  const auto after = std::ranges::upper_bound(changes, 4 * code + 3);
  return static_cast<CharacterClass>(*(after - 1) & 3);
}

Character wide_character(std::string_view text) noexcept {
  const CodePoint first = first_code_point(text);
  if (first.size == 0) return {CharacterClass::other, 1};
  return {character_class(first.code), first.size};
}

}  // namespace tril::detail
