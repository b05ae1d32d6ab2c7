// Word vectors: nearest words, analogies, and files.
#pragma once

#include <tril/files/safetensors.h>
#include <tril/foundation/buffer.h>
#include <tril/text/word_corpus.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace tril {

// Words and their vectors [N, C]. Borrows both.
struct WordVectors {
  const WordVocabulary& words;      // N of them
  MatrixView<const float> vectors;  // [N, C], by the words' numbers
};

// A word, and the cosine of the angle between its vector and the query.
struct WordNeighbour {
  TokenId word;   // number of the word
  double cosine;  // from -1 to 1; 0 where a vector is 0
};

// The `count` words nearest to a word, the nearest first, without itself; fewer where there are
// fewer words. Takes O(N C). An unknown word is looked up in the form of read_words, "Bank" as
// "bank". Throws Error where that is unknown, too, and for a count below 1.
std::vector<WordNeighbour> similar_words(const WordVectors& all, std::string_view word,
                                         Index count);

// The words that are to `c` as `b` is to `a`: those nearest to b / |b| - a / |a| + c / |c|
// (Mikolov, Yih, Zweig 2013), without these three. Otherwise as similar_words().
std::vector<WordNeighbour> analogous_words(const WordVectors& all, std::string_view a,
                                           std::string_view b, std::string_view c, Index count);

// Word vectors read from a file.
struct StoredWordVectors {
  WordVocabulary words;     // N of them
  Buffer<float, 2> values;  // [N, C]

  // A view that is valid as long as this object.
  WordVectors view() const noexcept { return {words, values}; }
};

// A .safetensors file: "vectors", [N, C], and in its metadata "words" and "counts", lists in JSON.
// Numbers are float32, float16 or bfloat16, rounded as by write_elements. Throws Error for another
// type.
std::vector<std::byte> word_vectors_file(const WordVectors& all,
                                         ElementType type = ElementType::float32);

// Reads such a file, of any element type. Throws Error, about `file` or a tensor, where "vectors"
// is missing or not [N, C], a number is not finite, or the words are missing, repeat or are not N.
StoredWordVectors read_word_vectors(const Safetensors& file);

}  // namespace tril
