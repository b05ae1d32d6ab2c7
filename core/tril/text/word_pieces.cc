#include <tril/files/utf8.h>
#include <tril/text/letter_case.h>
#include <tril/text/nfc.h>
#include <tril/text/word_pieces.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tril::detail {
namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

// The blocks of CJK ideographs that BERT knows.
bool is_chinese(std::uint32_t code) noexcept {
  struct Block {
    std::uint32_t first, last;
  };
  constexpr Block kBlocks[] = {{0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xf900, 0xfaff},
                               {0x20000, 0x2a6df}, {0x2a700, 0x2b73f}, {0x2b740, 0x2b81f},
                               {0x2b820, 0x2ceaf}, {0x2f800, 0x2fa1f}};
  return std::ranges::any_of(
      kBlocks, [&](const Block& block) { return code >= block.first && code <= block.last; });
}

// Some white space of Unicode is also control characters, three of which are kept.
bool is_cleaned_away(std::uint32_t code) noexcept {
  constexpr std::uint32_t kSpaces[] = {0x0b, 0x0c, 0x85};
  return code == 0 || code == kReplacement || is_control(code) ||
         std::ranges::find(kSpaces, code) != std::end(kSpaces);
}

void append_lower(std::string& out, std::uint32_t code, bool lower) {
  constexpr std::uint32_t kDottedI = 0x130, kDot = 0x307;  // only U+0130 becomes two code points
  if (lower && code == kDottedI) {
    append_utf8(out, 'i');
    append_utf8(out, kDot);
  } else {
    append_utf8(out, lower ? lower_case(code) : code);
  }
}

// The text that replaces a character.
std::string written(std::uint32_t code, const WordPieces& how) {
  std::string out;
  constexpr std::uint32_t kAscii = 0x80;  // below it nothing is decomposed
  if (!how.strip_accents || code < kAscii) {
    append_lower(out, code, how.lower_case);
    return out;
  }
  std::u32string parts;
  append_decomposed(code, parts);
  for (const char32_t part : parts) {
    if (!is_nonspacing_mark(part)) append_lower(out, part, how.lower_case);
  }
  return out;
}

bool is_space(std::uint32_t code) noexcept {
  return character_class(code) == CharacterClass::space;
}

}  // namespace

void append_bert_text(std::string_view text, const WordPieces& how, NormalizedText& out) {
  while (!text.empty()) {
    const CodePoint next = first_code_point(text);
    const std::size_t size = next.size > 0 ? next.size : 1;
    const std::string_view bytes = text.substr(0, size);
    text.remove_prefix(size);
    if (next.size == 0) {  // not UTF-8, which a text reader would replace by U+FFFD
      if (how.clean_text) out.replace(size, "");
      if (!how.clean_text) out.copy(bytes);
    } else if (how.clean_text && is_cleaned_away(next.code)) {
      out.replace(size, "");
    } else if (how.clean_text && is_space(next.code)) {
      out.replace(size, " ");
    } else {
      const std::string to = written(next.code, how);
      const bool is_apart = how.chinese_apart && is_chinese(next.code);
      if (is_apart) out.replace(0, " ");
      if (to == bytes) out.copy(bytes);
      if (to != bytes) out.replace(size, to);
      if (is_apart) out.replace(0, " ");
    }
  }
}

std::size_t first_bert_word(std::string_view text) noexcept {
  const auto is_sign = [](std::string_view from, const Character& first) {
    if (first.kind != CharacterClass::other) return false;
    if (first.size == 1) return from[0] >= '!' && from[0] <= '~';
    return is_punctuation(first_code_point(from).code);
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view left = text.substr(at);
    const Character next = first_character(left);
    if (next.kind == CharacterClass::space) break;
    if (is_sign(left, next)) return at > 0 ? at : next.size;
    at += next.size;
  }
  return at;
}

}  // namespace tril::detail
