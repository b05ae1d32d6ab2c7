// tokenizer.json, vocab.json and merges.txt: written and read again, in the form of other programs,
// and every malformation with the entry that the message names.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/files/json_reader.h>
#include <tril/text/byte_alphabet.h>
#include <tril/text/tokenizer_file.h>
#include <tril/text/train_tokenizer.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/temporary_folder.h"
#include "core/tokenizer_files.h"
#include "core/tokenizer_reference.h"

namespace tril {
namespace {

using testing::error_of, testing::problem_of_file, testing::vocabulary_text, testing::kByteLevel;
using File = testing::TokenizerFile;
using Ids = std::vector<TokenId>;

TEST(ByteAlphabet, IsGpt2s) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  const std::string text = detail::to_byte_alphabet(bytes);
  EXPECT_EQ(detail::from_byte_alphabet(text), bytes);
  EXPECT_EQ(detail::to_byte_alphabet("a b\n\x7f\xa0\xad\xff"),
            "a\u0120b\u010a\u0121\u0142\u0143\u00ff");
  EXPECT_EQ(detail::from_byte_alphabet("a b"), std::nullopt);
  EXPECT_EQ(detail::from_byte_alphabet("\u4e2d"), std::nullopt);
  EXPECT_EQ(detail::from_byte_alphabet("\xff"), std::nullopt);
}

TEST(TokenizerJson, ComesBack) {
  Random random(5);
  const std::string text =
      testing::random_bytes(random, 3000) + " the then <|x|> 1945 \u00e9\u4e2d";
  for (const Named<TokenizerKind>& kind : kTokenizerKinds) {
    const Tokenizer tokenizer = train_tokenizer(std::vector<std::string_view>{text},
                                                {kind.value, 400, {"<|x|>", "caf\u00e9 \"\\"}});
    for (const bool digits : {false, true}) {
      TokenizerParts parts = tokenizer.parts();
      parts.digits_alone = digits;
      parts.added.back().special = digits;
      const Tokenizer written(parts);
      const std::string file = tokenizer_json(written);
      const Tokenizer read = parse_tokenizer_json(file);
      EXPECT_EQ(tokenizer_json(read), file) << kind.name;
      EXPECT_EQ(read.parts().tokens, parts.tokens);
      EXPECT_EQ(read.encode(text), written.encode(text)) << kind.name;
    }
  }
}

TEST(ParseTokenizerJson, FilesThatOthersWrite) {
  const auto ids = [](const File& file) {
    return parse_tokenizer_json(file.text()).encode("ab 12");
  };
  const Ids expected = {256, ' ', '1', '2'};
  EXPECT_EQ(ids({}), expected);
  EXPECT_EQ(ids({.merges = R"([["a","b"]])"}), expected);
  EXPECT_EQ(
      ids({.model = R"(,"type":"BPE","dropout":null,"unk_token":"<unk>","end_of_word_suffix":"",)"
                    R"("continuing_subword_prefix":null,"fuse_unk":false,"byte_fallback":true)"}),
      expected);
  EXPECT_EQ(
      ids({.more =
               R"(,"version":"1.0","truncation":{"max_length":-1.5e3},"padding":[1,{"a":null}],)"
               R"("normalizer":null,"decoder":{"type":"ByteLevel"},"added_tokens":[],)"
               R"("post_processor":{"type":"ByteLevel","trim_offsets":true})"}),
      expected);
  // SmolLM2's form.
  const std::string digits = R"({"type":"Sequence","pretokenizers":[{"type":"Digits",)"
                             R"("individual_digits":true},)" +
                             kByteLevel + "]}";
  EXPECT_TRUE(parse_tokenizer_json(File{.pre_tokenizer = digits}.text()).parts().digits_alone);
  const std::string whole = R"({"type":"ByteLevel","use_regex":false})";
  EXPECT_EQ(parse_tokenizer_json(File{.pre_tokenizer = whole}.text()).parts().pre_tokenizer,
            PreTokenizer::whole);
}

TEST(ParseTokenizerJson, AddedTokens) {
  const auto parsed = [](const std::string& added, const std::string& vocabulary) {
    return parse_tokenizer_json(File{.vocabulary = vocabulary_text(",\"ab\":256" + vocabulary),
                                     .more = ",\"added_tokens\":[" + added + "]"}
                                    .text());
  };
  const std::string end = R"({"id":257,"content":"<end>","special":true,"lstrip":false})";
  for (const std::string vocabulary : {"", ",\"<end>\":257"}) {  // in the vocabulary, or only added
    const Tokenizer tokenizer = parsed(end, vocabulary);
    EXPECT_EQ(tokenizer.encode("ab<end>"), (Ids{256, 257}));
  }
  // The character is not in the byte alphabet: it stands for itself.
  const std::string blank = R"({"id":257,"content":"a \u4e2d"})";
  EXPECT_EQ(parsed(blank, ",\"a \u4e2d\":257").encode("a \u4e2d"), Ids{257});
  EXPECT_FALSE(parsed(blank, "").parts().added[0].special);
}

TEST(ParseTokenizerJson, EveryBeginningOfAFileIsRefused) {
  const std::string file = File{.more = R"(,"added_tokens":[{"id":257,"content":"<e>"}])"}.text();
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(error_of([&] { parse_tokenizer_json(file.substr(0, size)); }), "") << size;
  }
}

