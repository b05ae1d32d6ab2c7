// Sampling tokens: probabilities, excluded tokens, and errors.
#include <gtest/gtest.h>
#include <tril/model/sampling.h>

#include <cmath>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

const std::vector<float> kLogits = {0, 1, -1, 1.5f};

std::vector<int> counts(const SamplingOptions& options, int draws) {
  std::vector<int> drawn(kLogits.size());
  Random random(1);
  for (int n = 0; n < draws; ++n) {
    ++drawn[static_cast<std::size_t>(sample_token({kLogits.data(), {4}}, options, random))];
  }
  return drawn;
}

// Each frequency is within four deviations of the softmax's probability.
TEST(Sampling, DrawsByTheSoftmax) {
  constexpr int kDraws = 20000;
  for (const double temperature : {0.5, 1.0, 2.0}) {
    const std::vector<int> drawn = counts({.temperature = temperature}, kDraws);
    double sum = 0;
    for (const float each : kLogits) sum += std::exp(each / temperature);
    for (std::size_t n = 0; n < kLogits.size(); ++n) {
      const double share = std::exp(kLogits[n] / temperature) / sum;
      EXPECT_NEAR(drawn[n], share * kDraws, 4 * std::sqrt(kDraws * share * (1 - share)));
    }
  }
}

TEST(Sampling, LeavesOutWhatIsUnlikely) {
  EXPECT_EQ(counts({.temperature = 0}, 9), (std::vector<int>{0, 0, 0, 9}));
  EXPECT_EQ(counts({.top_k = 1}, 9), (std::vector<int>{0, 0, 0, 9}));
  const std::vector<int> two = counts({.top_k = 2}, 1000);
  EXPECT_EQ(two[0] + two[2], 0);
  EXPECT_GT(two[1], 0);
  EXPECT_EQ(counts({.top_k = 4}, 100), counts({}, 100));
}

TEST(Sampling, HasTheDefaultsOfJavaScriptAndTheCommandLine) {
  const SamplingOptions options;
  EXPECT_EQ(options.temperature, 0.8);
  EXPECT_EQ(options.top_k, 0);
  EXPECT_EQ(options.top_p, 1);
  EXPECT_EQ(options.min_p, 0);
}

