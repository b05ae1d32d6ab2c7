// Encoding and decoding: GPT-2's split by hand-made cases, merges against the definition, round
// trips of any bytes, offsets, added tokens, every error of a vocabulary.
#include <gtest/gtest.h>
#include <tril/text/nfc.h>
#include <tril/text/tokenizer.h>
#include <tril/text/unicode.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/tokenizer_reference.h"

namespace tril {
namespace {

using testing::add_merge, testing::encode_plainly, testing::error_of, testing::parts_of_bytes,
    testing::random_bytes, testing::random_letters;
using Ids = std::vector<TokenId>;

TEST(Tokenizer, MergesByRank) {
  TokenizerParts parts = parts_of_bytes(PreTokenizer::gpt2);
  add_merge(parts, "b", "c");   // 256
  add_merge(parts, "a", "b");   // 257
  add_merge(parts, "ab", "c");  // 258, which is unreachable: "bc" comes first
  add_merge(parts, "a", "a");   // 259
  const Tokenizer tokenizer(parts);
  EXPECT_EQ(tokenizer.size(), 260);
  EXPECT_EQ(tokenizer.encode("abc"), (Ids{'a', 256}));
  EXPECT_EQ(tokenizer.encode("abab"), (Ids{257, 257}));
  EXPECT_EQ(tokenizer.encode("aaa"), (Ids{259, 'a'}));  // the leftmost of them
  EXPECT_EQ(tokenizer.encode("a bc"), (Ids{'a', ' ', 256}));
  EXPECT_EQ(tokenizer.encode(""), Ids{});
  EXPECT_EQ(tokenizer.token(258), "abc");
}

TEST(Tokenizer, TakesWholePiecesOnlyWhereAsked) {
  TokenizerParts parts = parts_of_bytes(PreTokenizer::gpt2);
  parts.tokens.push_back("abc");
  EXPECT_EQ(Tokenizer(parts).encode("abc abc"), (Ids{'a', 'b', 'c', ' ', 'a', 'b', 'c'}));
  parts.ignore_merges = true;
  EXPECT_EQ(Tokenizer(parts).encode("abc abc abcd"),
            (Ids{256, ' ', 'a', 'b', 'c', ' ', 'a', 'b', 'c', 'd'}));
}

// Random merges, many of which compete, on pieces of every length around the change of method.
TEST(Tokenizer, MergesAsTheDefinitionDoes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const std::uint32_t kinds = 1 + random.below(4);
    TokenizerParts parts = parts_of_bytes(PreTokenizer::whole);
    for (std::uint32_t n = 0; n < 12 * kinds; ++n) {
      const auto any = [&] {  // a letter, or a merged token
        const auto made = static_cast<std::uint32_t>(parts.tokens.size()) - 256;
        const std::uint32_t which = random.below(kinds + made);
        return which < kinds ? std::string(1, static_cast<char>('a' + which))
                             : parts.tokens[256 + which - kinds];
      };
      const std::string left = any(), right = any();
      const bool is_new = std::ranges::none_of(parts.merges, [&](const TokenMerge& merge) {
        return parts.tokens[static_cast<std::size_t>(merge.left)] == left &&
               parts.tokens[static_cast<std::size_t>(merge.right)] == right;
      });
      if (is_new) add_merge(parts, left, right);
    }
    const Tokenizer tokenizer(parts);
    for (const std::uint32_t size : {1u, 2u, 3u, 7u, 20u, 63u, 64u, 65u, 66u, 130u, 300u}) {
      const std::string text = random_letters(random, size, kinds);
      ASSERT_EQ(tokenizer.encode(text), encode_plainly(parts, text)) << seed << ": " << text;
    }
  }
}

TEST(Tokenizer, LongPiecesTakeNoTimeThatGrowsWithTheirSquare) {
  TokenizerParts parts = parts_of_bytes(PreTokenizer::gpt2);
  for (std::string half = "a"; half.size() < 1024; half += half) add_merge(parts, half, half);
  const Tokenizer tokenizer(parts);
  const std::string text(1 << 18, 'a');  // quadratic time would be minutes
  EXPECT_EQ(tokenizer.encode(text), Ids(256, tokenizer.size() - 1));
}

// The parts of hostile texts, under each split, with merges and by characters: quadratic time would
// be half a minute for each.
TEST(Tokenizer, TakesLongTextsOfOneKind) {
  const std::string_view kinds[] = {"!",    " ",   "\n",     "7",  "\u0301",
                                    "\xff", " \n", "\u4e2d", "'s", "<"};
  for (const PreTokenizer split :
       {PreTokenizer::whole, PreTokenizer::characters, PreTokenizer::words, PreTokenizer::gpt2,
        PreTokenizer::llama3, PreTokenizer::qwen2, PreTokenizer::gpt4o, PreTokenizer::tekken}) {
    TokenizerParts parts = parts_of_bytes(split);
    for (std::string each : {"!", " ", "\n", "7", "<"}) {
      for (; each.size() < 64; each += each) add_merge(parts, each, each);
    }
    parts.added.push_back({"<<|", static_cast<TokenId>(parts.tokens.size()), true});
    parts.tokens.push_back("<<|");
    if (split == PreTokenizer::whole) {
      for (TokenId byte = 0; byte < 256; ++byte) parts.byte_fallback.push_back(byte);
      parts.prefix_space = PrefixSpace::each;
    } else {
      parts.nfc = true;
    }
    const Tokenizer tokenizer(parts);
    for (const std::string_view kind : kinds) {
      std::string text;
      while (text.size() < 1 << 16) text += kind;
      text += "x";
      EXPECT_TRUE(tokenizer.decode(tokenizer.encode(text)) == text) << kind;
    }
  }
}

TEST(Tokenizer, EveryByteStringSurvives) {
  TokenizerParts parts = parts_of_bytes(PreTokenizer::gpt2);
  for (const std::string pair : {"th", "he", "\xc3\xa9", "\xff\xff", " t", "\n\n"}) {
    add_merge(parts, pair.substr(0, 1), pair.substr(1));
  }
  parts.tokens.push_back("<|end|>");
  parts.added.push_back({"<|end|>", static_cast<TokenId>(parts.tokens.size() - 1), true});
  Random random(7);
  for (const PreTokenizer split :
       {PreTokenizer::whole, PreTokenizer::characters, PreTokenizer::gpt2}) {
    for (const bool digits : {false, true}) {
      parts.pre_tokenizer = split;
      parts.digits_alone = digits;
      const Tokenizer tokenizer(parts);
      for (std::uint32_t size = 0; size < 200; ++size) {
        const std::string text = random_bytes(random, size) + (size % 3 == 0 ? "<|end|> 12" : "") +
                                 random_letters(random, size % 7, 26);
        const Ids ids = tokenizer.encode(text);
        ASSERT_EQ(tokenizer.decode(ids), text);
        const std::vector<TokenSpan> spans = tokenizer.offsets(ids);
        ASSERT_EQ(spans.size(), ids.size());
        std::size_t end = 0;
        for (std::size_t n = 0; n < ids.size(); ++n) {
          ASSERT_EQ(spans[n].begin, end);
          end = spans[n].end;
          ASSERT_EQ(text.substr(spans[n].begin, end - spans[n].begin), tokenizer.token(ids[n]));
        }
        ASSERT_EQ(end, text.size());
      }
    }
  }
}

std::string nfc(std::string_view text) {
  detail::NormalizedText out(false);
  detail::append_nfc(text, out);
  return out.text();
}

TEST(Nfc, IsUnicodes) {
  const std::pair<const char*, const char*> expected[] = {
      {"abc\n", "abc\n"},
      {"e\u0301a", "\u00e9a"},
      {"q\u0323\u0307", "q\u0323\u0307"},
      {"q\u0307\u0323", "q\u0323\u0307"},  // in the order of classes
      {"a\u0323\u0302", "\u1ead"},         // one after the other
      {"a\u0302\u0323", "\u1ead"},
      {"\u212b", "\u00c5"},              // one character for another
      {"\u0958", "\u0915\u093c"},        // excluded from composition
      {"\u1100\u1161\u11a8", "\uac01"},  // Hangul
      {"\uac00\u11a8", "\uac01"},
      {"\u0301e\u0301", "\u0301\u00e9"},  // a mark without a letter
      {"\U0001611e\U00016124", "\U00016127"},
      {"a\u0300\u0300", "\u00e0\u0300"}};  // the second is blocked from the letter
  for (const auto& [text, normal] : expected) EXPECT_EQ(nfc(text), normal) << text;
  EXPECT_EQ(nfc("e\xcc"), "e\xcc");  // invalid UTF-8 stays, and separates
  EXPECT_EQ(nfc("e\xff\u0301"), "e\xff\u0301");
}

// A character composed of several has the span of all of them.
TEST(Tokenizer, SpansAreOfTheTextThatWasGiven) {
  TokenizerParts parts = parts_of_bytes(PreTokenizer::llama3);
  add_merge(parts, "\xc3", "\xa9");  // 256: e with an accent
  parts.nfc = true;
  parts.tokens.push_back("<s>");
  parts.added.push_back({"<s>", 257});
  parts.prefix = parts.suffix = {257};
  const EncodedText encoded = Tokenizer(parts).encode_with_spans("xe\u0301<s>e\u0302\u0323y");
  EXPECT_EQ(encoded.ids, (Ids{257, 'x', 256, 257, 0xe1, 0xbb, 0x87, 'y', 257}));
  EXPECT_EQ(encoded.spans,
            (std::vector<TokenSpan>{
                {0, 0}, {0, 1}, {1, 4}, {4, 7}, {7, 12}, {7, 12}, {7, 12}, {12, 13}, {13, 13}}));
}

// Added tokens that are matched after normalisation, as in old files of Llama 2.
TEST(Tokenizer, FindsNormalizedTokensBehindTheBlank) {
  TokenizerParts parts = parts_of_bytes(PreTokenizer::whole);
  for (TokenId byte = 0; byte < 256; ++byte) parts.byte_fallback.push_back(byte);
  parts.prefix_space = PrefixSpace::each;
  parts.tokens.push_back("<s>");
  parts.added.push_back({"<s>", 256, true, true});
  const Tokenizer tokenizer(parts);
  EXPECT_EQ(tokenizer.encode("<s>x"), (Ids{256, 'x'}));
  EXPECT_EQ(tokenizer.encode("x<s>"), (Ids{' ', 'x', '<', 's', '>'}));
  EXPECT_EQ(tokenizer.encode("x <s>"), (Ids{' ', 'x', 256}));
  EXPECT_EQ(tokenizer.encode_with_spans("x <s>").spans,
            (std::vector<TokenSpan>{{0, 0}, {0, 1}, {1, 5}}));
  for (const char* text : {"a <s> b", "<s>x", "x <s>", "<s> <s>", "x<s>", "  <s>", "a  <s>  b"}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
  EXPECT_EQ(tokenizer.offsets(Ids{256, 'x', 256}),
            (std::vector<TokenSpan>{{0, 3}, {3, 4}, {4, 8}}));
  EXPECT_EQ(tokenizer.token(256), "<s>");
  EXPECT_EQ(tokenizer.text(256), " <s>");
}

// The results of Hugging Face's tokenizers for these flags (added_vocabulary.rs).
TEST(Tokenizer, FindsAddedTokensByTheirFlags) {
  const auto with = [](AddedToken token, std::string_view text, bool special_tokens = true) {
    TokenizerParts parts = parts_of_bytes(PreTokenizer::whole);
    token.text = "<m>", token.id = 256;
    parts.tokens.push_back(token.text);
    parts.added.push_back(token);
    const Tokenizer tokenizer(parts);
    std::string shown;
    const EncodedText encoded =
        tokenizer.encode_with_spans(text, {.special_tokens = special_tokens});
    for (std::size_t n = 0; n < encoded.ids.size(); ++n) {
      const TokenSpan span = encoded.spans[n];
      const std::string_view part = text.substr(span.begin, span.end - span.begin);
      if (encoded.ids[n] == 256) shown += "[" + std::string(part) + "]";
      if (encoded.ids[n] != 256) shown += part;
    }
    return shown;
  };
  AddedToken token;
  EXPECT_EQ(with(token, "a <m> b<m>c"), "a [<m>] b[<m>]c");
  token.lstrip = true;
  EXPECT_EQ(with(token, "a \t\u3000<m> b<m>c"), "a[ \t\u3000<m>] b[<m>]c");
  EXPECT_EQ(with(token, " <m> <m>"), "[ <m>][ <m>]");
  token.rstrip = true;
  EXPECT_EQ(with(token, "a <m> \n b"), "a[ <m> \n ]b");
  EXPECT_EQ(with(token, " <m> <m> "), "[ <m> ][<m> ]");  // the space between belongs to the first
  token.lstrip = false;
  EXPECT_EQ(with(token, "a <m>\u00a0b <m>"), "a [<m>\u00a0]b [<m>]");
  token = {.single_word = true};
  EXPECT_EQ(with(token, "<m> a<m> <m>b 1<m> <m>_ \u00e9<m> e\u0301<m> (<m>) \u200d<m>"),
            "[<m>] a<m> <m>b 1<m> <m>_ \u00e9<m> e\u0301<m> ([<m>]) \u200d<m>");
  EXPECT_EQ(with(token, "\xff<m>\x80"), "\xff[<m>]\x80");
  token = {.special = true, .lstrip = true};
  EXPECT_EQ(with(token, "a <m>", false), "a <m>");
  token.special = false;
  EXPECT_EQ(with(token, "a <m>", false), "a[ <m>]");
}

// The longest of several added tokens at one position wins, and a skipped one is text.
TEST(Tokenizer, FindsTheLongestAddedToken) {
  TokenizerParts parts = parts_of_bytes(PreTokenizer::whole);
  for (const char* text : {"<a", "<a>", "<a>b"}) {
    parts.added.push_back({text, static_cast<TokenId>(parts.tokens.size()), false});
    parts.tokens.push_back(text);
  }
  parts.added[1].special = true;
  const Tokenizer tokenizer(parts);
  EXPECT_EQ(tokenizer.encode("<a>b<a>c<a<b"), (Ids{258, 257, 'c', 256, '<', 'b'}));
  EXPECT_EQ(tokenizer.encode("<a>b<a>c", {.special_tokens = false}),
            (Ids{258, '<', 'a', '>', 'c'}));
}

// Many added tokens with common beginnings, and a text of nothing else: trying them one by one at
// each position would not end.
TEST(Tokenizer, FindsAddedTokensAmongAHundredThousand) {
  TokenizerParts parts = parts_of_bytes(PreTokenizer::whole);
  constexpr int kCount = 100'000;
  for (int n = 0; n < kCount; ++n) {
    const std::string text = "<|reserved_" + std::to_string(n) + "|>";
    parts.added.push_back({text, static_cast<TokenId>(parts.tokens.size()), true});
    parts.tokens.push_back(text);
  }
  std::string text;
  Ids expected;
  for (int n = 0; n < kCount; ++n) {
    text += "<|reserved_" + std::to_string(kCount - 1 - n) + "|>";
    expected.push_back(256 + kCount - 1 - n);
  }
  EXPECT_EQ(Tokenizer(parts).encode(text), expected);
}

// With and without splitting the text before its spaces, which is faster.
TEST(Tokenizer, CharactersAreMergedAsTheDefinitionDoes) {
  for (const bool reaches_across : {false, true}) {
    TokenizerParts parts = parts_of_bytes(PreTokenizer::whole);
    for (TokenId byte = 0; byte < 256; ++byte) parts.byte_fallback.push_back(byte);
    add_merge(parts, "a", "b");
    add_merge(parts, " ", "a");
    add_merge(parts, " ", " ");
    if (reaches_across) add_merge(parts, "b", " ");
    add_merge(parts, "  ", "ab");
    const Tokenizer tokenizer(parts);
    Random random(3);
    for (std::uint32_t size = 0; size < 200; ++size) {
      std::string text = random_letters(random, size, 3);
      std::ranges::replace(text, 'c', ' ');
      ASSERT_EQ(tokenizer.encode(text), encode_plainly(parts, text)) << '"' << text << '"';
    }
  }
}

TEST(Tokenizer, FindsAddedTokensFirst) {
  TokenizerParts parts = parts_of_bytes(PreTokenizer::gpt2);
  for (const std::string text : {"<a>", "<a><b>", "<c>"}) {
    parts.added.push_back({text, static_cast<TokenId>(parts.tokens.size()), text != "<c>"});
    parts.tokens.push_back(text);
  }
  const Tokenizer tokenizer(parts);
  EXPECT_EQ(tokenizer.encode("x<a>y"), (Ids{'x', 256, 'y'}));
  EXPECT_EQ(tokenizer.encode("<a><b><a>"), (Ids{257, 256}));  // the longest
  EXPECT_EQ(tokenizer.encode("<a<c>"), (Ids{'<', 'a', 258}));
  EXPECT_EQ(tokenizer.encode("<a><c>", {.special_tokens = false}), (Ids{'<', 'a', '>', 258}));
  EXPECT_EQ(tokenizer.decode(Ids{256, 'x', 258}), "<a>x<c>");
}

// Four spellings of one letter with the same normal form: the first in the file is meant.
TEST(Tokenizer, FindsTheFirstOfAddedTokensThatAreTheSameWhenNormal) {
  std::vector<std::string> ways = {"a\u0323\u0301", "a\u0301\u0323", "\u00e1\u0323",
                                   "\u1ea1\u0301"};
  std::ranges::sort(ways);
  do {
    TokenizerParts parts = parts_of_bytes(PreTokenizer::whole);
    parts.nfc = true;
    for (const std::string& text : ways) {
      const auto id = static_cast<TokenId>(parts.tokens.size());
      parts.added.push_back({.text = text, .id = id, .normalized = true});
      parts.tokens.push_back(text);
    }
    const Tokenizer tokenizer(parts);
    for (const std::string& text : ways) EXPECT_EQ(tokenizer.encode(text), Ids{256});
  } while (std::ranges::next_permutation(ways).found);
}

TEST(Tokenizer, RefusesIdsThatAreNone) {
  const Tokenizer tokenizer(parts_of_bytes(PreTokenizer::whole));
  EXPECT_EQ(error_of([&] {
              tokenizer.decode(Ids{'a', 256});
            }),
            "Tokenizer::decode: ids: there is no token 256, only 0 to 255");
  EXPECT_EQ(error_of([&] { tokenizer.offsets(Ids{-1}); }),
            "Tokenizer::offsets: ids: there is no token -1, only 0 to 255");
  EXPECT_EQ(error_of([&] { tokenizer.token(999); }),
            "Tokenizer::token: ids: there is no token 999, only 0 to 255");
  EXPECT_EQ(tokenizer.decode(Ids{'a'}), "a");
}

TEST(Tokenizer, RefusesPartsThatDoNotFit) {
  const TokenizerParts bytes = parts_of_bytes(PreTokenizer::gpt2);
  const auto problem = [&](const auto& change) {
    TokenizerParts parts = bytes;
    change(parts);
    return error_of([&] { Tokenizer{parts}; });
  };
  EXPECT_EQ(problem([](TokenizerParts& parts) { parts.tokens.pop_back(); }),
            "Tokenizer: tokens: byte 255 is not a token; each of the 256 bytes must be one");
  EXPECT_EQ(problem([](TokenizerParts& parts) { parts.tokens.push_back("a"); }),
            "Tokenizer: tokens: token 256, \"a\", is token 97 already");
  EXPECT_EQ(problem([](TokenizerParts& parts) { parts.tokens.push_back(""); }),
            "Tokenizer: tokens: token 256 is empty");
  EXPECT_EQ(problem([](TokenizerParts& parts) {
              parts.merges.push_back({'a', 'b', 256});
            }),
            "Tokenizer: merges: merge 0: there is no token 256, only 0 to 255");
  EXPECT_EQ(problem([](TokenizerParts& parts) {
              parts.merges.push_back({'a', 'b', 'c'});
            }),
            "Tokenizer: merges: merge 0: of \"ab\", but token 99, \"c\"");
  EXPECT_EQ(problem([](TokenizerParts& parts) {
              add_merge(parts, "a", "b");
              add_merge(parts, "a", "b");
            }),
            "Tokenizer: merges: merge 1: the pair \"a\", \"b\" is merged already");
  EXPECT_EQ(problem([](TokenizerParts& parts) {
              parts.added.push_back({"<a>", 97});
            }),
            "Tokenizer: added: \"<a>\" is not token 97 of the vocabulary");
  EXPECT_EQ(problem([](TokenizerParts& parts) {
              parts.added.push_back({"", 300});
            }),
            "Tokenizer: added: \"\" is not token 300 of the vocabulary");
  EXPECT_EQ(problem([](TokenizerParts& parts) { parts.prefix = {300}; }),
            "Tokenizer: prefix: there is no token 300, only 0 to 255");
  EXPECT_EQ(problem([](TokenizerParts& parts) { parts.byte_fallback = {1}; }),
            "Tokenizer: byte_fallback: must be 256 tokens, one for each byte, or none");
  EXPECT_EQ(problem([](TokenizerParts& parts) { parts.byte_fallback.assign(256, 0); }),
            "Tokenizer: byte_fallback: token 0 is not byte 1");
}

}  // namespace
}  // namespace tril
