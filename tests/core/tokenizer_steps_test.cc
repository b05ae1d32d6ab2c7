// tokenizer.json with templates, with characters as symbols, and with vocabularies that lack bytes:
// read, written again, and refused.
#include <gtest/gtest.h>
#include <tril/text/tokenizer_file.h>

#include <string>
#include <vector>

#include "core/tokenizer_files.h"

namespace tril {
namespace {

using testing::problem_of_file, testing::vocabulary_text;
using File = testing::TokenizerFile;
using Ids = std::vector<TokenId>;

TEST(TokenizerSteps, RefusesTemplatesThatAreOtherwise) {
  const auto single = [](const std::string& parts, const std::string& tokens = "{}") {
    return problem_of_file(
        File{.more = R"(,"post_processor":{"type":"TemplateProcessing","single":[)" + parts +
                     R"(],"special_tokens":)" + tokens + "}"}
            .text());
  };
  const std::string begin = "post_processor: TemplateProcessing: ",
                    a = R"({"Sequence":{"id":"A"}})", s = R"({"SpecialToken":{"id":"<s>"}})";
  EXPECT_EQ(single(""), begin + "\"single\" has no sequence A");
  EXPECT_EQ(single(a + "," + a), begin + "expected special tokens and sequence A, once");
  EXPECT_EQ(single(R"({"Sequence":{"id":"B"}})"),
            begin + "expected special tokens and sequence A, once");
  EXPECT_EQ(single(s + "," + a), begin + "special token \"<s>\" has no ids in \"special_tokens\"");
  EXPECT_EQ(single(s + "," + a, R"({"<s>":{"ids":[0.5]}})"), begin + "no number of a token");
  EXPECT_EQ(single(s + "," + a, R"({"<s>":{"ids":[999]}})"),
            "there is no token 999, only 0 to 256");
  EXPECT_EQ(single("0"), begin + "expected special tokens and sequence A, once");
}

// A vocabulary of characters, in Llama 2's form: <unk>, <s>, the bytes from 2, then these tokens.
std::string characters_text(const std::string& tokens, const std::string& merges,
                            const std::string& normalizer, const std::string& decoder,
                            const std::string& more = "") {
  std::string vocabulary = R"("<unk>":0,"<s>":1)";
  const char* const digits = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary += std::string(",\"<0x") + digits[byte / 16] + digits[byte % 16] +
                  ">\":" + std::to_string(byte + 2);
  }
  return R"({"added_tokens":[{"id":0,"content":"<unk>","special":true},)"
         R"({"id":1,"content":"<s>","special":true}],"pre_tokenizer":null,"normalizer":)" +
         normalizer + R"(,"decoder":)" + decoder +
         R"(,"model":{"type":"BPE","byte_fallback":true,"vocab":{)" + vocabulary + tokens +
         R"(},"merges":)" + merges + "}" + more + "}";
}

const std::string kReplace = R"({"type":"Replace","pattern":{"String":" "},"content":"\u2581"})";
const std::string kPrepend = R"({"type":"Sequence","normalizers":[)"
                             R"({"type":"Prepend","prepend":"\u2581"},)" +
                             kReplace + "]}";
const std::string kPlainDecoder =
    R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"\u2581"},"content":" "},)"
    R"({"type":"ByteFallback"},{"type":"Fuse"})";
const std::string kDecoder =
    kPlainDecoder + R"(,{"type":"Strip","content":" ","start":1,"stop":0}]})";
const std::string kTokens = R"(,"\u2581":258,"a":259,"b":260,"\u00e9":261,"\u2581a":262,"ab":263)";
const std::string kMerges = R"(["\u2581 a","a b"])";

TEST(TokenizerSteps, ReadsCharactersWithBlanks) {
  const std::string begin =
      R"(,"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>"}},)"
      R"({"Sequence":{"id":"A"}}],"special_tokens":{"<s>":{"ids":[1]}}})";
  const Tokenizer tokenizer =
      parse_tokenizer_json(characters_text(kTokens, kMerges, kPrepend, kDecoder, begin));
  EXPECT_EQ(tokenizer.encode("ab"), (Ids{1, 262, 260}));
  EXPECT_EQ(tokenizer.encode("ab", {.affixes = false}), (Ids{262, 260}));
  EXPECT_EQ(tokenizer.encode("b \u00e9\n\u4e2d"),
            (Ids{1, 258, 260, 258, 261, 2 + '\n', 2 + 0xe4, 2 + 0xb8, 2 + 0xad}));
  EXPECT_EQ(tokenizer.decode(Ids{262, 260, 2 + 0xe4, 2 + 0xb8, 2 + 0xad}), "ab\u4e2d");
  EXPECT_EQ(tokenizer.decode(Ids{1, 262}), "<s> a");
  EXPECT_EQ(tokenizer.encode(""), Ids{1});
  EXPECT_EQ(tokenizer.encode("a<s>a"), (Ids{1, 262, 1, 262}));  // a space before each
  EXPECT_EQ(tokenizer.encode("a\u2581a"), tokenizer.encode("a a"));
  const std::string file = tokenizer_json(tokenizer);
  EXPECT_EQ(tokenizer_json(parse_tokenizer_json(file)), file);
  const Tokenizer plain =
      parse_tokenizer_json(characters_text(kTokens, kMerges, kReplace, kPlainDecoder + "]}"));
  EXPECT_EQ(plain.encode("ab a"), (Ids{263, 262}));
  EXPECT_EQ(plain.decode(Ids{262, 263}), " aab");
}

