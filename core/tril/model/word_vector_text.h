// Word vectors as others publish them, a word and its numbers after the other:
//
//   word2vec and fastText (.vec): "N C\n", and then N times "word x_1 ... x_C\n"
//   GloVe: the same lines without the first
//   word2vec, binary (.bin): "N C\n", and then N times "word ", C float32, perhaps "\n"
#pragma once

#include <tril/model/word_vectors.h>

#include <cstddef>
#include <span>

namespace tril {

// Word vectors of a file, and what of it is no word.
struct PublishedWordVectors {
  StoredWordVectors
      vectors;         // in the order of the file; their counts are 0, which it does not tell
  Index repeated = 0;  // rows of a word that was there before: its first vector counts
  Index nameless = 0;  // rows without a word
};

// Reads any of these, told apart by what is in them. Words may hold spaces; bytes that are not
// UTF-8 become U+FFFD. No more memory is taken than the file can fill. Throws Error, of `file`,
// where a row has not as many numbers as the first, or as the file says, or one is not finite,
// saying in which line or row, and where there are not as many rows as it says.
PublishedWordVectors read_published_word_vectors(std::span<const std::byte> file);

}  // namespace tril
