// Tokenizers in GGUF files: the same ids as those of the tokenizer.json, or of SentencePiece.
#include <gtest/gtest.h>
#include <tril/foundation/random.h>
#include <tril/text/byte_alphabet.h>
#include <tril/text/gguf_tokenizer.h>
#include <tril/text/tokenizer_file.h>
#include <tril/text/train_tokenizer.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/compare.h"
#include "core/gguf_writer.h"

namespace tril {
namespace {

using testing::error_of;
using testing::GgufWriter;

std::optional<Tokenizer> parsed(const GgufWriter& writer) {
  const std::string file = writer.file();
  return parse_gguf_tokenizer(parse_gguf_header(std::as_bytes(std::span(file)), file.size()));
}
std::string refused(const GgufWriter& writer) {
  const std::string message = error_of([&] { parsed(writer); });
  EXPECT_TRUE(message.starts_with("parse_gguf: ")) << message;
  return message.substr(12);
}

constexpr std::string_view kText =
    "the theatre thaws there; 12345 theses, the other's. The\n\n they'll  \xc3\xa9t\xc3\xa9 "
    "<|end|>the 7 <x>";

// Byte-pair encoding, in the form of llama.cpp's converters.
GgufWriter of_bytes(const Tokenizer& tokenizer, const std::string& pre) {
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "gpt2");
  if (!pre.empty()) writer.text("tokenizer.ggml.pre", pre);
  const TokenizerParts& parts = tokenizer.parts();
  std::vector<std::string> names, merges;
  std::vector<std::int32_t> types(parts.tokens.size(), 1);
  for (const std::string& each : parts.tokens) names.push_back(detail::to_byte_alphabet(each));
  for (const AddedToken& each : parts.added) {
    names[static_cast<std::size_t>(each.id)] = each.text;
    types[static_cast<std::size_t>(each.id)] = each.special ? 3 : 4;
  }
  for (const TokenMerge& each : parts.merges) {
    merges.push_back(names[static_cast<std::size_t>(each.left)] + " " +
                     names[static_cast<std::size_t>(each.right)]);
  }
  writer.texts("tokenizer.ggml.tokens", names);
  writer.numbers("tokenizer.ggml.token_type", testing::kI32, types);
  writer.texts("tokenizer.ggml.merges", merges);
  return writer;
}

Tokenizer learned() {
  TokenizerParts parts = train_tokenizer({&kText, 1}, {.vocabulary = 290}).parts();
  for (const auto& [text, special] : {std::pair{"<|end|>", true}, {"<x>", false}}) {
    parts.added.push_back({text, static_cast<TokenId>(parts.tokens.size()), special});
    parts.tokens.push_back(text);
  }
  return Tokenizer(std::move(parts));
}

TEST(GgufTokenizer, BytesAreThoseOfTokenizerJson) {
  const struct {
    const char* pre;
    PreTokenizer pre_tokenizer;
    bool digits, nfc, ignore;
  } cases[] = {{"gpt-2", PreTokenizer::gpt2, false, false, false},
               {"", PreTokenizer::gpt2, false, false, false},
               {"llama-bpe", PreTokenizer::llama3, false, false, true},
               {"dbrx", PreTokenizer::llama3, false, false, false},
               {"qwen2", PreTokenizer::qwen2, false, true, false},
               {"gpt-4o", PreTokenizer::gpt4o, false, false, false},
               {"tekken", PreTokenizer::tekken, false, false, true},
               {"smollm", PreTokenizer::gpt2, true, false, false},
               {"olmo", PreTokenizer::gpt2, false, true, false}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.pre);
    TokenizerParts parts = learned().parts();
    parts.pre_tokenizer = each.pre_tokenizer;
    parts.digits_alone = each.digits;
    parts.nfc = each.nfc;
    parts.ignore_merges = each.ignore;
    const Tokenizer expected = parse_tokenizer_json(tokenizer_json(Tokenizer(parts)));
    GgufWriter writer = of_bytes(expected, each.pre);
    writer.flag("tokenizer.ggml.add_bos_token", false);
    const std::optional<Tokenizer> tokenizer = parsed(writer);
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->size(), expected.size());
    EXPECT_EQ(tokenizer->encode(kText), expected.encode(kText));
    EXPECT_EQ(tokenizer->encode(kText, {.special_tokens = false}),
              expected.encode(kText, {.special_tokens = false}));
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(kText)), kText);
    EXPECT_EQ(tokenizer_json(*tokenizer), tokenizer_json(expected));
  }
}

