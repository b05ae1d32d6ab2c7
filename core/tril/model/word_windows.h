// What skip-gram with negative sampling looks at: windows of the text, thinned out where words are
// frequent, and words drawn at random to tell them from (Mikolov et al. 2013).
#pragma once

#include <tril/foundation/random.h>
#include <tril/text/word_corpus.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril::detail {

// Draws 0, 1, ... as often as weights say, in constant time (Walker 1977; Vose 1991).
class AliasTable {
 public:
  // Weights are above 0.
  explicit AliasTable(std::span<const double> weights);

  TokenId draw(Random& random) const noexcept;

 private:
  struct Column {
    float share;    // of the column that is its own
    TokenId other;  // whose the rest is
  };
  std::vector<Column> columns_;
};

// A word, those around it, and those drawn at random, as ranges of WordWindows's lists.
struct WordWindow {
  std::size_t inputs, input_count;    // the words around it
  std::size_t targets, target_count;  // the word itself, then those drawn at random
};

// Windows one after the other.
struct WordWindows {
  std::vector<WordWindow> windows;
  std::vector<TokenId> inputs, targets;

  void clear() noexcept {
    windows.clear();
    inputs.clear();
    targets.clear();
  }
};

// How they are drawn.
struct WordWindowOptions {
  Index window;    // the most words to each side: 1 to so many, evenly
  Index negative;  // words drawn at random, by their counts to the power 3/4
  double sample;   // words more frequent than this share are left out at random; 0: none
};

// Draws windows from texts.
class WordWindowSource {
 public:
  // Borrows nothing.
  WordWindowSource(std::span<const std::int64_t> counts, const WordWindowOptions& options);

  // Appends those of a piece of the corpus. A drawn word that is the word itself is left out.
  void append(std::span<const TokenId> words, Random& random, WordWindows& windows);

  // The probability that a word is kept, at most 1: with its share f of all words and t = sample,
  // (sqrt(f / t) + 1) t / f, as word2vec.c has it.
  double kept(TokenId word) const noexcept { return kept_[static_cast<std::size_t>(word)]; }
  // The most pairs of one word with others that a window is expected to have.
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
