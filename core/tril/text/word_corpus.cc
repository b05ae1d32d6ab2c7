#include <tril/files/json_writer.h>
#include <tril/files/utf8.h>
#include <tril/foundation/check.h>
#include <tril/foundation/heap_sort.h>
#include <tril/text/letter_case.h>
#include <tril/text/unicode.h>
#include <tril/text/word_corpus.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tril {

WordVocabulary::WordVocabulary(std::vector<std::string> words, std::vector<std::int64_t> counts)
    : words_(std::move(words)), counts_(std::move(counts)) {
  constexpr const char* kCall = "WordVocabulary";
  if (counts_.size() != words_.size()) {
    fail(kCall, "counts", {"are ", counts_.size(), ", and there are ", words_.size(), " words"});
  }
  numbers_.reserve(words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i].empty()) fail(kCall, "words", {"number ", i, " is empty"});
    if (!numbers_.try_emplace(words_[i], static_cast<TokenId>(i)).second) {
      fail(kCall, "words", {detail::shown(words_[i]), " is duplicated"});
    }
  }
}

TokenId WordVocabulary::find(std::string_view word) const noexcept {
  const auto at = numbers_.find(word);
  return at == numbers_.end() ? TokenId{-1} : at->second;
}

namespace detail {
namespace {

bool is_in_word(CharacterClass kind) noexcept {
  return kind == CharacterClass::letter || kind == CharacterClass::number;
}

// The size in bytes of an apostrophe, typed or printed (U+2019); 0 where there is none.
std::size_t apostrophe(std::string_view text) noexcept {
  if (text.starts_with('\'')) return 1;
  return text.starts_with("\u2019") ? 3 : 0;
}

void append(std::string& word, std::string_view character, bool lower) {
  if (!lower) {
    word += character;
  } else if (character.size() == 1) {
    const char c = character[0];
    word += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  } else {
    append_utf8(word, lower_case(first_code_point(character).code));
  }
}

}  // namespace

void for_each_word(std::string_view text, bool lower,
                   const std::function<void(std::string_view)>& use) {
  std::string word;
  int lines = 0;  // number of lines that ended since the last word
  while (!text.empty()) {
    const auto [kind, size] = first_character(text);
    const std::size_t mark = word.empty() ? 0 : apostrophe(text);
    if (is_in_word(kind)) {
      append(word, text.substr(0, size), lower);
      text.remove_prefix(size);
      const std::size_t extension = word_extension(text);
      word += text.substr(0, extension);
      text.remove_prefix(extension);
      lines = 0;
      continue;
    }
    if (mark > 0 && text.size() > mark && is_in_word(first_character(text.substr(mark)).kind)) {
      word += '\'';
      text.remove_prefix(mark);
      continue;
    }
    if (!word.empty()) use(word);
    word.clear();
    if (text[0] == '\n' && ++lines == 2) use("");
    if (kind != CharacterClass::space) lines = 0;
    text.remove_prefix(size);
  }
  if (!word.empty()) use(word);
}

}  // namespace detail

namespace {

// All words of texts, numbered in order of appearance.
struct Words {
  std::unordered_map<std::string, TokenId> numbers;
  std::vector<std::pair<std::string_view, std::int64_t>> counted;  // by number
  std::vector<TokenId> stream;

  void add(const std::string& word) {
    const auto [at, is_new] = numbers.try_emplace(word, static_cast<TokenId>(counted.size()));
    if (is_new) counted.emplace_back(at->first, 0);
    ++counted[static_cast<std::size_t>(at->second)].second;
    stream.push_back(at->second);
  }
  void end() {
    if (!stream.empty() && stream.back() != kWordsEnd) stream.push_back(kWordsEnd);
  }
};

}  // namespace

WordCorpus read_words(std::span<const std::string_view> texts, const WordOptions& options) {
  constexpr const char* kCall = "read_words";
  if (options.min_count < 1) {
    fail(kCall, "min_count", {"must be at least 1, is ", options.min_count});
  }
  Words all;
  std::string word;
  for (const std::string_view text : texts) {
    detail::for_each_word(text, options.lower_case, [&](std::string_view each) {
      if (each.empty()) return all.end();
      word = each;
      all.add(word);
    });
    all.end();
  }
  std::vector<TokenId> kept;  // the most frequent first
  for (std::size_t i = 0; i < all.counted.size(); ++i) {
    if (all.counted[i].second >= options.min_count) kept.push_back(static_cast<TokenId>(i));
  }
  if (kept.size() < 2) {
    fail(kCall, "texts",
         {"have ", kept.size(), kept.size() == 1 ? " word that occurs " : " words that occur ",
          options.min_count, options.min_count == 1 ? " time" : " times", " or more, of ",
          all.counted.size(), "; 2 are needed"});
  }
  const auto entry = [&](TokenId id) -> const auto& {
    return all.counted[static_cast<std::size_t>(id)];
  };
  detail::heap_sort(kept, [&](TokenId a, TokenId b) {
    const auto &first = entry(a), &second = entry(b);
    return first.second != second.second ? first.second > second.second
                                         : first.first < second.first;
  });
  std::vector<std::string> words;
  std::vector<std::int64_t> counts;
  constexpr TokenId kRare = -2;
  std::vector<TokenId> number(all.counted.size(), kRare);
  for (const TokenId id : kept) {
    number[static_cast<std::size_t>(id)] = static_cast<TokenId>(words.size());
    words.emplace_back(entry(id).first);
    counts.push_back(entry(id).second);
  }
  std::vector<TokenId>& stream = all.stream;
  for (TokenId& each : stream) {
    if (each != kWordsEnd) each = number[static_cast<std::size_t>(each)];
  }
  std::erase(stream, kRare);
  const std::int64_t count = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  return {WordVocabulary(std::move(words), std::move(counts)), std::move(stream), count};
}

}  // namespace tril
