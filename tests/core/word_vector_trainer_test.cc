// Training of word vectors: a window's moves against the gradient of its loss in double by the
// complex step, a whole step against a plain one in double, structure planted in texts, the same
// bits on any number of threads, and wrong input.
#include <gtest/gtest.h>
#include <tril/model/word_vector_kernels.h>
#include <tril/model/word_vector_trainer.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare.h"
#include "core/gradient.h"

namespace tril {
namespace {

using testing::Complex;
using testing::error_of;
using testing::gradient_of;
using testing::kRounding;
using testing::Values;
using Doubles = Values<double>;

// The loss of one window by its definition: rows are inputs, then targets.
template <typename Scalar>
Scalar window_loss(const Values<Scalar>& rows, std::size_t inputs, std::size_t targets,
                   std::size_t width) {
  using std::exp;
  using std::log;
  Scalar loss = 0;
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t j = 0; j < targets; ++j) {
      Scalar x = 0;
      for (std::size_t c = 0; c < width; ++c) {
        x += rows[i * width + c] * rows[(inputs + j) * width + c];
      }
      loss += log(1.0 + exp(j == 0 ? -x : x));
    }
  }
  return loss;
}

TEST(WordVectorKernels, MoveDownTheGradientOfAWindowsLoss) {
  constexpr std::size_t kWidth = 32;
  constexpr float kRate = 0.5f;
  const auto rate = static_cast<double>(kRate);
  Random random(21);
  for (const Isa isa : available_isas()) {
    const WordVectorKernels& kernels = word_vector_kernels(isa);
    for (std::size_t inputs = 1; inputs <= 9; ++inputs) {
      for (std::size_t targets = 1; targets <= 7; ++targets) {
        const std::size_t count = inputs + targets;
        std::vector<float> rows(count * kWidth), moves(rows.size()), p(inputs * targets);
        std::vector<float> steps(p.size());
        for (float& x : rows) x = random.normal() * 0.4f;
        std::vector<const float*> at;
        for (std::size_t r = 0; r < count; ++r) at.push_back(rows.data() + r * kWidth);
        kernels.window(at.data(), static_cast<Index>(inputs), at.data() + inputs,
                       static_cast<Index>(targets), kWidth, kRate, p.data(), steps.data(),
                       moves.data());

        const Doubles x(rows.begin(), rows.end());
        const Doubles gradient = gradient_of(
            [&](const Values<Complex>& z) { return window_loss(z, inputs, targets, kWidth); }, x);
        double product = 1;
        for (const float each : p) product *= static_cast<double>(each);
        const double loss = window_loss(x, inputs, targets, kWidth);
        // A dot product errs by kWidth roundings of its terms, |a| . |b|; p, whose derivative is at
        // most 1/4, by a quarter of that and 8 roundings; a move, a sum with a term per partner, by
        // their errors and one rounding per term.
        double loss_error = 0;
        for (std::size_t r = 0; r < count; ++r) {
          const std::size_t begin = r < inputs ? inputs : 0, end = r < inputs ? count : inputs;
          Doubles error(kWidth, 0);
          for (std::size_t other = begin; other < end; ++other) {
            double terms = 0;
            for (std::size_t c = 0; c < kWidth; ++c) {
              terms += std::fabs(x[r * kWidth + c] * x[other * kWidth + c]);
            }
            const double dot = static_cast<double>(kWidth) * kRounding * terms;
            const double share = dot / 4 + 8 * kRounding;
            if (r < inputs) loss_error += dot + 8 * kRounding;
            for (std::size_t c = 0; c < kWidth; ++c) {
              error[c] += rate * std::fabs(x[other * kWidth + c]) *
                          (share + static_cast<double>(end - begin) * kRounding);
            }
          }
          for (std::size_t c = 0; c < kWidth; ++c) {
            const std::size_t i = r * kWidth + c;
            ASSERT_NEAR(moves[i], -rate * gradient[i], error[c])
                << isa_name(isa) << " " << inputs << " " << targets << " row " << r;
          }
        }
        ASSERT_NEAR(-std::log(product), loss, loss_error);
      }
    }
  }
}