// softmax of the logits: 0.1167, 0.3173, 0.0429, 0.5231 (rounded).
TEST(Sampling, LeavesOutByProbability) {
  const auto left = [](SamplingOptions options) {
    options.temperature = 1;
    std::vector<bool> there;
    for (const int each : counts(options, 2000)) there.push_back(each > 0);
    return there;
  };
  EXPECT_EQ(left({.top_p = 0.52}), (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(left({.top_p = 0.53}), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(left({.top_p = 0.83}), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(left({.top_p = 0.85}), (std::vector<bool>{true, true, false, true}));
  EXPECT_EQ(left({.top_p = 0.99}), (std::vector<bool>{true, true, true, true}));
  // Of the three tokens that top_k keeps, the first two have 0.878.
  EXPECT_EQ(left({.top_k = 3, .top_p = 0.87}), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(left({.top_k = 3, .top_p = 0.88}), (std::vector<bool>{true, true, false, true}));
  // e^-0.5 = 0.607, e^-1.5 = 0.223, e^-2.5 = 0.082 of the largest.
  EXPECT_EQ(left({.min_p = 0.61}), (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(left({.min_p = 0.23}), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(left({.min_p = 0.08}), (std::vector<bool>{true, true, true, true}));
}

// The probabilities behind the draws, against the softmax in double.
TEST(SamplingProbabilities, AreWhatIsDrawnFrom) {
  const std::vector<SamplingOptions> all = {{.temperature = 1},
                                            {.temperature = 0.5, .top_k = 3},
                                            {.temperature = 2, .top_p = 0.8},
                                            {.temperature = 1, .min_p = 0.23},
                                            {.temperature = 1, .top_k = 3, .top_p = 0.87},
                                            {.temperature = 0}};
  for (const SamplingOptions& options : all) {
    Sampler sampler(options, 1);
    sampler.draw({kLogits.data(), {4}});
    const VectorView<const double> expected = sampler.probabilities();
    Buffer<float, 2> found({2, 4});
    const MatrixView<const float> rows(kLogits.data(), {2, 4}, {0, 1});
    sampling_probabilities(rows, options, found);
    for (Index n = 0; n < 2; ++n) {
      for (Index token = 0; token < 4; ++token) {
        EXPECT_NEAR(found.view()[n][token], expected[token], 0x1p-24);
        EXPECT_EQ(found.view()[n][token] == 0, expected[token] == 0);
      }
    }
  }
}

TEST(SamplingProbabilities, OfTokensThatAreNotExcludedAreAbove0) {
  const std::vector<float> far = {0, -300};
  Buffer<float, 2> found({1, 2});
  sampling_probabilities({far.data(), {1, 2}}, {.temperature = 1}, found);
  EXPECT_GT(found.view()[0][1], 0);
  sampling_probabilities({far.data(), {1, 2}}, {.temperature = 1, .top_k = 1}, found);
  EXPECT_EQ(found.view()[0][1], 0);
}

TEST(SamplingProbabilities, RefuseWhatDoesNotFitAndWriteNothing) {
  Buffer<float, 2> logits({2, 2}), out({2, 2}), narrow({2, 1});
  std::fill_n(out.data(), 4, 7.0f);
  const auto message = [&](const SamplingOptions& options, const MatrixView<float>& to) {
    return error_of([&] { sampling_probabilities(logits, options, to); });
  };
  EXPECT_EQ(message({.top_k = -1}, out),
            "sampling_probabilities: top_k: must be at least 0, is -1");
  EXPECT_EQ(message({}, narrow),
            "sampling_probabilities: out: shape must be [2, 2], is [2, 1]; the shape of logits");
  EXPECT_NE(message({}, logits).find("out: shares memory"), std::string::npos);
  logits.view()[1][1] = NAN;
  EXPECT_EQ(message({}, out), "sampling_probabilities: logits: are not all finite");
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(out.data()[i], 7);
}

TEST(Sampling, KeepsWhatIsAsLikely) {
  const std::vector<float> logits = {1, 2, 2, 2};
  Sampler sampler({.top_p = 0.3}, 1);
  for (int n = 0; n < 20; ++n) EXPECT_GT(sampler.draw({logits.data(), {4}}), 0);
  const VectorView<const double> left = sampler.probabilities();
  ASSERT_EQ(left.size(0), 4);
  EXPECT_EQ(left[0], 0);
  for (Index n = 1; n < 4; ++n) EXPECT_DOUBLE_EQ(left[n], 1 / 3.0);
}

// A seed draws the same tokens in every version.
TEST(Sampling, SeedsDrawTheSameTokens) {
  const auto drawn = [](std::uint64_t seed) {
    Sampler sampler({.temperature = 2, .top_p = 0.95}, seed);
    std::vector<std::int32_t> tokens;
    for (int n = 0; n < 12; ++n) tokens.push_back(sampler.draw({kLogits.data(), {4}}));
    return tokens;
  };
  EXPECT_EQ(drawn(7), drawn(7));
  EXPECT_NE(drawn(7), drawn(8));
  Random random(7);
  for (const std::int32_t token : drawn(7)) {
    EXPECT_EQ(sample_token({kLogits.data(), {4}}, {.temperature = 2, .top_p = 0.95}, random),
              token);
  }
}

TEST(Sampling, GoesOnBeyondTheContext) {
  ModelConfig config;
  config.layers = 1, config.heads = 2, config.width = 8, config.context = 4, config.vocabulary = 5;
  LanguageModel model(config, 1);
  const std::vector<std::int32_t> prompt = {1, 2};
  const auto drawn = [&](const SamplingOptions& options) {
    Random random(3);
    return generate(model, prompt, 9, options, random);
  };
  EXPECT_EQ(drawn({}).size(), 9u);
  EXPECT_EQ(drawn({}), drawn({}));
  // Greedy: each token is the most likely after the four before it.
  std::vector<std::int32_t> all = prompt;
  for (const std::int32_t token : drawn({.temperature = 0})) {
    const auto length = static_cast<Index>(std::min<std::size_t>(all.size(), 4));
    const MatrixView<const float> logits =
        model.logits({all.data() + all.size() - length, {1, length}});
    const VectorView<const float> last = logits[length - 1];
    EXPECT_EQ(std::max_element(last.data(), last.data() + 5) - last.data(), token);
    all.push_back(token);
  }
}

TEST(Sampling, RefusesWhatCannotBeDrawnFrom) {
  Random random(1);
  const auto message = [&](const SamplingOptions& options, float first = 0) {
    const std::vector<float> logits = {first, 1};
    return error_of([&] { sample_token({logits.data(), {2}}, options, random); });
  };
  EXPECT_EQ(message({.temperature = -1}),
            "sample_token: temperature: must be finite and at least 0, is -1");
  EXPECT_EQ(message({.top_k = -1}), "sample_token: top_k: must be at least 0, is -1");
  EXPECT_EQ(message({.top_p = 0}), "sample_token: top_p: must be above 0 and at most 1, is 0");
  EXPECT_EQ(message({.top_p = NAN}), "sample_token: top_p: must be above 0 and at most 1, is nan");
  EXPECT_EQ(message({.min_p = 1.5}), "sample_token: min_p: must be from 0 to 1, is 1.5");
  EXPECT_EQ(error_of([] { Sampler({.min_p = -1}); }),
            "sample_token: min_p: must be from 0 to 1, is -1");
  EXPECT_EQ(message({}, NAN), "sample_token: logits: are not all finite");
}

}  // namespace
}  // namespace tril