TEST(ParseTokenizerJson, SaysWhereItIsWrong) {
  EXPECT_EQ(error_of([] { parse_tokenizer_json("[]"); }),
            "parse_tokenizer_json: file: byte 0: expected \"{\", found \"[\"");
  EXPECT_EQ(error_of([] { parse_tokenizer_json(""); }),
            "parse_tokenizer_json: file: byte 0: expected \"{\", found the end of the file");
  EXPECT_EQ(error_of([] { parse_tokenizer_json(R"({"model":{"type":"Unigram"}})"); }),
            "parse_tokenizer_json: file: byte 10: model: expected the type \"BPE\" or "
            "\"WordPiece\", found "
            "\"Unigram\"");
  EXPECT_EQ(problem_of_file("{} x"), "something follows the object");
  EXPECT_EQ(problem_of_file("{}"), "is no tokenizer of byte-pair encoding: \"model\" is missing");
  EXPECT_EQ(problem_of_file(R"({"model":{"vocab":{}}})"),
            "is no tokenizer of byte-pair encoding: \"model\" without \"merges\"");
  EXPECT_EQ(problem_of_file(R"({"model":{"vocab":{},"merges":[]}})"),
            "\"pre_tokenizer\" is missing");
  EXPECT_EQ(problem_of_file(R"({"model":{"vocab":[["a",0.5]]}})"),
            "model: vocab must be an object from tokens to ids, as BPE has it");
  EXPECT_EQ(problem_of_file("{\"a\":" + std::string(1000, '[')),
            "values inside values, more than 64");
}

