// Word vectors in the published formats of GloVe, word2vec and fastText, and errors of such files.
#include <gtest/gtest.h>
#include <tril/model/word_vector_text.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

PublishedWordVectors read(std::string_view text) {
  return read_published_word_vectors(std::as_bytes(std::span(text.data(), text.size())));
}
std::string problem(std::string_view text) {
  const std::string message = error_of([&] { read(text); }), begin =
                                                                 "read_published_word_vectors: "
                                                                 "file: ";
  EXPECT_TRUE(message.starts_with(begin)) << message << " of " << text;
  EXPECT_EQ(message.find('\n'), message.npos);
  return message.substr(std::min(begin.size(), message.size()));
}
std::vector<float> values(const StoredWordVectors& vectors) {
  const float* const first = vectors.values.data();
  return {first, first + vectors.values.shape()[0] * vectors.values.shape()[1]};
}
void expect_words(std::string_view text, const std::vector<std::string>& words,
                  const std::vector<float>& numbers) {
  SCOPED_TRACE(text);
  const PublishedWordVectors read_back = read(text);
  EXPECT_EQ(read_back.vectors.words.words(), words);
  EXPECT_EQ(read_back.vectors.words.counts(), std::vector<std::int64_t>(words.size()));
  EXPECT_EQ(values(read_back.vectors), numbers);
}

// Little-endian on any host.
std::string float_bytes(const std::vector<float>& numbers) {
  std::string bytes;
  for (const float number : numbers) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xff);
  }
  return bytes;
}

TEST(PublishedWordVectors, AreReadWithAndWithoutAHeader) {
  const std::vector<float> numbers = {0.5f, -1.25f, 3e-3f, 4};
  const std::vector<std::string> words = {"the", "cat"};
  expect_words("the 0.5 -1.25\ncat 3e-3 4\n", words, numbers);            // GloVe
  expect_words("2 2\nthe 0.5 -1.25\ncat 3e-3 4\n", words, numbers);       // word2vec
  expect_words("2 2 \r\nthe 0.5 -1.25 \r\ncat 3e-3 4 ", words, numbers);  // fastText, Windows
  expect_words("\xef\xbb\xbfthe\t0.5\t-1.25\n\ncat\t.003\t4.", words, numbers);
}

TEST(PublishedWordVectors, AreReadInBinary) {
  const std::vector<float> numbers = {0.5f, -1.25f, 3e-3f, 4};
  const std::vector<std::string> words = {"the", "caf\u00e9"};
  const std::string first = "the " + float_bytes({0.5f, -1.25f}),
                    second = "caf\u00e9 " + float_bytes({3e-3f, 4});
  expect_words("2 2\n" + first + second, words, numbers);
  expect_words("2 2\n" + first + "\n" + second + "\n", words, numbers);
  // Floats whose bytes are a line ending, spaces, digits.
  const float odd = std::bit_cast<float>(0x200a310au), even = std::bit_cast<float>(0x3f00200au);
  expect_words("1 2\na " + float_bytes({odd, even}), {"a"}, {odd, even});
}

TEST(PublishedWordVectors, MayHaveOddWords) {
  expect_words(". . 1 2\nat name@domain.com 3 4\n5 5 6\n", {". .", "at name@domain.com", "5"},
               {1, 2, 3, 4, 5, 6});
  expect_words("2 1\nnew york 7 1\n12 2\n", {"new york 7", "12"}, {1, 2});
  // Unicode's spaces and line endings are ordinary letters.
  expect_words("a\u00a0b 1\n\u2028 2\n\u0085 3\n", {"a\u00a0b", "\u2028", "\u0085"}, {1, 2, 3});
  expect_words("nan 1\ninf 2\n1e5 3\n", {"nan", "inf", "1e5"}, {1, 2, 3});
  expect_words("a\xff 1\n\xe2\x82 2\n", {"a\ufffd", "\ufffd\ufffd"}, {1, 2});
}

TEST(PublishedWordVectors, CountTheFirstOfEqualWords) {
  const PublishedWordVectors repeated =
      read("a 1 2\nb 3 4\na 5 6\n  7 8\nc 9 9\n\xff 1 1\n\xfe 2 2");
  EXPECT_EQ(repeated.vectors.words.words(), (std::vector<std::string>{"a", "b", "c", "\ufffd"}));
  EXPECT_EQ(values(repeated.vectors), (std::vector<float>{1, 2, 3, 4, 9, 9, 1, 1}));
  EXPECT_EQ(repeated.repeated, 2);
  EXPECT_EQ(repeated.nameless, 1);
  const auto neighbours = similar_words(repeated.vectors.view(), "a", 1);
  EXPECT_EQ(neighbours[0].word, 1);
  const std::string row = " " + float_bytes({1});
  const PublishedWordVectors binary = read("3 1\na" + row + "a" + row + row);
  EXPECT_EQ(binary.repeated, 1);
  EXPECT_EQ(binary.nameless, 1);
}

TEST(PublishedWordVectors, RefuseRowsThatDiffer) {
  EXPECT_EQ(problem("a 1 2\nb 3\n"), "line 2 has not a word and 2 numbers");
  EXPECT_EQ(problem("a 1 2\nb x 4\n"), "line 2: \"x\" is no number; a line has 2");
  EXPECT_EQ(problem("a 1 2\nb 3 1e39\n"), "line 2: \"1e39\" is not finite; a line has 2");
  EXPECT_EQ(problem("a 1 2\nb 3 nan\n"), "line 2: \"nan\" is not finite; a line has 2");
  EXPECT_EQ(problem("1 2\na 1 2\nb 3 4"), "line 1 says that 1 word follows, not 2");
  EXPECT_EQ(problem("3 2\na 1 2\nb 3 4"), "line 1 says that 3 words follow, not 2");
  EXPECT_EQ(problem("2 3\na 1 2\nb 3 4"), "line 2 has not the 3 numbers that line 1 says");
}

TEST(PublishedWordVectors, RefuseOtherFiles) {
  EXPECT_NE(problem("").find("is neither a .safetensors file nor a text"), std::string::npos);
  EXPECT_NE(problem("hello world\n").find("it begins with \"hello world\""), std::string::npos);
  EXPECT_NE(problem("\x1f\x8b\x08").find("gzip"), std::string::npos);
  EXPECT_EQ(problem("0 5\n"), "line 1 says that there are no numbers");
  EXPECT_EQ(problem(" 1 2\n 3 4\n"), "has no words");
}

TEST(PublishedWordVectors, RefuseABinaryFileThatIsCut) {
  const std::string whole = "2 2\na " + float_bytes({1, 2}) + "\nb " + float_bytes({3, 4});
  for (std::size_t size = 5; size < whole.size(); ++size) problem(whole.substr(0, size));
  EXPECT_EQ(problem(whole + "abc"), "goes on for 3 bytes after its 2 words");
  EXPECT_EQ(problem("1 1\na " + float_bytes({std::numeric_limits<float>::infinity()})),
            "the vector of \"a\", word 1, is not finite");
}

// The sizes in a first line allocate no memory that the rest of the file could not fill.
TEST(PublishedWordVectors, TakeNoMemoryForWhatIsNotThere) {
  const std::string huge = std::to_string(std::numeric_limits<Index>::max());
  problem(huge + " " + huge + "\na 1 2");
  problem("1000000000 300\na " + float_bytes(std::vector<float>(300, 1)));
  problem("1 " + huge + "\na " + float_bytes({1}));
}

}  // namespace
}  // namespace tril