TEST(GgufTokenizer, TextsBeginAndEndAsTheFileSays) {
  const Tokenizer expected = learned();
  const auto ids = [&](const char* pre, const auto& more) {
    GgufWriter writer = of_bytes(expected, pre);
    writer.u32("tokenizer.ggml.bos_token_id", 5);
    writer.u32("tokenizer.ggml.eos_token_id", 6);
    more(writer);
    return parsed(writer)->encode("");
  };
  using Ids = std::vector<TokenId>;
  EXPECT_EQ(ids("gpt-2", [](GgufWriter&) {}), Ids{});
  EXPECT_EQ(ids("llama-bpe", [](GgufWriter&) {}), Ids{5});
  EXPECT_EQ(ids("gpt-2",
                [](GgufWriter& writer) {
                  writer.flag("tokenizer.ggml.add_bos_token", true);
                  writer.flag("tokenizer.ggml.add_eos_token", true);
                }),
            (Ids{5, 6}));
}

// A SentencePiece vocabulary: <unk>, <s>, </s>, the bytes, and pieces with their scores.
struct Pieces {
  std::vector<std::string> names = {"<unk>", "<s>", "</s>"};
  std::vector<float> scores = {0, 0, 0};
  std::vector<std::int32_t> types = {2, 3, 3};

  Pieces() {
    for (int byte = 0; byte < 256; ++byte) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      names.push_back(std::string("<0x") + kDigits[static_cast<std::size_t>(byte / 16)] +
                      kDigits[static_cast<std::size_t>(byte % 16)] + ">");
      scores.push_back(0);
      types.push_back(6);
    }
  }
  void add(const std::string& name, float score, std::int32_t type = 1) {
    names.push_back(name), scores.push_back(score), types.push_back(type);
  }
  GgufWriter writer() const {
    GgufWriter writer;
    writer.text("tokenizer.ggml.model", "llama");
    writer.texts("tokenizer.ggml.tokens", names);
    writer.numbers("tokenizer.ggml.scores", testing::kF32, scores);
    writer.numbers("tokenizer.ggml.token_type", testing::kI32, types);
    writer.u32("tokenizer.ggml.bos_token_id", 1);
    return writer;
  }
  // SentencePiece's algorithm: it repeatedly joins the neighbours whose piece has the highest
  // score, the first of several; symbols that are not pieces become their bytes.
  std::vector<TokenId> encode(const std::string& text) const {
    std::vector<std::string> symbols;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t size = 1;
      while (at + size < text.size() && (text[at + size] & 0xc0) == 0x80) ++size;
      symbols.push_back(text[at] == ' ' ? "\u2581" : text.substr(at, size));
      at += size;
    }
    std::map<std::string, std::size_t> ids;
    for (std::size_t id = 259; id < names.size(); ++id) ids[names[id]] = id;
    while (true) {
      std::size_t best = symbols.size();
      float score = 0;
      for (std::size_t n = 0; n + 1 < symbols.size(); ++n) {
        const auto found = ids.find(symbols[n] + symbols[n + 1]);
        if (found == ids.end()) continue;
        if (best < symbols.size() && scores[found->second] <= score) continue;
        best = n, score = scores[found->second];
      }
      if (best == symbols.size()) break;
      symbols[best] += symbols[best + 1];
      symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
    std::vector<TokenId> result = {1};
    for (const std::string& each : symbols) {
      if (const auto found = ids.find(each); found != ids.end()) {
        result.push_back(static_cast<TokenId>(found->second));
        continue;
      }
      for (const char byte : each) {
        result.push_back(3 + static_cast<TokenId>(static_cast<unsigned char>(byte)));
      }
    }
    return result;
  }
};

