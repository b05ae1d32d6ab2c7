// Cuts a text into the pieces that a tokenizer turns into tokens one by one; no token reaches from
// one piece into the next.
#pragma once

#include <tril/model/unicode.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tril {

// Where a text is cut before its pieces become tokens.
enum class PreSplit : std::uint8_t {
  whole,       // nowhere
  characters,  // after every code point; a byte that is not UTF-8 is a piece of its own
  gpt2         // into words, numbers, signs and white space, as GPT-2 does
};

namespace detail {

// The size of the first piece of `text`, which is not empty, by GPT-2's expression (Radford et al.
// 2019, encoder.py), the first alternative that fits:
//
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t first_gpt2_piece(std::string_view text) noexcept;

// The bytes before the first number in `text`.
std::size_t before_number(std::string_view text) noexcept;

// use(piece) for each piece of `text`, in order. Where `digits_alone`, every number is a piece, and
// what is between them is cut as if it were a text.
template <typename Use>
void for_each_piece(std::string_view text, PreSplit split, bool digits_alone, const Use& use) {
  while (!text.empty()) {
    std::string_view part = text;
    if (digits_alone) {
      const std::size_t before = before_number(text);
      part = text.substr(0, before > 0 ? before : first_character(text).size);
    }
    text.remove_prefix(part.size());
    while (!part.empty()) {
      const std::size_t size = split == PreSplit::whole        ? part.size()
                               : split == PreSplit::characters ? first_character(part).size
                                                               : first_gpt2_piece(part);
      use(part.substr(0, size));
      part.remove_prefix(size);
    }
  }
}

}  // namespace detail
}  // namespace tril
