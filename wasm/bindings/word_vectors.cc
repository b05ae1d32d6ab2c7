// Word vectors in training: the core's WordVectorTrainer, which JavaScript owns.
#include <emscripten/bind.h>
#include <tril/files/utf8.h>
#include <tril/model/word_vector_trainer.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "guard.h"
#include "parameters.h"

namespace tril::js {

// Word vectors in training that JavaScript owns. Their memory counts as the engine's.
struct WordTraining {
  WordTraining(Engine& given, WordCorpus corpus, const WordVectorOptions& options)
      : engine(given), trainer(std::move(corpus), options), memory(given, trainer.bytes()) {}

  Engine& engine;
  WordVectorTrainer trainer;
  CountedBytes memory;
};

using WordTrainingHandle = std::shared_ptr<WordTraining>;

namespace {

using emscripten::val;

// Gives words and cosines in turn.
Numbers pairs_of(const std::vector<WordNeighbour>& found) {
  std::vector<double> pairs;
  for (const WordNeighbour& each : found) {
    pairs.insert(pairs.end(), {static_cast<double>(each.word), each.cosine});
  }
  return Numbers(val::array(pairs));
}

// Reads the texts, which JavaScript calls `data`.
WordCorpus read_data(std::span<const std::string_view> texts, const WordOptions& options) {
  try {
    return read_words(texts, options);
  } catch (const Error& error) {
    if (error.argument() == "texts") fail("wordVectors", "data", error.problem());
    throw;
  }
}

// Makes word vectors from concatenated texts of these lengths. Numbers: min_count, width, window,
// negative, epochs, sample, learning_rate, seed.
WordTrainingHandle make_word_vectors(Engine& engine, const Bytes& given, const Integers& lengths,
                                     bool lower_case, const Numbers& given_numbers) {
  const std::string bytes = text_of(given);
  std::string_view rest(bytes);
  if (!detail::is_utf8(rest)) fail("wordVectors", "data", "is not UTF-8");
  std::vector<std::string_view> texts;
  for (const int length : numbers_of(lengths)) {
    texts.push_back(rest.substr(0, static_cast<std::size_t>(length)));
    rest.remove_prefix(texts.back().size());
  }
  const auto number = emscripten::convertJSArrayToNumberVector<double>(given_numbers);
  WordCorpus corpus = read_data(texts, {static_cast<std::int64_t>(number[0]), lower_case});
  return std::make_shared<WordTraining>(
      engine, std::move(corpus),
      WordVectorOptions{.width = static_cast<Index>(number[1]),
                        .window = static_cast<Index>(number[2]),
                        .negative = static_cast<Index>(number[3]),
                        .epochs = static_cast<Index>(number[4]),
                        .sample = number[5],
                        .learning_rate = number[6],
                        .seed = static_cast<std::uint64_t>(number[7])});
}

Numbers word_step(WordTraining& training) {
  const WordVectorStep step = training.trainer.step(training.engine.context);
  training.memory.set(training.trainer.bytes());
  return to_javascript({static_cast<double>(step.step), static_cast<double>(step.words),
                        static_cast<double>(step.pairs), step.loss, step.learning_rate,
                        step.seconds * 1000});
}

// Gives the number of all steps, of an epoch's steps, of steps done, and of the words of the texts.
Numbers word_counts(const WordTraining& training) {
  const WordVectorTrainer& trainer = training.trainer;
  return to_javascript(
      {static_cast<double>(trainer.all_steps()), static_cast<double>(trainer.epoch_steps()),
       static_cast<double>(trainer.steps()), static_cast<double>(trainer.corpus().count)});
}

Names word_list(const WordTraining& training) {
  return Names(val::array(training.trainer.vectors().words.words()));
}

Numbers word_frequencies(const WordTraining& training) {
  const auto& counts = training.trainer.vectors().words.counts();
  return Numbers(val::array(std::vector<double>(counts.begin(), counts.end())));
}

TensorHandle word_matrix(const WordTraining& training) {
  const MatrixView<const float> rows = training.trainer.vectors().vectors;
  auto tensor = std::make_shared<Tensor>(training.engine, DynamicShape{rows.size(0), rows.size(1)},
                                         "vectors");
  for (Index row = 0; row < rows.size(0); ++row) {
    std::copy_n(rows[row].data(), rows.size(1), tensor->data() + row * rows.size(1));
  }
  return tensor;
}

Numbers word_similar(const WordTraining& training, const std::string& word, int count) {
  return pairs_of(similar_words(training.trainer.vectors(), word, count));
}

Numbers word_analogy(const WordTraining& training, const std::string& a, const std::string& b,
                     const std::string& c, int count) {
  return pairs_of(analogous_words(training.trainer.vectors(), a, b, c, count));
}

Bytes word_file(const WordTraining& training) {
  return to_javascript(word_vectors_file(training.trainer.vectors()));
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_word_vectors) {
  using namespace emscripten;
  class_<WordTraining>("_WordVectors")
      .smart_ptr<WordTrainingHandle>("_WordVectorsHandle")
      .function("step", guard<&word_step>)
      .function("counts", guard<&word_counts>)
      .function("words", guard<&word_list>)
      .function("frequencies", guard<&word_frequencies>)
      .function("vectors", guard<&word_matrix>)
      .function("similar", guard<&word_similar>)
      .function("analogy", guard<&word_analogy>)
      .function("save", guard<&word_file>);
  function("_wordVectors", guard<&make_word_vectors>);
}

}  // namespace tril::js
