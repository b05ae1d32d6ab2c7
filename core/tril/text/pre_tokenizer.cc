#include <tril/files/utf8.h>
#include <tril/text/letter_case.h>
#include <tril/text/pre_tokenizer.h>

#include <algorithm>

namespace tril::detail {
namespace {

using enum CharacterClass;

// The next character in the classes of the published expressions, in which marks are punctuation.
Character next_character(std::string_view text) noexcept {
  const Character next = first_character(text);
  return {next.kind == mark ? other : next.kind, next.size};
}

// The end of the run of characters of one class that reaches `at`.
std::size_t run_end(std::string_view text, std::size_t at, CharacterClass kind) noexcept {
  while (at < text.size()) {
    const Character next = next_character(text.substr(at));
    if (next.kind != kind) break;
    at += next.size;
  }
  return at;
}

constexpr std::string_view kContractions[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

std::size_t contraction(std::string_view text) noexcept {
  for (const std::string_view each : kContractions) {
    if (text.starts_with(each)) return each.size();
  }
  return 0;
}

// Accepts letters of both cases, and the long s as an s (Unicode's case folding).
std::size_t contraction_of_any_case(std::string_view text) noexcept {
  constexpr std::string_view kLongS = "'\u017f";
  for (const std::string_view each : kContractions) {
    const auto is_same = [](char a, char b) { return a == b || (a | 0x20) == b; };
    if (std::ranges::equal(text.substr(0, each.size()), each, is_same)) return each.size();
  }
  return text.starts_with(kLongS) ? kLongS.size() : 0;
}

bool ends_line(char c) noexcept { return c == '\r' || c == '\n'; }

// The end of the number at the beginning of `text`, of at most `most_digits` digits.
std::size_t number_end(std::string_view text, int most_digits) noexcept {
  std::size_t at = 0;
  for (int digits = 0; digits < most_digits && at < text.size(); ++digits) {
    const Character next = first_character(text.substr(at));
    if (next.kind != number) break;
    at += next.size;
  }
  return at;
}

// Whether a character may be in the first part of a word
// [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+, and in its second.
struct CasedCharacter {
  bool first, second;
  std::size_t size;
};
CasedCharacter cased_character(std::string_view text) noexcept {
  const Character next = first_character(text);
  if (next.kind != letter) return {next.kind == mark, next.kind == mark, next.size};
  const LetterCase which = letter_case(first_code_point(text).code);
  return {which != LetterCase::small, which != LetterCase::capital, next.size};
}

// The end of such a word that begins at `at`, or `at` if there is none. The first part is greedy,
// and gives back only what the second part, also greedy, needs.
std::size_t small_word_end(std::string_view text, std::size_t at) noexcept {
  std::size_t given_back = at;
  for (bool in_first = true; at < text.size();) {
    const CasedCharacter next = cased_character(text.substr(at));
    in_first = in_first && next.first;
    if (!in_first && !next.second) break;
    at += next.size;
    if (next.second) given_back = at;
  }
  return given_back;
}

// The same for [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]* where there is no word of
// the other kind: capitals only.
std::size_t capitals_end(std::string_view text, std::size_t at) noexcept {
  while (at < text.size()) {
    const CasedCharacter next = cased_character(text.substr(at));
    if (!next.first) break;
    at += next.size;
  }
  return at;
}

// \s+(?!\S)|\s+: a whole run at the end of the text, otherwise all but its last character, which
// belongs to the next piece; a run of one character is a piece.
std::size_t white_space(std::string_view text) noexcept {
  std::size_t at = 0, last = 0;  // `last` is where the last character of the run begins
  while (at < text.size()) {
    const Character next = first_character(text.substr(at));
    if (next.kind != space) return last > 0 ? last : at;
    last = at;
    at += next.size;
  }
  return at;
}

}  // namespace

std::size_t first_gpt2_piece(std::string_view text) noexcept {
  if (text[0] == '\'') {
    if (const std::size_t size = contraction(text); size > 0) return size;
  }
  const std::size_t begin = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Character first = next_character(text.substr(begin));
  if (first.kind == space) return white_space(text);
  return run_end(text, begin + first.size, first.kind);
}

std::size_t first_word_piece(std::string_view text) noexcept {
  if (text[0] == '\'') {
    if (const std::size_t size = contraction(text); size > 0) return size;
  }
  const std::size_t begin = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Character first = next_character(text.substr(begin));
  if (first.kind != letter && first.kind != number) return first_gpt2_piece(text);
  std::size_t at = begin + first.size;
  while (at < text.size()) {
    at += word_extension(text.substr(at));
    if (at == text.size()) break;
    const Character next = next_character(text.substr(at));
    if (next.kind != first.kind) break;
    at += next.size;
  }
  return at;
}

namespace {

// Punctuation with a space before it and line ends after it, and white space.
std::size_t first_other_piece(std::string_view text, bool with_slashes) noexcept {
  const std::size_t begin = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  if (next_character(text.substr(begin)).kind == other) {
    std::size_t at = run_end(text, begin, other);
    while (at < text.size() && (ends_line(text[at]) || (with_slashes && text[at] == '/'))) ++at;
    return at;
  }
  // White space up to the last line end in it.
  std::size_t end = run_end(text, 0, space);
  while (end > 0 && !ends_line(text[end - 1])) --end;
  return end > 0 ? end : white_space(text);
}

}  // namespace

std::size_t first_llama3_piece(std::string_view text, int most_digits) noexcept {
  if (text[0] == '\'') {
    if (const std::size_t size = contraction_of_any_case(text); size > 0) return size;
  }
  const Character first = first_character(text);
  if (first.kind == number) return number_end(text, most_digits);
  // A word includes one character before it.
  const std::size_t before = first.kind == letter || ends_line(text[0]) ? 0 : first.size;
  if (before < text.size() && first_character(text.substr(before)).kind == letter) {
    return run_end(text, before, letter);
  }
  return first_other_piece(text, false);
}

std::size_t first_cased_piece(std::string_view text, int most_digits, bool contracts) noexcept {
  const Character first = first_character(text);
  if (first.kind == number) return number_end(text, most_digits);
  // A word includes one character before it, which may be a mark.
  const std::size_t before = first.kind == letter || ends_line(text[0]) ? 0 : first.size;
  for (const auto end_of : {small_word_end, capitals_end}) {
    for (const std::size_t begin : {before, std::size_t{0}}) {
      const std::size_t end = end_of(text, begin);
      if (end == begin) continue;
      return contracts ? end + contraction_of_any_case(text.substr(end)) : end;
    }
  }
  return first_other_piece(text, true);
}

std::string_view expression_of(PreTokenizer split) noexcept {
  switch (split) {
    case PreTokenizer::characters:
      return R"([\s\S])";
    case PreTokenizer::words:
      return R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}[\p{L}\p{M}\x{200C}\x{200D}]*|)"
             R"( ?\p{N}[\p{N}\p{M}\x{200C}\x{200D}]*| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
    case PreTokenizer::llama3:
      return R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
             R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    case PreTokenizer::qwen2:
      return R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
             R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    case PreTokenizer::gpt4o:
      return R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
             R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
             R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
             R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
             R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    case PreTokenizer::tekken:
      return R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
             R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
             R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    case PreTokenizer::whole:
    case PreTokenizer::gpt2:
      break;
  }
  return "";
}

std::size_t before_space(std::string_view text) noexcept {
  const std::size_t word = text.find_first_not_of(' ');
  return word == text.npos ? text.size() : std::min(text.find(' ', word), text.size());
}

std::size_t before_number(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const Character next = first_character(text.substr(at));
    if (next.kind == number) break;
    at += next.size;
  }
  return at;
}

}  // namespace tril::detail