TEST(WordVectorKernels, StayFiniteWherePairsAreCertain) {
  for (const float size : {30.0f, 1e4f}) {
    const std::vector<float> a(16, size), b(16, -size);
    const float* const rows[] = {a.data(), a.data(), b.data()};  // an input, and two targets
    std::vector<float> p(2), steps(2), moves(48);
    word_vector_kernels().window(rows, 1, rows + 1, 2, 16, 1.0f, p.data(), steps.data(),
                                 moves.data());
    EXPECT_EQ(p, (std::vector<float>{1, 1}));
    for (const float move : moves) EXPECT_NEAR(move, 0, 1e-25);
    const float* const wrong[] = {a.data(), b.data(), a.data()};
    word_vector_kernels().window(wrong, 1, wrong + 1, 2, 16, 1.0f, p.data(), steps.data(),
                                 moves.data());
    // 1 - p is 1: towards the word, away from the other.
    for (int c = 0; c < 16; ++c) EXPECT_EQ(moves[static_cast<std::size_t>(c)], -2 * size);
  }
}

// Words of `groups` groups, in paragraphs of one group each.
std::string grouped_text(int groups, int words, int paragraphs, std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int n = 0; n < paragraphs; ++n) {
    const std::string group(1, static_cast<char>('a' + n % groups));
    for (int i = 0; i < 12; ++i) {
      text += group + std::to_string(random.below(static_cast<std::uint32_t>(words))) + " ";
    }
    text += "\n\n";
  }
  return text;
}

WordCorpus corpus_of(std::string_view text, std::int64_t min_count = 1) {
  return read_words({&text, 1}, {.min_count = min_count});
}

void train(WordVectorTrainer& trainer, int threads = 1) {
  Parallel parallel(threads);
  while (trainer.steps() < trainer.all_steps()) trainer.step(parallel);
}