// Fields that are missing or null, and spellings of several years.
TEST(ParseTokenizerJson, ReadsWhatOthersWrite) {
  const Ids expected = {256, ' ', '1', '2'};
  const auto ids = [](const File& file) {
    return parse_tokenizer_json(file.text()).encode("ab 12");
  };
  EXPECT_EQ(ids({.model = R"(,"type":null,"dropout":0,"unk_token":null,"end_of_word_suffix":null,)"
                          R"("continuing_subword_prefix":null,"fuse_unk":null,)"
                          R"("byte_fallback":null,"ignore_merges":null)"}),
            expected);
  EXPECT_EQ(ids({.model = R"(,"dropout":0.0)"}), expected);
  EXPECT_EQ(ids({.more = R"(,"added_tokens":null,"normalizer":null,"post_processor":null,)"
                         R"("decoder":null,"version":null,"truncation":null)"}),
            expected);
  EXPECT_EQ(
      ids({.pre_tokenizer = R"({"type":"ByteLevel","add_prefix_space":null,"use_regex":null})"}),
      expected);
  EXPECT_EQ(ids({.merges = R"(["#version: 0.2","a b"])"}), expected);
  EXPECT_EQ(problem_of_file(File{.merges = "null"}.text()),
            "is no tokenizer of byte-pair encoding: \"model\" without \"merges\"");
}

TEST(ParseTokenizerJson, ReadsAndWritesTheFlagsOfAddedTokens) {
  const std::string file =
      File{.more = R"(,"added_tokens":[{"id":257,"content":"<m>","single_word":true,"lstrip":true,)"
                   R"("rstrip":true,"normalized":true,"special":false},{"id":258,"content":"<n>",)"
                   R"("single_word":null,"lstrip":null,"rstrip":null,"normalized":null,)"
                   R"("special":null}])"}
          .text();
  const Tokenizer tokenizer = parse_tokenizer_json(file);
  const Tokenizer again = parse_tokenizer_json(tokenizer_json(tokenizer));
  for (const Tokenizer* each : {&tokenizer, &again}) {
    const AddedToken &mask = each->parts().added[0], &plain = each->parts().added[1];
    EXPECT_TRUE(mask.single_word && mask.lstrip && mask.rstrip && mask.normalized);
    EXPECT_FALSE(mask.special);
    EXPECT_FALSE(plain.single_word || plain.lstrip || plain.rstrip || plain.normalized ||
                 plain.special);
    EXPECT_EQ(each->encode("ab <m> ab<m>"), (Ids{256, 257, 256, '<', 'm', '>'}));
  }
}

// A few bytes of a file must not produce any number of tokens, nor be scanned again and again.
TEST(ParseTokenizerJson, ReadsTemplatesOfAnySizeOnce) {
  const auto with = [](int names, int ids) {
    std::string single, special;
    for (int n = 0; n < names; ++n) {
      const std::string name = "\"" + std::to_string(n) + "\"";
      single += R"({"SpecialToken":{"id":)" + name + "}},";
      special += (n > 0 ? "," : "") + name + R"(:{"ids":[)";
      for (int m = 0; m < ids; ++m) special += m > 0 ? ",7" : "7";
      special += "]}";
    }
    return File{.more = R"(,"post_processor":{"type":"TemplateProcessing","single":[)" + single +
                        R"({"Sequence":{"id":"A"}}],"special_tokens":{)" + special + "}}"}
        .text();
  };
  const Tokenizer tokenizer = parse_tokenizer_json(with(60'000, 1));
  EXPECT_EQ(tokenizer.parts().prefix.size(), 60'000u);
  EXPECT_EQ(parse_tokenizer_json(tokenizer_json(tokenizer)).parts().prefix,
            tokenizer.parts().prefix);
  EXPECT_EQ(problem_of_file(with(2, 40'000)),
            "post_processor: TemplateProcessing: more than 65536 special tokens");
}

TEST(ParseTokenizerJson, RefusesModelsThatAreOtherwise) {
  const auto model = [](const std::string& field) {
    return problem_of_file(File{.model = "," + field}.text());
  };
  EXPECT_EQ(model(R"("dropout":0.1)"), "model: dropout is not read, only models without");
  EXPECT_EQ(model(R"("end_of_word_suffix":"</w>")"),
            "model: end_of_word_suffix is not read, only models without");
  const auto split = [](const std::string& step) {
    return problem_of_file(File{.pre_tokenizer = step}.text());
  };
  EXPECT_EQ(
      split("null"),
      "pre_tokenizer: expected ByteLevel, alone or at the end of a Sequence, found null, which "
      "is read of models with byte_fallback");
  EXPECT_EQ(
      split(R"({"type":"Metaspace"})"),
      "pre_tokenizer: expected ByteLevel, alone or at the end of a Sequence, found Metaspace, "
      "which is read of models with byte_fallback");
  EXPECT_EQ(
      split(R"({"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"\\d"},)"
            R"("behavior":"Isolated"},{"type":"ByteLevel","use_regex":false}]})"),
      "pre_tokenizer: Split at \"\\\\d\" is not read; ByteLevel is, after Digits with "
      "individual_digits, or, without use_regex, after Split at [\\s\\S] or at the expressions of "
      "Llama 3, Qwen2, GPT-4o and Tekken, Isolated");
  const auto more = [](const std::string& field) {
    return problem_of_file(File{.more = "," + field}.text());
  };
  EXPECT_EQ(more(R"("normalizer":{"type":"NFKC"})"),
            "normalizer: expected null or NFC, found NFKC");
  EXPECT_EQ(more(R"("normalizer":{"type":"Replace","pattern":{"String":" "},"content":"_"})"),
            "normalizer: expected null or NFC, found Replace at \" \"");
  EXPECT_EQ(more(R"("post_processor":{"type":"BertProcessing"})"),
            "post_processor: expected null, ByteLevel, TemplateProcessing or a Sequence of them, "
            "found BertProcessing");
  EXPECT_EQ(more(R"("decoder":{"type":"WordPiece"})"),
            "decoder: expected null or ByteLevel, found WordPiece");
}

TEST(ParseTokenizerJson, RefusesEntriesThatDoNotFit) {
  const auto vocabulary = [](const std::string& more) {
    return problem_of_file(File{.vocabulary = vocabulary_text(more)}.text());
  };
  EXPECT_EQ(vocabulary(R"(,"ab":257)"),
            "token \"ab\" has id 257, but ids must be 0 to 256 without gaps");
  EXPECT_EQ(vocabulary(R"(,"ab":255)"), "token \"ab\": another one has id 255 already");
  EXPECT_EQ(vocabulary(R"(,"ab":256,"ab":257)"), "token \"ab\" is duplicated");
  EXPECT_EQ(vocabulary(R"(,"a b":256)"),
            "token \"a b\" has a character that stands for no byte; a byte-level vocabulary is "
            "expected");
  EXPECT_EQ(vocabulary(R"(,"ab":-1)"), "expected a whole number, found \"-\"");
  EXPECT_EQ(vocabulary(R"(,"ab":99999999999999999999)"), "the number is too large");
  EXPECT_EQ(
      error_of([] { parse_tokenizer_json(File{.vocabulary = R"({"a":0,"b":1,"ab":2})"}.text()); }),
      "parse_tokenizer_json: file: byte 32 is not a token; each printable ASCII character must be "
      "one");

  const auto merges = [](const std::string& list) {
    return problem_of_file(File{.merges = list}.text());
  };
  EXPECT_EQ(merges(R"(["a b","ab"])"),
            "merge 1, \"ab\": expected two tokens with a blank between them");
  EXPECT_EQ(merges(R"(["a b","a c"])"), "merge 1, \"a c\": \"ac\" is not in the vocabulary");
  EXPECT_EQ(merges(R"(["xy b"])"), "merge 0, \"xy b\": \"xy\" is not in the vocabulary");
  EXPECT_EQ(merges(R"([["a","b","c"]])"), "merge 0: expected two tokens, found 3");
  EXPECT_EQ(merges(R"(["a b","a b"])"), "merge 1: the pair \"a\", \"b\" is merged already");

  const auto added = [](const std::string& list) {
    return problem_of_file(File{.more = R"(,"added_tokens":[)" + list + "]"}.text());
  };
  EXPECT_EQ(added(R"({"id":999999999,"content":"<e>"})"),
            "added token \"<e>\" has id 999999999, but ids must be 0 to 257 without gaps");
  EXPECT_EQ(added(R"({"id":5,"content":"<e>"})"),
            "token \"\u0105\" has id 5, which is that of the added token \"<e>\"");
  EXPECT_EQ(added(R"({"id":99999999999,"content":"<e>"})"), "the number is too large");
  EXPECT_EQ(added(R"({"id":257})"), "an added token has no content");
  EXPECT_EQ(added(R"({"content":"<e>"})"), "added token \"<e>\" has no id");
  EXPECT_EQ(added(R"({"id":257,"content":"<e>","lstrip":1})"),
            "expected true or false, found \"1\"");
  EXPECT_EQ(added(R"({"id":257,"content":"<e>"},{"id":257,"content":"<f>"})"),
            "added token \"<f>\": id 257 has another one already");
}

TEST(ParseVocabularyAndMerges, ReadsWhatGpt2Has) {
  const std::string vocabulary = vocabulary_text(R"(,"ab":256,"abc":257,"<|endoftext|>":258)");
  const Tokenizer tokenizer =
      parse_vocabulary_and_merges(vocabulary, "#version: 0.2\na b\r\nab c\n\n");
  EXPECT_EQ(tokenizer.encode("abcab<|endoftext|>"), (Ids{257, 256, 258}));
  const std::string mark = "\xef\xbb\xbf";  // as Windows' editors write it
  EXPECT_EQ(parse_vocabulary_and_merges(mark + vocabulary, mark + "#version: 0.2\na b\nab c")
                .encode("abc"),
            tokenizer.encode("abc"));
  EXPECT_EQ(parse_vocabulary_and_merges(vocabulary, "a b", {}).encode("<|endoftext|>").size(), 13u);

  const auto problem_of = [&](const std::string& tokens, const std::string& merges) {
    return error_of([&] { parse_vocabulary_and_merges(tokens, merges); });
  };
  EXPECT_EQ(problem_of(vocabulary, "#version: 0.2\na b\nabc\n"),
            "parse_vocabulary_and_merges: merges: byte 18: merge 1, \"abc\": expected two tokens "
            "with a blank between them");
  EXPECT_EQ(problem_of(vocabulary, "a b\nb a"),
            "parse_vocabulary_and_merges: merges: byte 4: merge 1, \"b a\": \"ba\" is not in the "
            "vocabulary");
  EXPECT_EQ(problem_of("{\"a\"}", ""),
            "parse_vocabulary_and_merges: vocabulary: byte 4: expected \":\", found \"}\"");
  EXPECT_EQ(problem_of("{\"a\":0}", ""),
            "parse_vocabulary_and_merges: vocabulary: byte 0 is not a token; each of the 256 bytes "
            "must be one");
}

TEST(ReadTokenizer, NamesTheFile) {
  const testing::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
    write_file(folder / name, {&bytes, 1});
    return folder / name;
  };
  const auto vocabulary = write("vocab.json", vocabulary_text(R"(,"ab":256)")),
             merges = write("merges.txt", "a b\n"), wrong = write("wrong.txt", "a\n"),
             json = write("tokenizer.json", File{}.text()), half = write("half.json", "{");
  EXPECT_EQ(read_tokenizer(json).encode("ab"), Ids{256});
  EXPECT_EQ(read_tokenizer(vocabulary, merges).encode("ab"), Ids{256});
  EXPECT_EQ(
      error_of([&] { read_tokenizer(half); }).find("read_tokenizer: " + half.string() + ": byte 1"),
      0u);
  EXPECT_EQ(error_of([&] {
              read_tokenizer(vocabulary, wrong);
            }).find("read_tokenizer: " + wrong.string() + ": byte 0: merge 0"),
            0u);
  EXPECT_EQ(
      error_of([&] { read_tokenizer(half, merges); }).find("read_tokenizer: " + half.string()), 0u);
  EXPECT_EQ(error_of([&] {
              read_tokenizer(folder / "none.json");
            }).find("read_tokenizer: " + (folder / "none.json").string()),
            0u);
}

TEST(TokenizerJson, RefusesWhatJsonCannotSay) {
  TokenizerParts parts = testing::parts_of_bytes(PreTokenizer::gpt2);
  parts.tokens.push_back("\xff<s>");
  parts.added.push_back({"\xff<s>", 256});
  EXPECT_EQ(error_of([&] { tokenizer_json(Tokenizer(parts)); }),
            "tokenizer_json: tokenizer: added token \"?<s>\" is not UTF-8, which JSON must be");
  parts.tokens.back() = parts.added.back().text = "\u0120x";
  parts.tokens.push_back(" x");
  EXPECT_EQ(error_of([&] { tokenizer_json(Tokenizer(parts)); }),
            "tokenizer_json: tokenizer: two tokens would be called \"\u0120x\"");
}

}  // namespace
}  // namespace tril
