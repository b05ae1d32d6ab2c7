// Word vectors: nearest words and analogies of vectors in the plane, whose angles are known; files
// with the words as written, and files that are not word vectors.
#include <gtest/gtest.h>
#include <tril/model/word_vector_trainer.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compare.h"
#include "core/gradient.h"

namespace tril {
namespace {

using testing::error_of;

// Vectors in the plane, whose angles are known.
const WordVocabulary& plane_words() {
  static const WordVocabulary words({"east", "north", "west", "northeast", "nowhere"},
                                    {5, 4, 3, 2, 1});
  return words;
}
constexpr float kPlane[] = {2, 0, 0, 3, -1, 0, 1, 1, 0, 0};
const WordVectors plane{plane_words(), {kPlane, {5, 2}}};

TEST(SimilarWords, AreThoseOfTheSmallestAngle) {
  const auto found = similar_words(plane, "east", 9);
  ASSERT_EQ(found.size(), 4u);
  const TokenId order[] = {3, 1, 4, 2};
  const double cosines[] = {std::sqrt(0.5), 0, 0, -1};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found[i].word, order[i]);
    EXPECT_NEAR(found[i].cosine, cosines[i], 1e-15);
  }
  EXPECT_EQ(similar_words(plane, "north", 1).size(), 1u);
  EXPECT_EQ(similar_words(plane, "East", 1)[0].word, 3);  // lower-cased like texts
}

// Views are checked before they are read.
TEST(SimilarWords, NeedAVectorForEachWord) {
  const WordVectors few{plane_words(), {kPlane, {4, 2}}};
  const WordVectors folded{plane_words(), {kPlane, {5, 64}, {0, 0}}};
  const std::string missing = "vectors: shape must be [5, 2], is [4, 2]; one for each word";
  const std::string strided =
      "vectors: the last axis must be contiguous; shape is [5, 64], strides are [0, 0]";
  for (const auto& [all, problem] : {std::pair{&few, missing}, {&folded, strided}}) {
    EXPECT_EQ(error_of([&, given = all] { similar_words(*given, "east", 1); }),
              "similar_words: " + problem);
    EXPECT_EQ(error_of([&, given = all] { analogous_words(*given, "east", "north", "west", 1); }),
              "analogous_words: " + problem);
    EXPECT_EQ(error_of([&, given = all] { word_vectors_file(*given); }),
              "word_vectors_file: " + problem);
  }
}

TEST(AnalogousWords, AreThoseNearTheSumWithoutTheThree) {
  // north - east + west is (-2, 1): nowhere at a right angle, northeast beyond it.
  const auto found = analogous_words(plane, "east", "north", "west", 5);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].word, 4);
  EXPECT_EQ(found[1].word, 3);
  EXPECT_NEAR(found[1].cosine, -1 / std::sqrt(10), 1e-7);
}

TEST(SimilarWords, RefuseWhatIsNoWord) {
  EXPECT_EQ(error_of([] { similar_words(plane, "up", 3); }),
            "similar_words: word: \"up\" is none of the 5 words");
  EXPECT_EQ(error_of([] { similar_words(plane, "north east", 3); }),
            "similar_words: word: \"north east\" is none of the 5 words");
  EXPECT_EQ(error_of([] { similar_words(plane, "east", 0); }),
            "similar_words: count: must be at least 1, is 0");
  EXPECT_EQ(error_of([] { analogous_words(plane, "east", "north", "", 3); }),
            "analogous_words: c: \"\" is none of the 5 words");
}

TEST(WordVectorsFile, IsReadAsItWasWritten) {
  const std::string_view text = "one \"two\" na\u00efve one two na\u00efve";
  WordVectorTrainer trainer(read_words({&text, 1}, {.min_count = 1}), {.width = 3});
  Parallel parallel;
  trainer.step(parallel);
  const std::vector<std::byte> bytes = word_vectors_file(trainer.vectors());
  const Safetensors parsed = parse_safetensors(bytes);
  const StoredWordVectors stored = read_word_vectors(parsed);
  EXPECT_EQ(stored.words.words(), trainer.corpus().vocabulary.words());
  EXPECT_EQ(stored.words.counts(), trainer.corpus().vocabulary.counts());
  EXPECT_EQ(testing::elements(stored.values), testing::elements(trainer.vectors().vectors));
  const std::vector<std::byte> halves = word_vectors_file(trainer.vectors(), ElementType::float16);
  const StoredWordVectors rounded = read_word_vectors(parse_safetensors(halves));
  const auto exact = testing::elements(trainer.vectors().vectors);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_NEAR(
        testing::elements(rounded.values)[i], exact[i],
        std::max(std::ldexp(std::abs(static_cast<double>(exact[i])), -11), std::ldexp(1.0, -25)));
  }
}

TEST(WordVectorsFile, RefusesWhatIsNone) {
  const auto problem = [](const char* name, std::vector<Index> shape, const Metadata& metadata,
                          float value = 1) {
    std::vector<float> values(6, value);
    const TensorToStore tensor{name, std::move(shape), values};
    const std::vector<std::byte> bytes = safetensors_bytes({&tensor, 1}, metadata);
    return error_of([&] { read_word_vectors(parse_safetensors(bytes)); });
  };
  const Metadata good{{"words", "[\"a\", \"b\"]"}, {"counts", "[2, 1]"}};
  EXPECT_EQ(problem("vector", {2, 3}, good), "read_word_vectors: file: has no tensor \"vectors\"");
  EXPECT_EQ(problem("vectors", {6}, good),
            "read_word_vectors: vectors: must be [words, width], is [6]");
  EXPECT_EQ(problem("vectors", {3, 2}, good),
            "read_word_vectors: words: are 2, and vectors is [3, 2]");
  EXPECT_EQ(problem("vectors", {2, 3}, {{"words", "[\"a\", \"b\"]"}}),
            "read_word_vectors: file: has no counts in its metadata");
  EXPECT_EQ(problem("vectors", {2, 3}, {{"words", "[\"a\", \"a\"]"}, {"counts", "[2, 1]"}}),
            "WordVocabulary: words: \"a\" is duplicated");
  EXPECT_NE(problem("vectors", {2, 3}, {{"words", "[\"a\", "}, {"counts", "[2, 1]"}}).find("words"),
            std::string::npos);
  EXPECT_EQ(problem("vectors", {2, 3}, good, std::numeric_limits<float>::infinity()),
            "read_word_vectors: vectors: has a number that is not finite");
}

}  // namespace
}  // namespace tril
