// The windows of skip-gram with negative sampling (Mikolov et al. 2013): words of the text, of
// which frequent ones are subsampled, and random words as negatives.
#pragma once

#include <tril/foundation/random.h>
#include <tril/text/word_corpus.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril::detail {

// Draws 0, 1, ... with probabilities proportional to weights, in constant time (Walker 1977; Vose
// 1991).
class AliasTable {
 public:
  // Weights are above 0.
  explicit AliasTable(std::span<const double> weights);

  TokenId draw(Random& random) const noexcept;

 private:
  struct Column {
    float share;    // share of the column that is its own
    TokenId other;  // owner of the rest of the column
  };
  std::vector<Column> columns_;
};

// A word, its context and its negatives, as ranges of WordWindows's lists.
struct WordWindow {
  std::size_t inputs, input_count;    // its context
  std::size_t targets, target_count;  // the word itself, then its negatives
};

// A list of windows.
struct WordWindows {
  std::vector<WordWindow> windows;
  std::vector<TokenId> inputs, targets;

  void clear() noexcept {
    windows.clear();
    inputs.clear();
    targets.clear();
  }
};

// Options of windows.
struct WordWindowOptions {
  Index window;    // words on each side: uniform from 1 to this number
  Index negative;  // number of negatives, by the words' counts to the power 3/4
  double sample;   // share from which on words are subsampled; 0: none are
};

// Draws windows from texts.
class WordWindowSource {
 public:
  // Copies everything it needs.
  WordWindowSource(std::span<const std::int64_t> counts, const WordWindowOptions& options);

  // Appends the windows of a piece of the corpus. A negative that is the word itself is dropped.
  void append(std::span<const TokenId> words, Random& random, WordWindows& windows);

  // The probability that a word is kept, at most 1: with its share f of all words and t = sample,
  // (sqrt(f / t) + 1) t / f, as in word2vec.c.
  double kept(TokenId word) const noexcept { return kept_[static_cast<std::size_t>(word)]; }
  // The maximum expected number of pairs of one word with others in a window.
  double most_pairs() const noexcept { return most_pairs_; }

 private:
  void append_sentence(Random& random, WordWindows& windows) const;

  WordWindowOptions options_;
  std::vector<float> kept_;
  AliasTable drawn_;
  double most_pairs_;
  std::vector<TokenId> sentence_;  // working memory
};

}  // namespace tril::detail
