// BERT's tokens against a plain implementation of its published algorithm in Python
// (tests/golden/make_encoders.py), their offsets in the text, and wrong files.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/files/json_reader.h>
#include <tril/files/json_value.h>
#include <tril/text/tokenizer_file.h>

#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden_models.h"

namespace tril {
namespace {

using testing::error_of;
using testing::folder_of;

std::string text_of(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Tokenizer uncased() { return read_tokenizer(folder_of("minilm") / "tokenizer.json"); }
Tokenizer cased() {
  return read_word_pieces(folder_of("bge") / "vocab.txt",
                          folder_of("bge") / "tokenizer_config.json");
}

void expect_golden(const Tokenizer& tokenizer, std::string_view list) {
  const std::string text =
      text_of(std::filesystem::path(testing::kGoldenFolder) / "word_pieces.json");
  const detail::JsonValue all = detail::JsonReader("test", text, 0).value();
  ASSERT_GT(all[list].items.size(), 30u);
  for (const detail::JsonValue& each : all[list].items) {
    std::vector<TokenId> expected;
    for (const detail::JsonValue& id : each["ids"].items) {
      expected.push_back(static_cast<TokenId>(id.integer(-1)));
    }
    EXPECT_EQ(tokenizer.encode(each["text"].text()), expected) << each["text"].text();
  }
}

TEST(WordPieces, AreThoseOfThePublishedAlgorithm) {
  expect_golden(uncased(), "uncased");
  expect_golden(cased(), "cased");
  // The same tokenizers from GGUF files.
  expect_golden(*read_pretrained(folder_of("minilm.gguf")).tokenizer, "uncased");
  expect_golden(*read_pretrained(folder_of("bge.gguf")).tokenizer, "cased");
}

TEST(WordPieces, AreWrittenAndReadAgain) {
  for (const Tokenizer& tokenizer : {uncased(), cased()}) {
    const std::string file = tokenizer_json(tokenizer);
    const Tokenizer again = parse_tokenizer_json(file);
    EXPECT_EQ(again.parts().word_pieces, tokenizer.parts().word_pieces);
    EXPECT_EQ(tokenizer_json(again), file);
    const std::string text = "The UNWANTED café, 中文!";
    EXPECT_EQ(again.encode(text), tokenizer.encode(text));
  }
}

TEST(WordPieces, KnowWhereTheyStandInTheText) {
  const Tokenizer tokenizer = uncased();
  const std::string text = "UNaffable, caf\u00e9 \u4e2d\u200b[MASK] \u221e\u221ex";
  const EncodedText found = tokenizer.encode_with_spans(text);
  EXPECT_EQ(found.ids, tokenizer.encode(text));
  std::vector<std::string> parts;
  for (const TokenSpan& span : found.spans) {
    parts.push_back(text.substr(span.begin, span.end - span.begin));
  }
  EXPECT_EQ(parts, (std::vector<std::string>{"", "UN", "aff", "able", ",", "caf\u00e9", "\u4e2d",
                                             "[MASK]", "\u221e\u221ex", ""}));
}

TEST(WordPieces, AreDecodedAsWords) {
  const Tokenizer tokenizer = uncased();
  const std::vector<TokenId> ids = tokenizer.encode("The unaffable cat, ran.");
  EXPECT_EQ(tokenizer.decode(ids), "[CLS] the unaffable cat , ran . [SEP]");
  std::string text;
  const std::vector<TokenSpan> spans = tokenizer.offsets(ids);
  for (std::size_t n = 0; n < ids.size(); ++n) {
    EXPECT_EQ(spans[n].begin, text.size());
    text += tokenizer.text(ids[n]);
    if (n == 0) text.erase(0, 1);
    EXPECT_EQ(spans[n].end, text.size());
  }
  EXPECT_EQ(text, tokenizer.decode(ids));
}

TEST(WordPieces, LeaveBytesAwayThatAreNoUtf8) {
  EXPECT_EQ(uncased().encode("the\xff cat\xc3"), uncased().encode("the cat"));
}

TEST(WordPieces, AreReadWithTheProcessingOfOlderFiles) {
  std::string file = tokenizer_json(uncased());
  const std::size_t begin = file.find("\"post_processor\""), end = file.find("\"decoder\"");
  const auto with = [&](const std::string& processor) {
    return file.substr(0, begin) + "\"post_processor\": " + processor + ", " + file.substr(end);
  };
  const Tokenizer tokenizer = parse_tokenizer_json(
      with("{\"type\": \"BertProcessing\", \"sep\": [\"[SEP]\", 3], \"cls\": [\"[CLS]\", 2]}"));
  EXPECT_EQ(tokenizer.encode("cat"), uncased().encode("cat"));
  EXPECT_NE(error_of([&] {
              parse_tokenizer_json(with("{\"type\": \"BertProcessing\", \"sep\": [\"[SEP]\"]}"));
            }).find("BertProcessing: expected a pair"),
            std::string::npos);
}

TEST(WordPieces, OfVocabTxtHaveBertsDefaults) {
  const std::string lines = "[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\ncafe\r\n##s";
  const Tokenizer tokenizer = parse_word_pieces(lines);
  EXPECT_EQ(tokenizer.encode("Caf\u00e9s"), (std::vector<TokenId>{2, 4, 5, 3}));
  EXPECT_EQ(*tokenizer.parts().word_pieces, WordPieces{});
  EXPECT_EQ(parse_word_pieces("\xef\xbb\xbf" + std::string(lines)).encode("Cafes"),
            tokenizer.encode("Cafes"));
  const Tokenizer kept = parse_word_pieces(lines, "{\"strip_accents\": false}");
  EXPECT_EQ(kept.encode("Caf\u00e9s"), (std::vector<TokenId>{2, 1, 3}));
  EXPECT_EQ(error_of([] { parse_word_pieces("[UNK]\n[CLS]\n"); }),
            "parse_word_pieces: vocabulary: has no line [SEP]");
  EXPECT_EQ(error_of([] { parse_word_pieces("[UNK]\n[CLS]\n[SEP]\na\na\n"); }),
            "parse_word_pieces: vocabulary: byte 20: token \"a\" is duplicated");
  EXPECT_EQ(error_of([] { parse_word_pieces("[UNK]\n[CLS]\n[SEP]\n\n"); }),
            "parse_word_pieces: vocabulary: token 3 is empty");
  EXPECT_EQ(error_of([&] { parse_word_pieces(lines, "[]"); }).substr(0, 33),
            "parse_word_pieces: config: byte 0");
}

TEST(WordPieces, OfTokenizerJsonAreRefusedWhereTheyAreOthers) {
  const std::string file = text_of(folder_of("minilm") / "tokenizer.json");
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& why) {
    std::string changed = file;
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, changed.npos) << from;
    changed.replace(at, from.size(), to);
    const std::string message = error_of([&] { parse_tokenizer_json(changed); });
    EXPECT_NE(message.find(why), message.npos) << message;
  };
  refused("\"WordPiece\",\n    \"unk", "\"WordLevel\",\n    \"unk",
          "expected the type \"BPE\" or \"WordPiece\", found \"WordLevel\"");
  refused("\"BertNormalizer\"", "\"Lowercase\"",
          "normalizer: of WordPiece expected null or BertNormalizer, found Lowercase");
  refused("\"BertPreTokenizer\"", "\"Whitespace\"",
          "pre_tokenizer: of WordPiece expected BertPreTokenizer, found Whitespace");
  refused("\"unk_token\": \"[UNK]\"", "\"unk_token\": \"[NONE]\"",
          "\"unk_token\" \"[NONE]\" is not in the vocabulary");
  refused("\"continuing_subword_prefix\": \"##\"", "\"continuing_subword_prefix\": \"\"",
          "must have a mark of tokens that go on with a word");
}

// An added token of characters that the normalizer removes would be found everywhere.
TEST(WordPieces, LookForNoAddedTokenOfNothing) {
  TokenizerParts parts = uncased().parts();
  parts.tokens.push_back("\u200b");
  parts.added.push_back({"\u200b", static_cast<TokenId>(parts.tokens.size() - 1), true, true});
  EXPECT_EQ(Tokenizer(parts).encode("the cat"), uncased().encode("the cat"));
}

}  // namespace
}  // namespace tril
