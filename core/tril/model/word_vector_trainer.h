// Training of word vectors: skip-gram with negative sampling (Mikolov et al. 2013, "Distributed
// Representations of Words and Phrases and their Compositionality"; word2vec.c).
//
//   WordVectorTrainer trainer(read_words(texts), options);
//   while (trainer.steps() < trainer.all_steps()) trainer.step(parallel);
//   similar_words(trainer.vectors(), "bank", 10);
//
// Three things differ from word2vec.c, and none of them in what is learned:
// - the pairs of a window share the words drawn at random (Ji et al. 2016), so that each is read
//   once, not once a pair;
// - a few dozen windows see the same vectors, and their moves are added one after the other. So the
//   result depends on texts and options alone, not on the number of threads, and no two threads
//   write the same memory, where word2vec.c lets them race. The trainer tries how many of the
//   threads that it is given are fastest, and uses those;
// - the logistic function is computed, not looked up.
#pragma once

#include <tril/foundation/buffer.h>
#include <tril/foundation/context.h>
#include <tril/foundation/thread_choice.h>
#include <tril/model/word_vectors.h>
#include <tril/model/word_windows.h>

#include <cstdint>

namespace tril {

// Options of training. The defaults are word2vec.c's.
struct WordVectorOptions {
  Index width = 100;             // width of the vectors
  Index window = 5;              // maximum number of words on each side that a word predicts
  Index negative = 5;            // random words for each window
  Index epochs = 5;              // passes over the texts
  double sample = 1e-3;          // share from which on words are subsampled; 0: none are
  double learning_rate = 0.025;  // the first one; it falls linearly to a ten-thousandth
  std::uint64_t seed = 1;        // of all random choices
};

// The result of a step.
struct WordVectorStep {
  std::int64_t step = 0;     // number of the step, from 0
  std::int64_t words = 0;    // words of the texts that it covered, subsampled or not
  std::int64_t pairs = 0;    // trained pairs
  double loss = 0;           // mean over the pairs, in nats, before their updates; 0 for no pairs
  double learning_rate = 0;  // the rate of the step
  double seconds = 0;        // duration of the step
};

// Owns the texts and two vectors a word: its own, and one as a target in the window of another
// word.
class WordVectorTrainer {
 public:
  // The number of word positions of a step.
  static constexpr Index kStepWords = 10000;

  // Throws Error for options out of range, OutOfMemory where there is not enough memory.
  WordVectorTrainer(WordCorpus corpus, const WordVectorOptions& options);

  // Trains on the next words of the texts. After all steps, further ones start from the beginning
  // of the texts with the lowest rate. Throws Error where the loss is not finite; the learning rate
  // is too high then, and the vectors are useless.
  WordVectorStep step(const Context& context = {});

  std::int64_t steps() const noexcept { return steps_; }  // number of steps done
  // The number of steps of all epochs.
  std::int64_t all_steps() const noexcept { return options_.epochs * epoch_steps(); }
  std::int64_t epoch_steps() const noexcept;  // number of steps of an epoch
  // The given options.
  const WordVectorOptions& options() const noexcept { return options_; }
  const WordCorpus& corpus() const noexcept { return corpus_; }  // the training texts
  // [N, C]
  WordVectors vectors() const noexcept { return {corpus_.vocabulary, rows_of(inputs_)}; }
  // The target vectors, which the word vectors predict.
  MatrixView<const float> targets() const noexcept { return rows_of(targets_); }
  // The number of windows that read the same vectors.
  Index batch() const noexcept { return batch_; }
  // The bytes that it owns.
  std::size_t bytes() const noexcept;

 private:
  // The working memory of a window.
  struct Work {
    const float** rows;
    float *p, *steps;
  };

  MatrixView<const float> rows_of(const Buffer<float, 2>& buffer) const noexcept {
    return {buffer.data(), {buffer.shape()[0], options_.width}, {buffer.shape()[1], 1}};
  }
  double learn_window(const detail::WordWindow& window, float rate, const Work& work,
                      float* moves) const;
  void learn(std::size_t first, std::size_t last, float rate, int threads, const Context& context);

  WordCorpus corpus_;
  WordVectorOptions options_;
  detail::WordWindowSource source_;
  Random random_;
  Buffer<float, 2> inputs_, targets_;
  Index batch_;
  std::int64_t steps_ = 0;
  detail::WordWindows windows_;
  std::vector<double> losses_;  // of each window
  Scratch scratch_;
  ThreadChoice threads_{1};
};

}  // namespace tril
