// Texts as words, for learning word vectors.
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

// Words and their numbers, from 0 for the most frequent one.
class WordVocabulary {
 public:
  // Throws Error, about `words` or `counts`, where a word is empty or repeated, or there is not one
  // count per word.
  WordVocabulary(std::vector<std::string> words, std::vector<std::int64_t> counts);
  WordVocabulary(WordVocabulary&&) noexcept = default;
  WordVocabulary& operator=(WordVocabulary&&) noexcept = default;

  // The number of words; they have the numbers 0 to size() - 1.
  TokenId size() const noexcept { return static_cast<TokenId>(words_.size()); }
  const std::vector<std::string>& words() const noexcept { return words_; }
  // The number of times that each word occurs in the texts.
  const std::vector<std::int64_t>& counts() const noexcept { return counts_; }
  // The number of a word; below 0 where there is none.
  TokenId find(std::string_view word) const noexcept;

 private:
  std::vector<std::string> words_;
  std::vector<std::int64_t> counts_;
  std::unordered_map<std::string_view, TokenId> numbers_;  // keys are in words_
};

// Options of reading words.
struct WordOptions {
  std::int64_t min_count = 5;  // rarer words are dropped, as if they were not there
  bool lower_case = true;      // converts to lower case
};

// Marks the end of a paragraph or a text; no window crosses it.
inline constexpr TokenId kWordsEnd = -1;

// Texts as the numbers of their words.
struct WordCorpus {
  WordVocabulary vocabulary;   // most frequent first, equally frequent ones by their bytes
  std::vector<TokenId> words;  // with kWordsEnd between paragraphs
  std::int64_t count;          // number of these that are words
};

// Reads texts. A word is a run of letters and numbers (Unicode's categories L and N), each with its
// marks (category M), U+200C and U+200D; an apostrophe between two of them belongs to it, as in
// "don't". A letter with its mark may be one code point or two; convert texts to one normal form
// where they differ. A line of white space ends a paragraph. Throws Error where min_count is below
// 1, and where fewer than two words occur that often.
WordCorpus read_words(std::span<const std::string_view> texts, const WordOptions& options = {});

namespace detail {

// Calls use(word) for each word of a text, and use("") at the end of a paragraph.
void for_each_word(std::string_view text, bool lower,
                   const std::function<void(std::string_view)>& use);

}  // namespace detail
}  // namespace tril
