// Published files of word vectors, which list words and their numbers:
//
//   word2vec and fastText (.vec): "N C\n", and then N times "word x_1 ... x_C\n"
//   GloVe: the same lines without the first
//   word2vec, binary (.bin): "N C\n", and then N times "word ", C float32, perhaps "\n"
#pragma once

#include <tril/model/word_vectors.h>

#include <cstddef>
#include <span>

namespace tril {

// The word vectors of a file, and the rows that were skipped.
struct PublishedWordVectors {
  StoredWordVectors vectors;  // in the order of the file; counts are 0, as it has none
  Index repeated = 0;         // rows of a repeated word, whose first vector counts
  Index nameless = 0;         // rows without a word
};

// Reads any of these and recognises the form by its content. Words may contain spaces; bytes that
// are not UTF-8 become U+FFFD. Allocates no more memory than the file can fill. Throws Error about
// `file`, naming the line or row, where a row has another number of numbers than the first one or
// than the file says, or a number is not finite, and where the number of rows is not that of the
// file.
PublishedWordVectors read_published_word_vectors(std::span<const std::byte> file);

}  // namespace tril