TEST(GgufTokenizer, CharactersAreMergedByScores) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    Pieces pieces;
    const std::vector<std::string> letters = {"\u2581", "a", "b", "\u00e9", "c"};
    for (const std::string& each : letters) pieces.add(each, -100);
    std::vector<std::string> known = letters;
    for (int n = 0; n < 30; ++n) {
      const std::string piece = known[random.below(static_cast<std::uint32_t>(known.size()))] +
                                known[random.below(static_cast<std::uint32_t>(known.size()))];
      if (std::ranges::find(known, piece) != known.end()) continue;
      known.push_back(piece);
      pieces.add(piece, -static_cast<float>(n));
    }
    GgufWriter writer = pieces.writer();
    writer.flag("tokenizer.ggml.add_space_prefix", false);
    const std::optional<Tokenizer> tokenizer = parsed(writer);
    for (int text = 0; text < 40; ++text) {
      std::string given;
      for (std::uint32_t size = random.below(12); size-- > 0;) {
        const std::string letter = letters[random.below(5)];
        given += random.below(20) == 0 ? "z" : letter == "\u2581" ? " " : letter;
      }
      EXPECT_EQ(tokenizer->encode(given), pieces.encode(given)) << given;
      EXPECT_EQ(tokenizer->decode(tokenizer->encode(given, {.affixes = false})), given);
    }
  }
}

TEST(GgufTokenizer, CharactersHaveABlankInFrontUnlessTheFileSaysOtherwise) {
  Pieces pieces;
  for (const char* each : {"\u2581", "a", "\u2581a"}) pieces.add(each, -1);
  pieces.add("<turn>", 0, 4);
  pieces.add("\u2581\u2581", 0, 4);
  using Ids = std::vector<TokenId>;
  EXPECT_EQ(parsed(pieces.writer())->encode("a<turn>"), (Ids{1, 261, 262}));
  EXPECT_EQ(parsed(pieces.writer())->encode("<s>a"), (Ids{1, 1, 261}));
  EXPECT_FALSE(parsed(pieces.writer())->is_special(262));
  EXPECT_TRUE(parsed(pieces.writer())->is_special(1));
  GgufWriter without = pieces.writer();
  without.flag("tokenizer.ggml.add_space_prefix", false);
  without.flag("tokenizer.ggml.add_bos_token", false);
  without.flag("tokenizer.ggml.add_eos_token", true);
  EXPECT_EQ(parsed(without)->encode("a  a"), (Ids{260, 263, 260, 2}));
}

// BERT's tokens in the form of conversion/bert.py; the first have this type, all others are normal.
GgufWriter of_words(std::vector<std::string> names, std::int32_t first = 3) {
  std::vector<std::int32_t> types(names.size(), 1);
  types[0] = first;
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "bert");
  writer.texts("tokenizer.ggml.tokens", names);
  writer.numbers("tokenizer.ggml.token_type", testing::kI32, types);
  return writer;
}
void name_ids(GgufWriter& writer, const char* begin) {
  writer.u32("tokenizer.ggml.unknown_token_id", 0);
  writer.u32(begin, 1);
  writer.u32("tokenizer.ggml.seperator_token_id", 2);
}

