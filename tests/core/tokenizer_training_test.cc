// Training: against a trainer that counts all pairs again for each merge, on random words; each
// kind of tokenizer; wrong options.
#include <gtest/gtest.h>
#include <tril/text/tokenizer_file.h>
#include <tril/text/train_tokenizer.h>

#include <string>
#include <utility>
#include <vector>

#include "core/compare.h"
#include "core/sanitized.h"
#include "core/tokenizer_reference.h"

namespace tril {
namespace {

using testing::error_of;
using Strings = std::vector<std::string>;
using Ids = std::vector<TokenId>;

Tokenizer trained(std::string_view text, const TokenizerOptions& options) {
  return train_tokenizer(std::vector<std::string_view>{text}, options);
}

// The tokens after the bytes.
Strings learnt(const Tokenizer& tokenizer) {
  const Strings& tokens = tokenizer.parts().tokens;
  return {tokens.begin() + 256, tokens.end()};
}

TEST(TrainTokenizer, LearnsThePairsThatTheDefinitionLearns) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const std::uint32_t kinds = 1 + random.below(5), longest = 2 + random.below(20);
    Strings words;
    std::string text;
    for (int n = 0; n < 60; ++n) {
      words.push_back(testing::random_letters(random, 1 + random.below(longest), kinds));
      text += words.back() + "\n";  // a piece of its own
    }
    const std::size_t most = 256 + random.below(80);
    const Tokenizer tokenizer = trained(text, {.vocabulary = static_cast<TokenId>(most)});
    std::vector<std::pair<std::string, std::string>> merges;
    for (const TokenMerge& merge : tokenizer.parts().merges) {
      merges.emplace_back(tokenizer.token(merge.left), tokenizer.token(merge.right));
    }
    ASSERT_EQ(merges, testing::learn_plainly(words, most)) << seed;
    ASSERT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
}

// Text without white space, as in many scripts, is one word: a merge that went through all of it
// would not end, since there are more than thirty thousand.
TEST(TrainTokenizer, LearnsFromALongWord) {
  Random random(11);
  const std::size_t letters = TRIL_SANITIZED ? 100'000 : 250'000;
  const std::string text = testing::random_letters(random, letters, 26);
  const Tokenizer tokenizer = trained(text, {});
  EXPECT_GT(tokenizer.parts().merges.size(), letters / 34);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
}

TEST(TrainTokenizer, IsDeterministic) {
  Random random(3);
  const std::string text = testing::random_bytes(random, 5000) + "the the then";
  for (const Named<TokenizerKind>& kind : kTokenizerKinds) {
    const TokenizerOptions options{kind.value, 300, {"<|end|>"}};
    const std::string once = tokenizer_json(trained(text, options));
    EXPECT_EQ(once, tokenizer_json(trained(text, options))) << kind.name;
  }
}

TEST(TrainTokenizer, EveryKind) {
  const std::string text = "the cat the hat \u00e9t\u00e9 \u4e2d the";
  EXPECT_EQ(learnt(trained(text, {TokenizerKind::bytes})), Strings{});
  EXPECT_EQ(learnt(trained(text, {TokenizerKind::characters})), (Strings{"\u00e9", "\u4e2d"}));
  EXPECT_EQ(learnt(trained(text, {TokenizerKind::words, 258})), (Strings{" the", " cat"}));
  EXPECT_EQ(learnt(trained(text, {TokenizerKind::bpe, 259})), (Strings{"he", "the", " the"}));

  const Tokenizer words = trained(text, {TokenizerKind::words});
  EXPECT_EQ(words.encode(" the dog"), (Ids{256, ' ', 'd', 'o', 'g'}));
  const Tokenizer characters = trained(text, {TokenizerKind::characters});
  EXPECT_EQ(characters.encode("\u00e9\xc3\u4e2d\u4e2e"), (Ids{256, 0xc3, 257, 0xe4, 0xb8, 0xae}));
}

TEST(TrainTokenizer, StopsWhereNoPairOccursTwice) {
  EXPECT_EQ(learnt(trained("abcd abce", {})), (Strings{"ab", "abc"}));
  EXPECT_EQ(trained("", {}).size(), 256);
  EXPECT_EQ(train_tokenizer({}, {}).size(), 256);
}

TEST(TrainTokenizer, DoesNotReachFromOneTextIntoTheNext) {
  const std::vector<std::string_view> texts = {"xa", "b", "ya", "b"};
  EXPECT_EQ(train_tokenizer(texts, {}).size(), 256);
}

TEST(TrainTokenizer, SpecialTokensComeLastAndCutTheTexts) {
  const Tokenizer tokenizer = trained("<s>ab<s>ab<s>", {.vocabulary = 258, .special = {"<s>"}});
  EXPECT_EQ(learnt(tokenizer), (Strings{"ab", "<s>"}));
  EXPECT_EQ(tokenizer.encode("<s>ab"), (Ids{257, 256}));
  EXPECT_EQ(learnt(trained("xabab yab", {.special = {"ab"}})), Strings{"ab"});
}

TEST(TrainTokenizer, RefusesWhatDoesNotFit) {
  const auto problem = [](const TokenizerOptions& options) {
    return error_of([&] { trained("text", options); });
  };
  EXPECT_EQ(problem({.vocabulary = 255}),
            "train_tokenizer: vocabulary: must be 0 (no limit) or at least 256, 256 bytes and 0 "
            "special tokens; is 255");
  EXPECT_EQ(problem({.vocabulary = 256, .special = {"<s>"}}),
            "train_tokenizer: vocabulary: must be 0 (no limit) or at least 257, 256 bytes and 1 "
            "special tokens; is 256");
  EXPECT_EQ(problem({.vocabulary = -1}),
            "train_tokenizer: vocabulary: must be 0 (no limit) or at least 256, 256 bytes and 0 "
            "special tokens; is -1");
  EXPECT_EQ(problem({.special = {"<s>", "x"}}),
            "train_tokenizer: special: \"x\" must have 2 bytes or more: single bytes are tokens "
            "already");
  EXPECT_EQ(problem({.special = {"<s>", "<s>"}}),
            "train_tokenizer: special: \"<s>\" is duplicated");
  EXPECT_EQ(problem({static_cast<TokenizerKind>(9)}),
            "train_tokenizer: kind: there is no such kind");
}

}  // namespace
}  // namespace tril
