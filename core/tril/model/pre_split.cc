#include <tril/model/pre_split.h>

namespace tril::detail {
namespace {

using enum CharacterClass;

// Where the run of characters of one class ends that begins before `at`.
std::size_t run_end(std::string_view text, std::size_t at, CharacterClass kind) noexcept {
  while (at < text.size()) {
    const Character next = first_character(text.substr(at));
    if (next.kind != kind) break;
    at += next.size;
  }
  return at;
}

std::size_t contraction(std::string_view text) noexcept {
  for (const std::string_view each : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(each)) return each.size();
  }
  return 0;
}

// \s+(?!\S)|\s+: all of a run up to the end of the text, otherwise all but its last character,
// which goes with what follows; alone, that is a piece.
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
  const std::size_t blank = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Character first = first_character(text.substr(blank));
  if (first.kind == space) return white_space(text);
  return run_end(text, blank + first.size, first.kind);
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