// Gemma's form, whose pre_tokenizer splits at spaces that the normalizer has replaced.
TEST(TokenizerSteps, ReadsCharactersThatAreSplitAtNoBlank) {
  const auto split = [](const std::string& normalizer, const std::string& at,
                        const std::string& behavior) {
    std::string text = characters_text(kTokens, kMerges, normalizer, kPlainDecoder + "]}");
    const std::string none = "\"pre_tokenizer\":null";
    return text.replace(text.find(none), none.size(),
                        R"("pre_tokenizer":{"type":"Split","pattern":{"String":")" + at +
                            R"("},"behavior":")" + behavior + R"(","invert":false})");
  };
  const Tokenizer tokenizer = parse_tokenizer_json(split(kReplace, " ", "MergedWithPrevious"));
  EXPECT_EQ(tokenizer.encode("ab a"), (Ids{263, 262}));
  EXPECT_EQ(tokenizer.decode(Ids{262, 263}), " aab");
  const std::string file = tokenizer_json(tokenizer);
  EXPECT_EQ(tokenizer_json(parse_tokenizer_json(file)), file);
  EXPECT_EQ(problem_of_file(split("null", " ", "MergedWithPrevious")),
            "normalizer: without a pre_tokenizer expected, perhaps after Prepend of U+2581, "
            "Replace of \" \" by U+2581, found null");
  std::string bytes = split(kReplace, " ", "MergedWithPrevious");
  const std::string fallback = "\"byte_fallback\":true";
  bytes.replace(bytes.find(fallback), fallback.size(), "\"byte_fallback\":false");
  EXPECT_EQ(problem_of_file(bytes),
            "pre_tokenizer: expected ByteLevel, alone or at the end of a Sequence, found Split at "
            "\" \", which is read of models with byte_fallback");
  EXPECT_NE(problem_of_file(split(kReplace, "a", "MergedWithPrevious")), "");
  EXPECT_NE(problem_of_file(split(kReplace, " ", "Isolated")), "");
}

// The form of newer files of Mistral and TinyLlama, in which splitting adds the space.
TEST(TokenizerSteps, ReadsCharactersWithMetaspace) {
  const auto with = [](const std::string& scheme, const std::string& normalizer = "null",
                       const std::string& split = "false") {
    const bool is_never = scheme.find("never") != scheme.npos;
    std::string text =
        characters_text(kTokens, kMerges, normalizer, is_never ? kPlainDecoder + "]}" : kDecoder);
    const std::string none = "\"pre_tokenizer\":null";
    return text.replace(text.find(none), none.size(),
                        R"("pre_tokenizer":{"type":"Metaspace","replacement":"\u2581",)" + scheme +
                            R"(,"split":)" + split + "}");
  };
  const Tokenizer first = parse_tokenizer_json(with(R"("prepend_scheme":"first")"));
  const Tokenizer always = parse_tokenizer_json(with(R"("prepend_scheme":"always")"));
  const Tokenizer never = parse_tokenizer_json(with(R"("prepend_scheme":"never")"));
  EXPECT_EQ(first.encode("a<s>a"), (Ids{262, 1, 259}));
  EXPECT_EQ(always.encode("a<s>a"), (Ids{262, 1, 262}));
  EXPECT_EQ(never.encode("a<s>a"), (Ids{259, 1, 259}));
  EXPECT_EQ(first.encode("<s>a"), (Ids{1, 259}));
  EXPECT_EQ(always.encode("<s>a"), (Ids{1, 262}));
  for (const Tokenizer* each : {&first, &always, &never}) {
    EXPECT_EQ(each->encode(" a"), Ids{262});  // there is one already
    EXPECT_EQ(each->encode("\u2581a"), Ids{262});
    EXPECT_EQ(each->encode(""), Ids{});
    const std::string file = tokenizer_json(*each);
    EXPECT_EQ(tokenizer_json(parse_tokenizer_json(file)), file);
    EXPECT_EQ(parse_tokenizer_json(file).encode("a<s>a"), each->encode("a<s>a"));
  }
  EXPECT_EQ(first.decode(first.encode("a b")), "a b");
  EXPECT_EQ(never.decode(never.encode(" a b")), " a b");
  EXPECT_EQ(always.encode_with_spans("ab<s>a b").spans,
            (std::vector<TokenSpan>{{0, 1}, {1, 2}, {2, 5}, {5, 6}, {6, 7}, {7, 8}}));
  // The form of older files.
  EXPECT_EQ(parse_tokenizer_json(with(R"("add_prefix_space":true)")).encode("<s>a"), (Ids{1, 262}));
  EXPECT_EQ(problem_of_file(with(R"("prepend_scheme":"never")", kReplace)),
            "normalizer: before Metaspace expected null, found Replace at \" \"");
  const std::string only =
      "pre_tokenizer: of Metaspace is read only what replaces by U+2581, does not split, and "
      "prepends always, first or never";
  EXPECT_EQ(problem_of_file(with(R"("prepend_scheme":"last")")), only);
  EXPECT_EQ(problem_of_file(with(R"("prepend_scheme":"first")", "null", "true")), only);
}

