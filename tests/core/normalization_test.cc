// Unicode's normal form C, by every row of Unicode's NormalizationTest.txt
// (tests/golden/make_normalization.py), and by the rule for Hangul.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/files/utf8.h>
#include <tril/text/nfc.h>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/golden.h"

namespace tril {
namespace {

std::string nfc(std::string_view text) {
  detail::NormalizedText out(false);
  detail::append_nfc(text, out);
  return out.text();
}

std::string utf8(std::uint32_t code) {
  std::string text;
  detail::append_utf8(text, code);
  return text;
}

// Source, NFC, NFD, NFKC, NFKD.
using Row = std::array<std::string, 5>;

std::vector<Row> unicodes_rows() {
  const std::vector<std::byte> bytes =
      read_file(std::string(testing::kGoldenFolder) + "/normalization.txt");
  std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<Row> rows;
  while (!file.empty()) {
    std::string_view line = file.substr(0, file.find('\n'));
    file.remove_prefix(line.size() + 1);
    Row& row = rows.emplace_back();
    for (std::string& field : row) {
      field = line.substr(0, line.find('\t'));
      line.remove_prefix(std::min(field.size() + 1, line.size()));
    }
    constexpr std::size_t kLike[] = {0, 0, 1, 1, 2};  // the field that an empty one repeats
    for (std::size_t n = 1; n < row.size(); ++n) {
      if (row[n].empty()) row[n] = row[kLike[n]];
    }
  }
  return rows;
}

TEST(Nfc, IsThatOfEveryRowOfUnicodesTest) {
  const std::vector<Row> rows = unicodes_rows();
  ASSERT_EQ(rows.size(), 19074u - 11172);
  for (const auto& [source, composed, decomposed, compatible, apart] : rows) {
    for (const std::string* text : {&source, &composed, &decomposed}) {
      ASSERT_EQ(nfc(*text), composed) << source;
    }
    ASSERT_EQ(nfc(compatible), compatible) << source;
    ASSERT_EQ(nfc(apart), compatible) << source;
  }
}

// Part 1 of the test lists every character that any form changes.
TEST(Nfc, LeavesEveryCharacterThatTheTestDoesNotList) {
  std::set<std::string> listed;
  for (const Row& row : unicodes_rows()) listed.insert(row[0]);
  for (std::uint32_t code = 0; code < 0x110000; ++code) {
    if (code == 0xd800) code = 0xe000;
    const std::string text = utf8(code);
    if (listed.contains(text)) continue;
    ASSERT_EQ(nfc(text), text) << std::hex << code;
  }
}

TEST(Nfc, OfHangulIsTheRule) {
  for (std::uint32_t index = 0; index < 19 * 21 * 28; ++index) {
    const std::uint32_t tail = index % 28;
    const std::string syllable = utf8(0xac00 + index), open = utf8(0xac00 + index - tail),
                      lead = utf8(0x1100 + index / 28 / 21), vowel = utf8(0x1161 + index / 28 % 21),
                      end = tail > 0 ? utf8(0x11a7 + tail) : "";
    ASSERT_EQ(nfc(syllable), syllable);
    ASSERT_EQ(nfc(lead + vowel + end), syllable);
    ASSERT_EQ(nfc(open + end), syllable);
  }
}

// Composes marks with composed letters, also if the letter has two names: U+00C5, the angstrom.
TEST(Nfc, JoinsMarksOneAfterTheOther) {
  EXPECT_EQ(nfc("A\u030a\u0301"), "\u01fa");
  EXPECT_EQ(nfc("\u212b\u0301"), "\u01fa");
  EXPECT_EQ(nfc("\u03c9\u0301\u0345"), "\u1ff4");
}

// The marks of one letter are sorted in n log n: sorting by pairs would not end.
TEST(Nfc, TakesAMillionMarksOfOneLetter) {
  std::string text = "a", expected = "a";
  constexpr int kMarks = 500'000;
  for (int n = 0; n < kMarks; ++n) text += "\u0315\u0316";
  for (int n = 0; n < kMarks; ++n) expected += "\u0316";
  for (int n = 0; n < kMarks; ++n) expected += "\u0315";
  EXPECT_TRUE(nfc(text) == expected);
}

}  // namespace
}  // namespace tril
