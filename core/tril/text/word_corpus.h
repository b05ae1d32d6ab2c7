// Texts as words: what word vectors are learned from.
#pragma once

#include <tril/text/token_table.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tril {

// Words and their numbers: the most frequent one is 0.
class WordVocabulary {
 public:
  // Throws Error, of `words` or `counts`, where a word is empty or there twice, or there are not as
  // many counts.
  WordVocabulary(std::vector<std::string> words, std::vector<std::int64_t> counts);
  WordVocabulary(WordVocabulary&&) noexcept = default;
  WordVocabulary& operator=(WordVocabulary&&) noexcept = default;

  // How many words there are: their numbers are 0 to size() - 1.
  TokenId size() const noexcept { return static_cast<TokenId>(words_.size()); }
  const std::vector<std::string>& words() const noexcept { return words_; }
  // How often each occurs in the texts.
  const std::vector<std::int64_t>& counts() const noexcept { return counts_; }
  // Below 0 where there is no such word.
  TokenId find(std::string_view word) const noexcept;

 private:
  std::vector<std::string> words_;
  std::vector<std::int64_t> counts_;
  std::unordered_map<std::string_view, TokenId> numbers_;  // of words_, which do not move
};

// What counts as a word.
struct WordOptions {
  std::int64_t min_count = 5;  // what occurs less often is left out, as if it did not stand there
  bool lower_case = true;      // capitals as small letters
};

// Where a paragraph or a text ends: no window reaches across it.
inline constexpr TokenId kWordsEnd = -1;

// Texts as the numbers of their words.
struct WordCorpus {
  WordVocabulary vocabulary;   // the most frequent first, of equally frequent ones by their bytes
  std::vector<TokenId> words;  // with kWordsEnd between paragraphs
  std::int64_t count;          // of them that are words
};

// A word is a run of letters and numbers, by Unicode's categories L and N, each with its marks
// (category M) and with U+200C and U+200D; an apostrophe between two of them belongs to it, as in
// "don't". Whether a letter and its mark are one code point or two is left as it is: bring texts
// into one normal form where they differ. A paragraph ends where a line is space. Throws Error
// where min_count is below 1, and where fewer than two words occur so often.
WordCorpus read_words(std::span<const std::string_view> texts, const WordOptions& options = {});

namespace detail {

// use(word) for each word of a text, and use("") where a paragraph ends.
void for_each_word(std::string_view text, bool lower,
                   const std::function<void(std::string_view)>& use);

}  // namespace detail
}  // namespace tril
