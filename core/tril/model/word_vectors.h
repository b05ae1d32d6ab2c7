// Words as vectors: which are near to each other, and analogies; and files of them.
#pragma once

#include <tril/files/safetensors.h>
#include <tril/foundation/buffer.h>
#include <tril/text/word_corpus.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace tril {

// Words and a vector [N, C] for each. Borrows both.
struct WordVectors {
  const WordVocabulary& words;      // N of them
  MatrixView<const float> vectors;  // [N, C], by the words' numbers
};

// A word, and the cosine of the angle between its vector and what was asked for.
struct WordNeighbour {
  TokenId word;   // its number
  double cosine;  // from -1 to 1; 0 where a vector is 0
};

// The `count` words nearest to one, the nearest first, without itself; fewer where there are not so
// many. O(N C). What is no word is looked for as texts are read, "Bank" as "bank". Throws Error
// where there is none, and for a count below 1.
std::vector<WordNeighbour> similar_words(const WordVectors& all, std::string_view word,
                                         Index count);

// What is to `c` as `b` is to `a`: the words nearest to b / |b| - a / |a| + c / |c| (Mikolov, Yih,
// Zweig 2013), without these three. As similar_words().
std::vector<WordNeighbour> analogous_words(const WordVectors& all, std::string_view a,
                                           std::string_view b, std::string_view c, Index count);

// Those that a file held.
struct StoredWordVectors {
  WordVocabulary words;     // N of them
  Buffer<float, 2> values;  // [N, C]

  // Good as long as this is.
  WordVectors view() const noexcept { return {words, values}; }
};

// A .safetensors file: "vectors", [N, C], and in its metadata "words" and "counts", lists in JSON.
// Numbers are float32, or float16 and bfloat16, rounded as write_elements does. Throws Error for
// another type.
std::vector<std::byte> word_vectors_file(const WordVectors& all,
                                         ElementType type = ElementType::float32);

// Reads it, of any type that is read. Throws Error, of `file` or a tensor, where "vectors" is
// missing or not [N, C], a number is not finite, or the words are missing, repeat or are not N.
StoredWordVectors read_word_vectors(const Safetensors& file);

}  // namespace tril
