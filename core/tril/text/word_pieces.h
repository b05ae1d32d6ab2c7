// BERT's steps before words become tokens (Devlin et al. 2019; google-research/bert,
// tokenization.py, BasicTokenizer): the text is cleaned and split into words and punctuation. Each
// of these then consists of the longest tokens possible (WordPiece; Wu et al. 2016).
#pragma once

#include <tril/text/normalized_text.h>
#include <tril/text/unicode.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tril {

// The settings of WordPiece.
struct WordPieces {
  std::string continuing = "##";      // prefix of tokens that continue a word
  std::size_t most_characters = 100;  // maximum per word; a longer one is unknown
  bool clean_text = true;             // removes controls and U+FFFD; all white space becomes spaces
  bool chinese_apart = true;          // every Chinese character is a word
  bool strip_accents = true;          // removes the marks of normal form D
  bool lower_case = true;             // converts to lower case

  // Whether all settings are equal.
  bool operator==(const WordPieces&) const = default;
};

namespace detail {

// Appends the text in the form to be split into words. Where a character becomes several, the
// source of each is that character; added spaces have an empty source.
void append_bert_text(std::string_view text, const WordPieces& how, NormalizedText& out);

// The number of bytes of the first word or punctuation character of `text`, which is not empty and
// does not begin with white space. Punctuation is ASCII's and Unicode's category P, each alone.
std::size_t first_bert_word(std::string_view text) noexcept;

// Calls use(word) for each of these, in order.
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