TEST(WordVectorTrainer, TakesTheStepsThatThePlainAlgorithmTakes) {
  const std::string text = grouped_text(2, 6, 6, 5);
  const WordVectorOptions options{.width = 8,
                                  .window = 2,
                                  .negative = 3,
                                  .epochs = 1,
                                  .sample = 0.03,
                                  .learning_rate = 0.02,
                                  .seed = 9};
  WordVectorTrainer trainer(corpus_of(text), options);
  const WordCorpus& corpus = trainer.corpus();
  const auto words = static_cast<std::size_t>(corpus.vocabulary.size());
  constexpr std::size_t kWidth = 8;

  Random random(options.seed);
  Buffer<float, 2> start({corpus.vocabulary.size(), 8});
  fill_uniform(start.view(), random, -0.5f / 8, 0.5f / 8);
  Doubles inputs = testing::elements(start), targets(inputs.size(), 0);
  ASSERT_EQ(testing::elements(trainer.vectors().vectors), inputs);
  detail::WordWindowSource source(corpus.vocabulary.counts(), {2, 3, 0.03});
  detail::WordWindows windows;
  source.append(corpus.words, random, windows);
  const std::size_t count = windows.windows.size(),
                    batch = static_cast<std::size_t>(trainer.batch());
  ASSERT_GT(count, batch);

  double loss = 0;
  std::vector<double> pairs(words, 0);  // that each row takes part in
  for (std::size_t first = 0; first < count; first += batch) {
    const Doubles before_inputs = inputs, before_targets = targets;
    for (std::size_t n = first; n < std::min(count, first + batch); ++n) {
      const detail::WordWindow& window = windows.windows[n];
      Doubles rows;
      const auto take = [&](const Doubles& from, TokenId id) {
        const auto at = from.begin() + static_cast<std::ptrdiff_t>(id) * 8;
        rows.insert(rows.end(), at, at + 8);
      };
      std::vector<std::pair<Doubles*, TokenId>> places;
      for (std::size_t i = 0; i < window.input_count; ++i) {
        const TokenId id = windows.inputs[window.inputs + i];
        take(before_inputs, id);
        places.emplace_back(&inputs, id);
        pairs[static_cast<std::size_t>(id)] += static_cast<double>(window.target_count);
      }
      for (std::size_t j = 0; j < window.target_count; ++j) {
        const TokenId id = windows.targets[window.targets + j];
        take(before_targets, id);
        places.emplace_back(&targets, id);
        pairs[static_cast<std::size_t>(id)] += static_cast<double>(window.input_count);
      }
      const auto loss_at = [&](const auto& z) {
        return window_loss(z, window.input_count, window.target_count, kWidth);
      };
      loss += loss_at(rows);
      const Doubles gradient =
          gradient_of([&](const Values<Complex>& z) { return loss_at(z); }, rows);
      for (std::size_t r = 0; r < places.size(); ++r) {
        const auto [values, id] = places[r];
        for (std::size_t c = 0; c < kWidth; ++c) {
          (*values)[static_cast<std::size_t>(id) * kWidth + c] -=
              options.learning_rate * gradient[r * kWidth + c];
        }
      }
    }
  }

  Parallel parallel(2);
  const WordVectorStep step = trainer.step(parallel);
  // Numbers stay below L. A pair moves a row by rate g t, g <= 1, with an error of a few roundings
  // of that and of the row, and the errors of both rows: with each pair it grows by at most 1 +
  // rate (1 + C L^2 / 4).
  double largest = 0, most_pairs = 0;
  for (const Doubles* each : {&inputs, &targets}) {
    for (const double x : *each) largest = std::max(largest, std::fabs(x));
  }
  for (const double n : pairs) most_pairs = std::max(most_pairs, n);
  const double growth = std::exp(options.learning_rate * most_pairs * (1 + 2 * largest * largest));
  const double bound = most_pairs * 12 * kRounding * largest * growth;
  EXPECT_LT(bound, 0.1 * largest);
  const Doubles found = testing::elements(trainer.vectors().vectors);
  const Doubles found_targets = testing::elements(trainer.targets());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], inputs[i], bound);
    EXPECT_NEAR(found_targets[i], targets[i], bound);
  }
  EXPECT_EQ(step.words, corpus.count);
  EXPECT_NEAR(step.loss, loss / static_cast<double>(step.pairs), bound);
}

TEST(WordVectorTrainer, MakesNeighboursOfWordsThatShareContexts) {
  WordVectorTrainer trainer(corpus_of(grouped_text(4, 10, 1500, 1)),
                            {.width = 16, .epochs = 10, .sample = 0});
  train(trainer);
  const WordVectors vectors = trainer.vectors();
  for (const std::string& word : vectors.words.words()) {
    for (const WordNeighbour& each : similar_words(vectors, word, 9)) {
      EXPECT_EQ(vectors.words.words()[static_cast<std::size_t>(each.word)][0], word[0]) << word;
    }
  }
}

// Each word differs from others in two ways: its row and its column, each with words of their own.
TEST(WordVectorTrainer, FindsPlantedAnalogies) {
  Random random(2);
  std::string text;
  for (int n = 0; n < 12000; ++n) {
    const std::uint32_t row = random.below(3), column = random.below(3);
    const auto mark = [&](const char* kind, std::uint32_t which) {
      return kind + std::to_string(which) + "x" + std::to_string(random.below(4)) + " ";
    };
    text += mark("row", row) + mark("column", column) + "w" + std::to_string(row) +
            std::to_string(column) + " " + mark("column", column) + mark("row", row) + "\n\n";
  }
  WordVectorTrainer trainer(corpus_of(text), {.width = 16, .epochs = 5, .sample = 0});
  train(trainer);
  const auto word = [](int row, int column) {
    return "w" + std::to_string(row) + std::to_string(column);
  };
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      if (a == b) continue;
      // w aa : w ab  as  w ba : w bb
      const auto found = analogous_words(trainer.vectors(), word(a, a), word(a, b), word(b, a), 1);
      const auto best = static_cast<std::size_t>(found[0].word);
      EXPECT_EQ(trainer.vectors().words.words()[best], word(b, b));
    }
  }
}

