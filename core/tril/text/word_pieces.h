// What BERT does with a text before its words become tokens (Devlin et al. 2019; google-research/
// bert, tokenization.py, BasicTokenizer): it is cleaned, and cut into words and signs, of which
// each is then made of the longest tokens there are (WordPiece; Wu et al. 2016).
#pragma once

#include <tril/text/normalized_text.h>
#include <tril/text/unicode.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tril {

// How.
struct WordPieces {
  std::string continuing = "##";      // what tokens begin with that go on with a word
  std::size_t most_characters = 100;  // of a word; a longer one is unknown
  bool clean_text = true;             // without controls and U+FFFD, and all white space is spaces
  bool chinese_apart = true;          // every Chinese character is a word
  bool strip_accents = true;          // without the marks of normal form D
  bool lower_case = true;             // small letters for capitals

  // The same.
  bool operator==(const WordPieces&) const = default;
};

namespace detail {

// Appends the text as words are cut from it. What becomes several characters stands, in `out`, for
// the one that they were; spaces that are put there for nothing.
void append_bert_text(std::string_view text, const WordPieces& how, NormalizedText& out);

// The bytes of the word, or of the sign, that `text` begins with, which is not empty and begins
// with no white space. Signs are ASCII's and Unicode's category P, each alone.
std::size_t first_bert_word(std::string_view text) noexcept;

// use(word) for each of them, in order.
template <typename Use>
void for_each_bert_word(std::string_view text, const Use& use) {
  while (true) {
    text.remove_prefix(leading_space(text));
    if (text.empty()) return;
    const std::size_t size = first_bert_word(text);
    use(text.substr(0, size));
    text.remove_prefix(size);
  }
}

}  // namespace detail
}  // namespace tril
