// Any bytes: an Error or word vectors, no larger than the file, which survive a round trip as text.
#include <tril/foundation/error.h>
#include <tril/foundation/exact_number.h>
#include <tril/model/word_vector_text.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "require.h"

using namespace tril;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = [](const void* bytes, std::size_t count) {
    return read_published_word_vectors({static_cast<const std::byte*>(bytes), count});
  };
  std::string text;
  try {
    const PublishedWordVectors all = read(data, size);
    const auto& words = all.vectors.words.words();
    const Buffer<float, 2>& values = all.vectors.values;
    const Index width = values.shape()[1];
    fuzz::require(values.shape()[0] == all.vectors.words.size(), "each word has a vector");
    fuzz::require(static_cast<std::size_t>(values.shape()[0] * width) <= size,
                  "no more numbers than bytes");
    fuzz::require(std::all_of(values.data(), values.data() + values.shape()[0] * width,
                              [](float x) { return std::isfinite(x); }),
                  "numbers are finite");
    text = std::to_string(words.size()) + ' ' + std::to_string(width) + '\n';
    for (std::size_t row = 0; row < words.size(); ++row) {
      text += words[row];
      for (Index i = 0; i < width; ++i) {
        text += ' ' + exact_number_text(values.data()[static_cast<Index>(row) * width + i]);
      }
      text += '\n';
    }
    // A word of a binary file may contain a line ending.
    for (const std::string& word : words) {
      if (word.find_first_of(" \t\r\n") != word.npos) return 0;
    }
    const PublishedWordVectors again = read(text.data(), text.size());
    fuzz::require(again.vectors.words.words() == words, "the words come back");
    fuzz::require(std::equal(values.data(), values.data() + values.shape()[0] * width,
                             again.vectors.values.data()),
                  "the numbers come back");
  } catch (const Error& error) {
    fuzz::require(text.empty(), "what was read is read again");
    fuzz::require(std::string(error.what()).find('\n') == std::string::npos, "one line");
  }
  return 0;
}
