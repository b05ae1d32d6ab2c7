// Splits a text into pieces, which a tokenizer encodes one by one; no token crosses the boundary
// between two pieces.
#pragma once

#include <tril/text/unicode.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tril {

// The ways to split a text before encoding.
enum class PreTokenizer : std::uint8_t {
  whole,       // not at all
  characters,  // after every code point; a byte that is not UTF-8 is a piece of its own
  words,       // as gpt2, but marks belong to their letter
  gpt2,        // into words, numbers, punctuation and white space, as GPT-2 does
  llama3,      // as Llama 3 does: numbers of at most three digits, line ends separate
  qwen2,       // as llama3, but every digit is a number
  gpt4o,       // as llama3, but words end before capitals and include 's and the like
  tekken       // as gpt4o, but without 's and the like, and every digit is a number
};

namespace detail {

// The size of the first piece of `text`, which is not empty, by GPT-2's expression (Radford et al.
// 2019, encoder.py), the first alternative that fits:
//
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t first_gpt2_piece(std::string_view text) noexcept;

// The same, but letters and numbers keep marks, U+200C and U+200D that follow them: a word of Hindi
// is one piece, where GPT-2's expression makes six.
std::size_t first_word_piece(std::string_view text) noexcept;

// The same by the expressions of Llama 3 and Qwen2 (their tokenizer.json), which differ in the
// maximum digits of a number.
std::size_t first_llama3_piece(std::string_view text, int most_digits) noexcept;

// The same by the expressions of GPT-4o (also Phi-4-mini's) and Mistral's Tekken, which differ in
// that and in whether words include contractions.
std::size_t first_cased_piece(std::string_view text, int most_digits, bool contracts) noexcept;

// The expression of a split in files; "" where it needs none.
std::string_view expression_of(PreTokenizer split) noexcept;

// The size of the first piece of `text`, which is not empty.
inline std::size_t first_piece(std::string_view text, PreTokenizer split) noexcept {
  switch (split) {
    case PreTokenizer::characters:
      return first_character(text).size;
    case PreTokenizer::words:
      return first_word_piece(text);
    case PreTokenizer::gpt2:
      return first_gpt2_piece(text);
    case PreTokenizer::llama3:
      return first_llama3_piece(text, 3);
    case PreTokenizer::qwen2:
      return first_llama3_piece(text, 1);
    case PreTokenizer::gpt4o:
      return first_cased_piece(text, 3, true);
    case PreTokenizer::tekken:
      return first_cased_piece(text, 1, false);
    case PreTokenizer::whole:
      break;
  }
  return text.size();
}

// The number of bytes before the first space of `text` that follows another character.
std::size_t before_space(std::string_view text) noexcept;

// The number of bytes before the first number in `text`.
std::size_t before_number(std::string_view text) noexcept;

// Calls use(piece) for each piece of `text` in order. With `digits_alone` every character that is a
// number is a piece, and the parts between these are split as separate texts.
template <typename Use>
void for_each_piece(std::string_view text, PreTokenizer split, bool digits_alone, const Use& use) {
  while (!text.empty()) {
    std::string_view part = text;
    if (digits_alone) {
      const std::size_t before = before_number(text);
      part = text.substr(0, before > 0 ? before : first_character(text).size);
    }
    text.remove_prefix(part.size());
    while (!part.empty()) {
      const std::size_t size = first_piece(part, split);
      use(part.substr(0, size));
      part.remove_prefix(size);
    }
  }
}

}  // namespace detail
}  // namespace tril
