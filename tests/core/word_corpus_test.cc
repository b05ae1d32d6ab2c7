// Texts as words, counted and numbered; windows and words drawn from them, against the
// probabilities of the definition, within five standard deviations.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/model/word_windows.h>
#include <tril/text/letter_case.h>
#include <tril/text/tokenizer_file.h>
#include <tril/text/train_tokenizer.h>

#include <cmath>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::error_of;
using Strings = std::vector<std::string>;
using Ids = std::vector<TokenId>;

Strings words_of(std::string_view text, bool lower = true) {
  Strings words;
  detail::for_each_word(text, lower, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

WordCorpus corpus_of(std::string_view text, std::int64_t min_count) {
  return read_words({&text, 1}, {.min_count = min_count});
}

TEST(Words, AreRunsOfLettersAndNumbers) {
  EXPECT_EQ(words_of("The cat, 3rd of 12 -- don't!"),
            (Strings{"the", "cat", "3rd", "of", "12", "don't"}));
  EXPECT_EQ(words_of("'tis Kings' rock\u2019n\u2019roll ''"),
            (Strings{"tis", "kings", "rock'n'roll"}));
  EXPECT_EQ(words_of("\u00c9cole \u0414\u041e\u041c \u03a3\u0391\u03a3 \u65e5\u672c"),
            (Strings{"\u00e9cole", "\u0434\u043e\u043c", "\u03c3\u03b1\u03c3", "\u65e5\u672c"}));
  EXPECT_EQ(words_of("The CAT", false), (Strings{"The", "CAT"}));
  EXPECT_EQ(words_of("a\xff"
                     "b\x80"),
            (Strings{"a", "b"}));  // invalid UTF-8 ends words
  EXPECT_EQ(words_of(""), Strings{});
}

// tests/golden/words.txt: texts and their words, which the page's tests read, too.
struct TextAndWords {
  std::string text;
  Strings words;
};
std::vector<TextAndWords> words_of_any_script() {
  const std::vector<std::byte> bytes =
      read_file(std::string(testing::kGoldenFolder) + "/words.txt");
  std::istringstream file({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  std::vector<TextAndWords> all;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    TextAndWords& each = all.emplace_back(TextAndWords{line.substr(0, tab), {}});
    std::istringstream words(line.substr(tab + 1));
    for (std::string word; words >> word;) each.words.push_back(word);
  }
  return all;
}

TEST(Words, OfAnyScriptKeepTheirMarks) {
  const std::vector<TextAndWords> all = words_of_any_script();
  EXPECT_GT(all.size(), 20u);
  for (const auto& [text, words] : all) EXPECT_EQ(words_of(text), words) << text;
  EXPECT_EQ(words_of("\u0301a \u0301 \u200d"), Strings{"a"});  // lone marks are no words
  EXPECT_EQ(words_of("a\u0301\u2019\u0301b"), (Strings{"a\u0301", "b"}));
}

// Pieces of the word tokenizer, which splits "don't" in two, like GPT-2.
TEST(Words, AreTokensOfTheTokenizerOfWords) {
  for (const auto& [text, words] : words_of_any_script()) {
    if (text.find('\'') != text.npos || text.find("\u2019") != text.npos) continue;
    const std::string_view view = text;
    const Tokenizer tokenizer = train_tokenizer({&view, 1}, {.kind = TokenizerKind::words});
    Strings found;
    for (const TokenId id : tokenizer.encode(text)) {
      for (const std::string& word : words_of(tokenizer.token(id))) found.push_back(word);
    }
    EXPECT_EQ(found, words) << text;
    EXPECT_LE(tokenizer.encode(text).size(), words.size() + 2) << text;  // and punctuation
    const Tokenizer again = parse_tokenizer_json(tokenizer_json(tokenizer));
    EXPECT_EQ(again.encode(text), tokenizer.encode(text)) << text;
  }
}

TEST(Words, HaveAnEndWhereALineIsBlank) {
  EXPECT_EQ(words_of("a\nb\n\nc\r\n \t\r\nd\n* * *\ne"),
            (Strings{"a", "b", "", "c", "", "d", "e"}));
}

TEST(LowerCase, IsThatOfTheAlphabetsAndLeavesTheRest) {
  const std::pair<std::uint32_t, std::uint32_t> pairs[] = {
      {'A', 'a'},       {'Z', 'z'},        {'@', '@'},     {'[', '['},     {'a', 'a'},
      {0xd7, 0xd7},     {0xde, 0xfe},      {0x130, 0x130}, {0x131, 0x131}, {0x178, 0xff},
      {0x17d, 0x17e},   {0x17e, 0x17e},    {0x386, 0x3ac}, {0x3a9, 0x3c9}, {0x3c2, 0x3c2},
      {0x401, 0x451},   {0x42f, 0x44f},    {0x531, 0x561}, {0x1e9e, 0xdf}, {0x1ef8, 0x1ef9},
      {0x4e00, 0x4e00}, {0x1f600, 0x1f600}};
  for (const auto& [capital, small] : pairs) {
    EXPECT_EQ(detail::lower_case(capital), small) << std::hex << capital;
  }
}

TEST(ReadWords, NumbersTheMostFrequentFirst) {
  const std::string_view texts[] = {"b a c A rare b\n\n\nc c", "d a d"};
  const WordCorpus corpus = read_words(texts, {.min_count = 2});
  EXPECT_EQ(corpus.vocabulary.words(), (Strings{"a", "c", "b", "d"}));
  EXPECT_EQ(corpus.vocabulary.counts(), (std::vector<std::int64_t>{3, 3, 2, 2}));
  EXPECT_EQ(corpus.words, (Ids{2, 0, 1, 0, 2, -1, 1, 1, -1, 3, 0, 3, -1}));
  EXPECT_EQ(corpus.count, 10);
  EXPECT_EQ(corpus.vocabulary.find("d"), 3);
  EXPECT_LT(corpus.vocabulary.find("rare"), 0);
  EXPECT_LT(corpus.vocabulary.find(""), 0);
}

TEST(ReadWords, RefusesTextsOfTooFewWords) {
  EXPECT_EQ(error_of([] { corpus_of("a a b", 2); }),
            "read_words: texts: have 1 word that occurs 2 times or more, of 2; 2 are needed");
  EXPECT_EQ(error_of([] { corpus_of("", 1); }),
            "read_words: texts: have 0 words that occur 1 time or more, of 0; 2 are needed");
  EXPECT_EQ(error_of([] { corpus_of("a b", 0); }),
            "read_words: min_count: must be at least 1, is 0");
  EXPECT_EQ(error_of([] {
              WordVocabulary({"a", "b", "a"}, {1, 1, 1});
            }),
            "WordVocabulary: words: \"a\" is duplicated");
  EXPECT_EQ(error_of([] {
              WordVocabulary({"a", ""}, {1, 1});
            }),
            "WordVocabulary: words: number 1 is empty");
  EXPECT_EQ(error_of([] {
              WordVocabulary({"a", "b"}, {1});
            }),
            "WordVocabulary: counts: are 1, and there are 2 words");
}

// Expects an event of probability q to occur n times in `draws`, within five standard deviations.
void expect_share(double n, double draws, double q) {
  EXPECT_NEAR(n, draws * q, 5 * std::sqrt(draws * q * (1 - q)));
}

TEST(AliasTable, DrawsAsOftenAsWeightsSay) {
  const std::vector<double> weights{5, 1, 0.25, 3, 3, 1e-3, 12};
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  const detail::AliasTable table(weights);
  Random random(7);
  constexpr int kDraws = 1000000;
  std::vector<int> counts(weights.size());
  for (int n = 0; n < kDraws; ++n) ++counts[static_cast<std::size_t>(table.draw(random))];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    expect_share(counts[i], kDraws, weights[i] / all);
  }
}

TEST(WordWindows, HoldEachWordWithThoseAroundItAndSomeThatAreDrawn) {
  Ids words(5000);
  Random random(3);
  for (TokenId& word : words) word = static_cast<TokenId>(random.below(4));
  words[2500] = kWordsEnd;
  const std::vector<std::int64_t> counts{1250, 1250, 1250, 1250};
  detail::WordWindowSource source(counts, {.window = 3, .negative = 4, .sample = 0});
  detail::WordWindows windows;
  source.append(words, random, windows);
  ASSERT_EQ(windows.windows.size(), 4999u);
  std::vector<int> reaches(4);
  int drawn = 0;
  std::size_t inputs = 0, targets = 0;
  for (std::size_t n = 0; n < windows.windows.size(); ++n) {
    const detail::WordWindow& window = windows.windows[n];
    ASSERT_EQ(window.inputs, inputs);
    ASSERT_EQ(window.targets, targets);
    inputs += window.input_count;
    targets += window.target_count;
    const std::size_t at = n < 2500 ? n : n + 1;
    const auto target = windows.targets.begin() + static_cast<std::ptrdiff_t>(window.targets);
    ASSERT_EQ(*target, words[at]);
    for (std::size_t j = 1; j < window.target_count; ++j) {
      ASSERT_NE(target[static_cast<std::ptrdiff_t>(j)], words[at]);
    }
    drawn += static_cast<int>(window.target_count) - 1;
    // Away from the ends both sides have the same number of words, including the nearest ones.
    const std::size_t from_end =
        std::min(at, at < 2500 ? 2499 - at : std::min(at - 2501, 4999 - at));
    if (from_end < 3) continue;
    ASSERT_EQ(window.input_count % 2, 0u);
    const std::size_t reach = window.input_count / 2;
    ++reaches[reach];
    for (std::size_t i = 0; i < window.input_count; ++i) {
      const std::size_t place = at - reach + i + (i >= reach ? 1 : 0);
      ASSERT_EQ(windows.inputs[window.inputs + i], words[place]);
    }
  }
  EXPECT_EQ(inputs, windows.inputs.size());
  EXPECT_EQ(targets, windows.targets.size());
  EXPECT_EQ(reaches[0], 0);
  for (int reach = 1; reach <= 3; ++reach) {
    expect_share(reaches[static_cast<std::size_t>(reach)], 4999 - 12, 1.0 / 3);
  }
  expect_share(drawn, 4 * 4999, 0.75);  // a quarter would be the word itself
}

TEST(WordWindows, AreThinnedOutWhereWordsAreFrequent) {
  // 90 %, 9 %, 1 % of 100000 words; t = 1 %.
  const std::vector<std::int64_t> counts{90000, 9000, 1000};
  Ids words;
  for (TokenId id = 0; id < 3; ++id) {
    words.insert(words.end(), static_cast<std::size_t>(counts[static_cast<std::size_t>(id)]), id);
  }
  detail::WordWindowSource source(counts, {.window = 1, .negative = 1, .sample = 0.01});
  const double shares[] = {(std::sqrt(90) + 1) / 90, (std::sqrt(9) + 1) / 9, 1};
  constexpr double kFloat = 0x1p-24;  // probabilities are stored in float
  for (TokenId id = 0; id < 3; ++id) EXPECT_NEAR(source.kept(id), shares[id], kFloat * shares[id]);
  detail::WordWindows windows;
  Random random(4);
  source.append(words, random, windows);
  std::vector<int> kept(3);
  for (const detail::WordWindow& window : windows.windows) {
    ++kept[static_cast<std::size_t>(windows.targets[window.targets])];
  }
  expect_share(kept[0], 90000, shares[0]);
  expect_share(kept[1], 9000, shares[1]);
  EXPECT_EQ(kept[2], 1000);
  // A window has two words around its own: pairs of word 0 with another have it and a drawn one;
  // pairs of 0 as either word have both.
  const double q = 90000 * shares[0] / (90000 * shares[0] + 9000 * shares[1] + 1000);
  const double p =
      std::pow(90000, 0.75) / (std::pow(90000, 0.75) + std::pow(9000, 0.75) + std::pow(1000, 0.75));
  const double most = std::max(2 * q * 2, 2 * (q + p));
  EXPECT_NEAR(source.most_pairs(), most, 2 * kFloat * most);
}

}  // namespace
}  // namespace tril