TEST(GgufTokenizer, WordsHaveTheNamesOfVocabTxt) {
  GgufWriter writer = of_words({"[UNK]", "[CLS]", "[SEP]", "\u2581cat", "s", "\u2581#", "",
                                "\u2581", "\u2581\u2581", "\u2581[unused0]", "#"});
  name_ids(writer, "tokenizer.ggml.bos_token_id");
  const Tokenizer tokenizer = *parsed(writer);
  EXPECT_EQ(tokenizer.parts().tokens,
            (std::vector<std::string>{"[UNK]", "[CLS]", "[SEP]", "cat", "##s", "#", "##",
                                      "##\u2581", "\u2581", "[unused0]", "###"}));
  using Ids = std::vector<TokenId>;
  EXPECT_EQ(tokenizer.encode("CATS c\u00e1t # dog s [UNK]"), (Ids{1, 3, 4, 3, 5, 0, 0, 0, 2}));
  EXPECT_TRUE(tokenizer.is_special(0));
  EXPECT_EQ(tokenizer.decode(Ids{1, 3, 4, 2}), "[CLS] cats [SEP]");
}

TEST(GgufTokenizer, WordsFindSpecialTokensByNameWhereTheFileHasNoIds) {
  const std::vector<std::string> names = {"[PAD]", "\u2581a", "[SEP]", "\u2581b", "[UNK]", "[CLS]"};
  EXPECT_EQ(parsed(of_words(names))->encode("b x"), (std::vector<TokenId>{5, 3, 4, 2}));
  GgufWriter writer = of_words(names);
  writer.u32("tokenizer.ggml.bos_token_id", 3);
  writer.u32("tokenizer.ggml.cls_token_id", 4);
  EXPECT_EQ(parsed(writer)->parts().prefix, std::vector<TokenId>{4});
}

TEST(GgufTokenizer, WordsKeepCapitalsWhereTheFileOrItsWordsSaySo) {
  const auto pieces = [](bool has_capitals, const auto& more) {
    std::vector<std::string> names = {"[UNK]", "[CLS]", "[SEP]", "\u2581Cat"};
    for (char each = 'A'; each <= (has_capitals ? 'Z' : 'Y'); ++each) {
      names.push_back(std::string("\u2581") + each);
    }
    GgufWriter writer = of_words(names);
    name_ids(writer, "tokenizer.ggml.cls_token_id");
    more(writer);
    return *parsed(writer)->parts().word_pieces;
  };
  const auto lower = [](bool is) {
    return [is](GgufWriter& to) { to.flag("tokenizer.ggml.normalizer.lowercase", is); };
  };
  WordPieces cased;
  cased.lower_case = cased.strip_accents = false;
  EXPECT_EQ(pieces(false, [](GgufWriter&) {}), WordPieces{});
  EXPECT_EQ(pieces(true, [](GgufWriter&) {}), cased);
  EXPECT_EQ(pieces(true, lower(true)), WordPieces{});
  EXPECT_EQ(pieces(false, lower(false)), cased);
  cased.strip_accents = true;
  EXPECT_EQ(
      pieces(true,
             [](GgufWriter& to) { to.flag("tokenizer.ggml.normalizer.strip_accents", true); }),
      cased);
}

