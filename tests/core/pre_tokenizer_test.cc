// Character classes, and the splitting of a text into pieces before merging.
#include <gtest/gtest.h>
#include <tril/text/tokenizer.h>
#include <tril/text/unicode.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tril {
namespace {

using Strings = std::vector<std::string>;

Strings pieces_of(std::string_view text, PreTokenizer split = PreTokenizer::gpt2,
                  bool digits = false) {
  Strings pieces;
  detail::for_each_piece(text, split, digits,
                         [&](std::string_view piece) { pieces.emplace_back(piece); });
  return pieces;
}

TEST(CharacterClass, IsUnicodes) {
  using enum detail::CharacterClass;
  const std::pair<std::uint32_t, detail::CharacterClass> expected[] = {
      {0, other},        {'a', letter},     {'Z', letter},     {'7', number},
      {' ', space},      {'\v', space},     {'_', other},      {0x85, space},
      {0xa0, space},     {0xaa, letter},    {0xb2, number},    {0xb5, letter},
      {0xd7, other},     {0xdf, letter},    {0x301, mark},     {0x3b1, letter},
      {0x660, number},   {0x2028, space},   {0x200b, other},   {0x2160, number},
      {0x3000, space},   {0x4e2d, letter},  {0xac00, letter},  {0xd7a3, letter},
      {0xd800, other},   {0xfeff, other},   {0x1f600, other},  {0x1d7ce, number},
      {0x20000, letter}, {0x10ffff, other}, {0x110000, other}, {0xffffffff, other}};
  for (const auto& [code, kind] : expected) EXPECT_EQ(detail::character_class(code), kind) << code;
}

TEST(CharacterClass, OfAsciiIsTheTables) {
  for (int code = 0; code < 128; ++code) {
    const char c = static_cast<char>(code);
    EXPECT_EQ(detail::first_character({&c, 1}).kind,
              detail::character_class(static_cast<std::uint32_t>(code)))
        << code;
  }
}

TEST(PreTokenizer, OfGpt2) {
  EXPECT_EQ(pieces_of("Hello world"), (Strings{"Hello", " world"}));
  EXPECT_EQ(pieces_of("don't we'll I'd they've 'tis"),
            (Strings{"don", "'t", " we", "'ll", " I", "'d", " they", "'ve", " '", "tis"}));
  EXPECT_EQ(pieces_of("DON'T"), (Strings{"DON", "'", "T"}));
  EXPECT_EQ(pieces_of("'single"), (Strings{"'s", "ingle"}));
  EXPECT_EQ(pieces_of("a1b22 33"), (Strings{"a", "1", "b", "22", " 33"}));
  EXPECT_EQ(pieces_of("x  y"), (Strings{"x", " ", " y"}));
  EXPECT_EQ(pieces_of("x \n y"), (Strings{"x", " \n", " y"}));
  EXPECT_EQ(pieces_of("x\ny"), (Strings{"x", "\n", "y"}));
  EXPECT_EQ(pieces_of("x\n\ny"), (Strings{"x", "\n", "\n", "y"}));
  EXPECT_EQ(pieces_of("x \n"), (Strings{"x", " \n"}));
  EXPECT_EQ(pieces_of(" "), (Strings{" "}));
  EXPECT_EQ(pieces_of("a, b... (c)"), (Strings{"a", ",", " b", "...", " (", "c", ")"}));
  EXPECT_EQ(pieces_of(""), (Strings{}));
}

TEST(PreTokenizer, OfGpt2KnowsAllScripts) {
  EXPECT_EQ(pieces_of("Größe Ωμέγα"), (Strings{"Größe", " Ωμέγα"}));
  EXPECT_EQ(pieces_of("e\u0301a"), (Strings{"e", "\u0301", "a"}));  // a mark is not a letter
  EXPECT_EQ(pieces_of("中文 ٣٤"), (Strings{"中文", " ٣٤"}));
  EXPECT_EQ(pieces_of("a\u3000\u00a0b"), (Strings{"a", "\u3000", "\u00a0", "b"}));
  EXPECT_EQ(pieces_of("hi 😀!"), (Strings{"hi", " 😀!"}));
  EXPECT_EQ(pieces_of("a\u0085b\ufeffc"), (Strings{"a", "\u0085", "b", "\ufeff", "c"}));
}

TEST(PreTokenizer, BytesThatAreNoUtf8AreSigns) {
  EXPECT_EQ(pieces_of("a\xff\xfe b\xc3"), (Strings{"a", "\xff\xfe", " b", "\xc3"}));
  EXPECT_EQ(pieces_of("\xc0\xaf \xed\xa0\x80!"), (Strings{"\xc0\xaf", " \xed\xa0\x80!"}));
  EXPECT_EQ(pieces_of("\xc3\xa9\xa9", PreTokenizer::characters), (Strings{"\xc3\xa9", "\xa9"}));
}

TEST(PreTokenizer, OfLlama3AndQwen2) {
  const auto llama3 = [](std::string_view text) { return pieces_of(text, PreTokenizer::llama3); };
  EXPECT_EQ(llama3("IT'S they'LL x'\u017f 'tis"),
            (Strings{"IT", "'S", " they", "'LL", " x", "'\u017f", " '", "tis"}));
  EXPECT_EQ(llama3("12345 6\u00b27"), (Strings{"123", "45", " ", "6\u00b27"}));
  EXPECT_EQ(pieces_of("12345 6", PreTokenizer::qwen2),
            (Strings{"1", "2", "3", "4", "5", " ", "6"}));
  EXPECT_EQ(llama3(".hello (x)\tb\u00a0c"), (Strings{".hello", " (", "x", ")", "\tb", "\u00a0c"}));
  EXPECT_EQ(llama3("!!\n\r\nx"), (Strings{"!!\n\r\n", "x"}));
  EXPECT_EQ(llama3("a  \n \n  b"), (Strings{"a", "  \n \n", " ", " b"}));
  EXPECT_EQ(llama3("\nx"), (Strings{"\n", "x"}));  // a line ending belongs to no word
  EXPECT_EQ(llama3("x   y  "), (Strings{"x", "  ", " y", "  "}));
  EXPECT_EQ(llama3("x\u2028\u2028y  1"), (Strings{"x", "\u2028", "\u2028y", " ", " ", "1"}));
  EXPECT_EQ(llama3(" \xff\xfe x\xc3"), (Strings{" \xff\xfe", " x", "\xc3"}));
}

// The results of JavaScript's regular expressions, which support these except for (?i:).
TEST(PreTokenizer, OfGpt4oAndTekken) {
  const auto gpt4o = [](std::string_view text) { return pieces_of(text, PreTokenizer::gpt4o); };
  EXPECT_EQ(gpt4o("camelCase HTMLParser iPhone ABC"),
            (Strings{"camel", "Case", " HTMLParser", " i", "Phone", " ABC"}));
  EXPECT_EQ(gpt4o("IT'S they'LL x'\u017f 'tis"),
            (Strings{"IT'S", " they'LL", " x'\u017f", " '", "tis"}));
  EXPECT_EQ(gpt4o("中文ABC中A ABa"), (Strings{"中文ABC中", "A", " ABa"}));
  EXPECT_EQ(gpt4o("e\u0301A\u0301B \u0301AB !\u0301x"),
            (Strings{"e\u0301", "A\u0301", "B", " \u0301", "AB", " !\u0301", "x"}));
  EXPECT_EQ(gpt4o("a//\n/b ./x 12345"), (Strings{"a", "//\n/", "b", " ./", "x", " ", "123", "45"}));
  EXPECT_EQ(gpt4o("ǅabc Ωμέγα ÀÉé ʰA"), (Strings{"ǅabc", " Ωμέγα", " ÀÉé", " ʰ", "A"}));
  EXPECT_EQ(gpt4o("a  \n \n  b\u00a0c"), (Strings{"a", "  \n \n", " ", " b", "\u00a0c"}));
  EXPECT_EQ(pieces_of("IT'S 123 aB", PreTokenizer::tekken),
            (Strings{"IT", "'S", " ", "1", "2", "3", " a", "B"}));
}

TEST(PreTokenizer, DigitsAlone) {
  EXPECT_EQ(pieces_of("in 1945 a", PreTokenizer::gpt2, true),
            (Strings{"in", " ", "1", "9", "4", "5", " a"}));
  EXPECT_EQ(pieces_of("٣x\u00b2", PreTokenizer::whole, true), (Strings{"٣", "x", "\u00b2"}));
}

}  // namespace
}  // namespace tril