// A space is added before a text of bytes that does not begin with one; decoding keeps it.
TEST(TokenizerSteps, ReadsBytesWithABlankBeforeThem) {
  const std::string file =
      File{.pre_tokenizer = R"({"type":"ByteLevel","add_prefix_space":true})"}.text();
  const Tokenizer tokenizer = parse_tokenizer_json(file);
  const Tokenizer plain = parse_tokenizer_json(File{}.text());
  EXPECT_EQ(tokenizer.encode("xy z"), plain.encode(" xy z"));
  EXPECT_EQ(tokenizer.encode(" xy z"), plain.encode(" xy z"));
  EXPECT_EQ(tokenizer.encode("\nx"), plain.encode(" \nx"));
  EXPECT_EQ(tokenizer.encode(""), Ids{});
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("xy")), " xy");
  EXPECT_EQ(tokenizer.encode_with_spans("x").spans, (std::vector<TokenSpan>{{0, 0}, {0, 1}}));
  const std::string written = tokenizer_json(tokenizer);
  EXPECT_EQ(tokenizer_json(parse_tokenizer_json(written)), written);
  EXPECT_EQ(parse_tokenizer_json(written).encode("x"), tokenizer.encode("x"));
}

TEST(TokenizerSteps, RefusesCharactersOtherwise) {
  const auto refused = [](const std::string& normalizer, const std::string& decoder) {
    return problem_of_file(characters_text(kTokens, kMerges, normalizer, decoder));
  };
  const std::string normalizer =
      "normalizer: without a pre_tokenizer expected, perhaps after Prepend of U+2581, Replace of "
      "\" \" by U+2581, found ";
  EXPECT_EQ(refused("null", kDecoder), normalizer + "null");
  EXPECT_EQ(refused(R"({"type":"NFC"})", kDecoder), normalizer + "NFC");
  EXPECT_EQ(refused(kPrepend, "null"),
            "decoder: expected a Sequence of Replace of U+2581 by \" \", ByteFallback, Fuse, Strip "
            "of 1 \" \" at the start, found null");
  EXPECT_EQ(refused(kReplace, kDecoder),
            "decoder: expected a Sequence of Replace of U+2581 by \" \", ByteFallback, Fuse, found "
            "Replace at \"\u2581\", ByteFallback, Fuse, Strip");
  std::string lacking = characters_text(kTokens, kMerges, kReplace, kPlainDecoder + "]}");
  lacking.replace(lacking.find("<0x0A>"), 6, "<0x0a>");
  EXPECT_EQ(problem_of_file(lacking), "there is no token of byte 10");
}

// SmolLM2's form: a missing byte is dropped, and its neighbours are merged; or it becomes
// `unk_token`.
TEST(TokenizerSteps, VocabulariesThatLackBytes) {
  std::string vocabulary = vocabulary_text(R"(,"ab":256)");
  const std::string whole = R"({"type":"ByteLevel","use_regex":false})";
  const std::string last = detail::to_byte_alphabet("\xff");
  vocabulary.replace(vocabulary.find(last), last.size(), "<unk>");
  const Tokenizer lossy =
      parse_tokenizer_json(File{.pre_tokenizer = whole, .vocabulary = vocabulary}.text());
  const EncodedText encoded = lossy.encode_with_spans(
      "a\xff\xff"
      "b\xff");
  EXPECT_EQ(encoded.ids, Ids{256});
  EXPECT_EQ(encoded.spans, (std::vector<TokenSpan>{{0, 4}}));
  const Tokenizer marked = parse_tokenizer_json(
      File{.pre_tokenizer = whole, .vocabulary = vocabulary, .model = R"(,"unk_token":"<unk>")"}
          .text());
  const EncodedText each = marked.encode_with_spans(
      "a\xff\xff"
      "b");
  EXPECT_EQ(each.ids, (Ids{'a', 255, 255, 'b'}));
  EXPECT_EQ(each.spans, (std::vector<TokenSpan>{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
  const Tokenizer fused =
      parse_tokenizer_json(File{.pre_tokenizer = whole,
                                .vocabulary = vocabulary,
                                .model = R"(,"unk_token":"<unk>","fuse_unk":true)"}
                               .text());
  const EncodedText one = fused.encode_with_spans(
      "a\xff\xff"
      "b");
  EXPECT_EQ(one.ids, (Ids{'a', 255, 'b'}));
  EXPECT_EQ(one.spans, (std::vector<TokenSpan>{{0, 1}, {1, 3}, {3, 4}}));
  EXPECT_EQ(tokenizer_json(parse_tokenizer_json(tokenizer_json(fused))), tokenizer_json(fused));
}

}  // namespace
}  // namespace tril
