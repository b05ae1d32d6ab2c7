#include <tril/files/json_reader.h>
#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/model/word_vectors.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace tril {
namespace {

constexpr const char* kVectors = "vectors";
constexpr const char* kWords = "words";
constexpr const char* kCounts = "counts";

double product(const float* x, const float* y, Index width) noexcept {
  double sum = 0;
  for (Index i = 0; i < width; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return sum;
}

double over(double x, double divisor) noexcept { return divisor > 0 ? x / divisor : 0; }

// Finds a word as given, or else in the form of read_words: "bank" for "Bank".
TokenId find_word(const WordVocabulary& words, std::string_view given) {
  TokenId found = words.find(given);
  int count = 0;
  if (found < 0) {
    detail::for_each_word(
        given, true, [&](std::string_view word) { found = ++count == 1 ? words.find(word) : -1; });
  }
  return found;
}

// A word with a factor; a query is a sum of these.
struct Term {
  std::string_view word;
  double factor;
  const char* argument;
};

// Throws unless there is a vector for each word.
void check_vectors(const WordVectors& all, const char* call) {
  const MatrixView<const float>& vectors = all.vectors;
  check_view(vectors, call, "vectors");
  check_shape(vectors, {all.words.size(), vectors.size(1)}, call, "vectors", "one for each word");
}

std::vector<WordNeighbour> nearest(const WordVectors& all, std::span<const Term> terms, Index count,
                                   const char* call) {
  check_vectors(all, call);
  const MatrixView<const float>& vectors = all.vectors;
  const Index width = vectors.size(1);
  if (count < 1) fail(call, "count", {"must be at least 1, is ", count});
  std::vector<TokenId> asked;
  std::vector<float> question(static_cast<std::size_t>(width));
  for (const Term& term : terms) {
    const TokenId id = find_word(all.words, term.word);
    if (id < 0) {
      fail(call, term.argument,
           {detail::shown(term.word), " is none of the ", all.words.size(), " words"});
    }
    asked.push_back(id);
    const float* const row = vectors[id].data();
    const double scale = over(term.factor, std::sqrt(product(row, row, width)));
    for (std::size_t i = 0; i < question.size(); ++i) {
      question[i] += static_cast<float>(scale * static_cast<double>(row[i]));
    }
  }
  const double length = std::sqrt(product(question.data(), question.data(), width));
  std::vector<WordNeighbour> found;
  for (TokenId id = 0; id < all.words.size(); ++id) {
    if (std::ranges::find(asked, id) != asked.end()) continue;
    const float* const row = vectors[id].data();
    const double size = length * std::sqrt(product(row, row, width));
    found.push_back({id, over(product(row, question.data(), width), size)});
  }
  const auto end = found.begin() + std::min(count, static_cast<Index>(found.size()));
  std::partial_sort(found.begin(), end, found.end(),
                    [](const WordNeighbour& a, const WordNeighbour& b) {
                      return a.cosine != b.cosine ? a.cosine > b.cosine : a.word < b.word;
                    });
  found.erase(end, found.end());
  return found;
}

// A list in a file's metadata.
template <typename Item>
void read_list(const Metadata& metadata, const char* name, const char* call, const Item& item) {
  const auto at = metadata.find(name);
  if (at == metadata.end()) fail(call, "file", {"has no ", name, " in its metadata"});
  detail::JsonReader reader(call, at->second, 0, name);
  reader.list('[', ']', false, [&] { item(reader); });
  if (!reader.at_end()) reader.fail("something follows the list");
}

}  // namespace

std::vector<WordNeighbour> similar_words(const WordVectors& all, std::string_view word,
                                         Index count) {
  const Term term{word, 1, "word"};
  return nearest(all, {&term, 1}, count, "similar_words");
}

std::vector<WordNeighbour> analogous_words(const WordVectors& all, std::string_view a,
                                           std::string_view b, std::string_view c, Index count) {
  const Term terms[] = {{b, 1, "b"}, {a, -1, "a"}, {c, 1, "c"}};
  return nearest(all, terms, count, "analogous_words");
}

std::vector<std::byte> word_vectors_file(const WordVectors& all, ElementType type) {
  check_vectors(all, "word_vectors_file");
  const Index rows = all.vectors.size(0), width = all.vectors.size(1);
  std::vector<float> values;
  detail::JsonWriter words('[', detail::kJsonTight), counts = words;
  for (TokenId id = 0; id < all.words.size(); ++id) {
    const float* const row = all.vectors[id].data();
    values.insert(values.end(), row, row + width);
    const auto at = static_cast<std::size_t>(id);
    words.add(all.words.words()[at]);
    counts.add(all.words.counts()[at]);
  }
  const TensorToStore tensor{kVectors, {rows, width}, values, type};
  return safetensors_bytes({&tensor, 1}, {{kWords, std::move(words).end().text},
                                          {kCounts, std::move(counts).end().text}});
}

StoredWordVectors read_word_vectors(const Safetensors& file) {
  constexpr const char* kCall = "read_word_vectors";
  const StoredTensor* const stored = file.find(kVectors);
  if (!stored) fail(kCall, "file", "has no tensor \"vectors\"");
  if (stored->shape.size() != 2 || stored->count() == 0) {
    fail(kCall, kVectors, {"must be [words, width], is ", std::span<const Index>(stored->shape)});
  }
  std::vector<std::string> words;
  std::vector<std::int64_t> counts;
  read_list(file.metadata, kWords, kCall,
            [&](detail::JsonReader& reader) { words.push_back(reader.json_string()); });
  read_list(file.metadata, kCounts, kCall,
            [&](detail::JsonReader& reader) { counts.push_back(reader.whole_number()); });
  const Shape<2> shape{stored->shape[0], stored->shape[1]};
  if (static_cast<Index>(words.size()) != shape[0]) {
    fail(kCall, kWords, {"are ", words.size(), ", and vectors is ", shape});
  }
  StoredWordVectors result{WordVocabulary(std::move(words), std::move(counts)),
                           Buffer<float, 2>(shape)};
  float* const values = result.values.data();
  const auto count = static_cast<std::size_t>(stored->count());
  read_elements(*stored, std::span(values, count));
  if (!std::all_of(values, values + count, [](float x) { return std::isfinite(x); })) {
    fail(kCall, kVectors, "has a number that is not finite");
  }
  return result;
}

}  // namespace tril