TEST(WordVectorTrainer, HasTheSameBitsOnAnyNumberOfThreads) {
  const std::string text = grouped_text(3, 20, 900, 8);
  const auto trained = [&](std::uint64_t seed, int threads) {
    WordVectorTrainer trainer(corpus_of(text), {.width = 20, .epochs = 2, .seed = seed});
    train(trainer, threads);
    return testing::elements(trainer.vectors().vectors);
  };
  const Doubles one = trained(1, 1);
  EXPECT_EQ(trained(1, 1), one);
  EXPECT_EQ(trained(1, 2), one);
  EXPECT_EQ(trained(1, 3), one);
  EXPECT_NE(trained(2, 1), one);
}

TEST(WordVectorTrainer, SaysWhatAStepWas) {
  WordVectorTrainer trainer(corpus_of(grouped_text(2, 50, 1500, 3)), {.width = 4, .epochs = 2});
  Parallel parallel;
  ASSERT_EQ(trainer.epoch_steps(), 2);
  ASSERT_EQ(trainer.all_steps(), 4);
  std::int64_t words = 0;
  double first = 0, last = 0;
  for (int n = 0; n < 4; ++n) {
    const WordVectorStep step = trainer.step(parallel);
    EXPECT_EQ(step.step, n);
    EXPECT_DOUBLE_EQ(step.learning_rate, 0.025 * (1 - n / 4.0));
    EXPECT_GT(step.pairs, 0);
    words += step.words;
    (n == 0 ? first : last) = step.loss;
  }
  EXPECT_EQ(words, 2 * 1500 * 12);
  EXPECT_LT(last, first);
  EXPECT_LT(first, std::log(2.0));  // for vectors without information
  EXPECT_EQ(trainer.steps(), 4);
  EXPECT_DOUBLE_EQ(trainer.step(parallel).learning_rate, 0.025e-4);
  EXPECT_GE(trainer.bytes(), 100u * 16 * 4 * 2);
}

TEST(WordVectorTrainer, RefusesOptionsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto problem = [](const WordVectorOptions& options) {
    return error_of([&] { WordVectorTrainer(corpus_of("a b a b"), options); });
  };
  EXPECT_EQ(problem({.width = 0}), "WordVectorTrainer: width: must be from 1 to 65536, is 0");
  EXPECT_EQ(problem({.window = 0}), "WordVectorTrainer: window: must be from 1 to 1024, is 0");
  EXPECT_EQ(problem({.negative = 1025}),
            "WordVectorTrainer: negative: must be from 1 to 1024, is 1025");
  EXPECT_EQ(problem({.epochs = -1}),
            "WordVectorTrainer: epochs: must be from 1 to 16777216, is -1");
  EXPECT_EQ(problem({.sample = -0.5}),
            "WordVectorTrainer: sample: must be finite and at least 0, is -0.5");
  EXPECT_EQ(problem({.sample = nan}),
            "WordVectorTrainer: sample: must be finite and at least 0, is nan");
  EXPECT_EQ(problem({.learning_rate = 0}),
            "WordVectorTrainer: learning_rate: must be finite and above 0, is 0");
}

TEST(WordVectorTrainer, SaysThatARateIsTooHigh) {
  WordVectorTrainer trainer(corpus_of(grouped_text(2, 5, 100, 3)),
                            {.width = 4, .sample = 0, .learning_rate = 1e30});
  Parallel parallel;
  const std::string problem = error_of([&] {
    for (int n = 0; n < 3; ++n) trainer.step(parallel);
  });
  EXPECT_NE(problem.find("the learning rate is too high"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tril
