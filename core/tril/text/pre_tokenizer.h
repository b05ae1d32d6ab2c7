// Cuts a text into the pieces that a tokenizer turns into tokens one by one; no token reaches from
// one piece into the next.
#pragma once

#include <tril/text/unicode.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tril {

// Where a text is cut before its pieces become tokens.
enum class PreTokenizer : std::uint8_t {
  whole,       // nowhere
  characters,  // after every code point; a byte that is not UTF-8 is a piece of its own
  words,       // as gpt2, but a letter keeps its marks
  gpt2,        // into words, numbers, signs and white space, as GPT-2 does
  llama3,      // the same as Llama 3 does: numbers of at most three digits, line ends by themselves
  qwen2,       // as llama3, but every digit is a number
  gpt4o,       // as llama3, but a word ends before a capital, and has 's and the like
  tekken       // as gpt4o, without these, and every digit is a number
};

namespace detail {

// The size of the first piece of `text`, which is not empty, by GPT-2's expression (Radford et al.
// 2019, encoder.py), the first alternative that fits:
//
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t first_gpt2_piece(std::string_view text) noexcept;

// The same where letters and numbers keep what follows them of marks, U+200C and U+200D: a word of
// Hindi is one piece, and GPT-2's expression makes six of it.
std::size_t first_word_piece(std::string_view text) noexcept;

// The same by the expressions of Llama 3 and of Qwen2 (their tokenizer.json), which differ in how
// many digits a number has.
std::size_t first_llama3_piece(std::string_view text, int most_digits) noexcept;

// The same by those of GPT-4o, which Phi-4-mini has, and of Mistral's Tekken, which differ in that,
// and in whether a word has contractions.
std::size_t first_cased_piece(std::string_view text, int most_digits, bool contracts) noexcept;

// The expression of a split, as files have it; "" of what needs none.
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

// The bytes before the first space of `text` that stands after something else.
std::size_t before_space(std::string_view text) noexcept;

// The bytes before the first number in `text`.
std::size_t before_number(std::string_view text) noexcept;

// use(piece) for each piece of `text`, in order. Where `digits_alone`, every number is a piece, and
// what is between them is cut as if it were a text.
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