TEST(GgufTokenizer, WordsThatAreNoneAreRefused) {
  EXPECT_EQ(refused(of_words({"\u2581a"})),
            "tokenizer.ggml.unknown_token_id: is missing, and no token is [UNK]");
  EXPECT_EQ(refused(of_words({"[UNK]", "[SEP]"})),
            "tokenizer.ggml.cls_token_id: is missing, and no token is [CLS]");
  EXPECT_EQ(refused(of_words({"[UNK]", "[CLS]"})),
            "tokenizer.ggml.seperator_token_id: is missing, and no token is [SEP]");
  for (const char* key : {"tokenizer.ggml.unknown_token_id", "tokenizer.ggml.bos_token_id",
                          "tokenizer.ggml.cls_token_id", "tokenizer.ggml.seperator_token_id"}) {
    GgufWriter beyond = of_words({"[UNK]", "[CLS]", "[SEP]"});
    beyond.u32(key, 3);
    EXPECT_EQ(refused(beyond), std::string(key) + ": must be below 3, is 3");
  }
  GgufWriter twice = of_words({"[UNK]", "\u2581a", "\u2581a"});
  name_ids(twice, "tokenizer.ggml.cls_token_id");
  EXPECT_NE(refused(twice).find("token \"a\" is duplicated"), std::string::npos);
  GgufWriter empty = of_words({"", "[CLS]", "[SEP]"});
  name_ids(empty, "tokenizer.ggml.cls_token_id");
  EXPECT_EQ(refused(empty), "file: token 0 is empty");
  GgufWriter none;
  none.text("tokenizer.ggml.model", "bert");
  EXPECT_EQ(refused(none), "tokenizer.ggml.tokens: is missing, or empty");
  GgufWriter flag = of_words({"[UNK]", "[CLS]", "[SEP]"});
  name_ids(flag, "tokenizer.ggml.cls_token_id");
  flag.u32("tokenizer.ggml.normalizer.lowercase", 1);
  EXPECT_EQ(refused(flag), "tokenizer.ggml.normalizer.lowercase: must be true or false");
}

TEST(GgufTokenizer, SaysWhatIsWrong) {
  EXPECT_FALSE(parsed(GgufWriter()));
  const auto with = [](const auto& change) {
    GgufWriter writer;
    change(writer);
    return refused(writer);
  };
  EXPECT_EQ(with([](GgufWriter& writer) { writer.text("tokenizer.ggml.model", "t5"); }),
            "tokenizer.ggml.model: unknown tokenizer \"t5\"; there are gpt2, llama, bert");
  EXPECT_EQ(with([](GgufWriter& writer) { writer.u32("tokenizer.ggml.model", 5); }),
            "tokenizer.ggml.model: must be a text");
  EXPECT_NE(refused(of_bytes(learned(), "refact"))
                .find("tokenizer.ggml.pre: unknown way of cutting texts \"refact\"; there are "
                      "gpt-2, "),
            std::string::npos);
  EXPECT_EQ(with([](GgufWriter& writer) {
              writer.text("tokenizer.ggml.model", "gpt2");
              writer.texts("tokenizer.ggml.tokens", {"a", "b"});
              writer.numbers<std::int32_t>("tokenizer.ggml.token_type", testing::kI32, {1});
            }),
            "tokenizer.ggml.token_type: has 1 numbers for 2 tokens");
  EXPECT_NE(with([](GgufWriter& writer) {
              writer.text("tokenizer.ggml.model", "gpt2");
              writer.texts("tokenizer.ggml.tokens", {"a", "b"});
              writer.texts("tokenizer.ggml.merges", {"a c"});
            }).find("\"c\" is not in the vocabulary"),
            std::string::npos);
  EXPECT_NE(with([](GgufWriter& writer) {
              writer.text("tokenizer.ggml.model", "gpt2");
              writer.texts("tokenizer.ggml.tokens", {"a", "a"});
            }).find("is duplicated"),
            std::string::npos);
  EXPECT_EQ(with([](GgufWriter& writer) {
              writer.text("tokenizer.ggml.model", "llama");
              writer.texts("tokenizer.ggml.tokens", {"a", "b"});
            }),
            "tokenizer.ggml.tokens: has no token of a byte, such as \"<0x0A>\"");
  Pieces pieces;
  pieces.add(std::string(600, 'a'), 0);
  EXPECT_NE(refused(pieces.writer()).find("token 259 has more than 512 bytes"), std::string::npos);
  GgufWriter writer = Pieces().writer();
  writer.flag("tokenizer.ggml.add_eos_token", true);
  writer.u32("tokenizer.ggml.eos_token_id", 999);
  EXPECT_EQ(refused(writer), "file: there is no token 999, only 0 to 258");
}

}  // namespace
}  // namespace tril
