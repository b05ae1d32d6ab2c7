// The losses of a text: against the uncached model in the windows that the header describes, and
// wrong input.
#include <gtest/gtest.h>
#include <tril/foundation/random.h>
#include <tril/model/evaluation.h>
#include <tril/model/model_file.h>
#include <tril/model/parameter_reader.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;
using Ids = std::vector<std::int32_t>;

// A model in training, and the same model for inference.
struct Case {
  LanguageModel trained;
  ModelParameters parameters;
  Scratch scratch;
  Parallel parallel;

  static ModelConfig config(Index context, bool causal = true) {
    ModelConfig config = ModelConfig::of(ModelFamily::llama);
    config.layers = 2, config.heads = 2, config.width = 16, config.context = context;
    config.vocabulary = 13, config.causal = causal;
    return config;
  }
  explicit Case(const ModelConfig& config, int threads = 1)
      : trained(config, 1), parameters(config), parallel(threads) {
    Random random(2);
    const VectorView<float> values = trained.values();
    for (Index i = 0; i < values.size(0); ++i) values[i] += 0.3f * random.normal();
    ParameterReader reader(parameters);
    const std::vector<std::byte> file = model_file(trained);
    for (const ParameterRange& place : reader.find(parse_safetensors(file))) {
      reader.read(place, std::span(file).subspan(place.begin, place.size));
    }
    reader.finish();
  }
  // The loss of a token after others, by the uncached model, and whether it is the most likely
  // token.
  std::pair<double, bool> loss(const Ids& seen, std::int32_t token) {
    const auto count = static_cast<Index>(seen.size());
    const VectorView<const float> last =
        trained.logits({seen.data(), {1, count}}, {scratch, parallel})[count - 1];
    double sum = 0;
    bool is_first = true;
    for (Index v = 0; v < 13; ++v) {
      sum += std::exp(static_cast<double>(last[v]) - last[token]);
      is_first = is_first && (last[v] < last[token] || v == token);
    }
    return {std::log(sum), is_first};
  }
  std::vector<float> losses(const Ids& tokens, ModelLoss& found) {
    std::vector<float> losses(tokens.size() - 1);
    found = evaluate_text(parameters, tokens, {losses.data(), {static_cast<Index>(losses.size())}},
                          {scratch, parallel});
    return losses;
  }
};

Ids text(std::size_t count) {
  Ids ids;
  for (std::size_t n = 0; n < count; ++n) ids.push_back(static_cast<std::int32_t>(n * n * 7 % 13));
  return ids;
}

TEST(Evaluation, IsThatOfTheUncachedModelInEachWindow) {
  for (const Index context : {1, 5, 16, 100}) {
    Case c(Case::config(context));
    for (const std::size_t length : {2u, 3u, 16u, 17u, 18u, 60u, 150u}) {
      SCOPED_TRACE(std::to_string(context) + " " + std::to_string(length));
      const Ids ids = text(length);
      ModelLoss found;
      const std::vector<float> losses = c.losses(ids, found);
      double sum = 0;
      Index correct = 0;
      for (std::size_t n = 0; n + 1 < length; ++n) {
        // A window forgets all but half of the context, rounded down.
        const auto K = static_cast<std::size_t>(context), moved = K - K / 2;
        const std::size_t begin = n < K ? 0 : ((n - K) / moved + 1) * moved;
        const Ids seen(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                       ids.begin() + static_cast<std::ptrdiff_t>(n) + 1);
        ASSERT_GE(seen.size(), std::min(n + 1, K / 2));
        const auto [loss, is_first] = c.loss(seen, ids[n + 1]);
        EXPECT_NEAR(losses[n], loss, 2e-5 * (1 + loss));
        sum += loss;
        correct += is_first;
      }
      EXPECT_EQ(found.counted, static_cast<Index>(length) - 1);
      EXPECT_EQ(found.correct, correct);
      EXPECT_NEAR(found.sum, sum, 2e-5 * sum);
    }
  }
}

TEST(Evaluation, HasTheSameBitsOnAnyNumberOfThreads) {
  const Ids ids = text(90);
  ModelLoss one, three;
  Case single(Case::config(16)), several(Case::config(16), 3);
  EXPECT_EQ(single.losses(ids, one), several.losses(ids, three));
  EXPECT_EQ(one.sum, three.sum);
}

TEST(Evaluation, RefusesWhatItCannotForetellBeforeItWrites) {
  Case c(Case::config(4));
  const auto refused = [](Case& of, const Ids& tokens, std::size_t count) {
    std::vector<float> losses(count, 7);
    const VectorView<float> view(losses.data(), {static_cast<Index>(count)});
    const std::string message = error_of([&] {
      evaluate_text(of.parameters, tokens, view, {of.scratch, of.parallel});
    });
    EXPECT_EQ(losses, std::vector<float>(count, 7));
    return message;
  };
  EXPECT_EQ(refused(c, {}, 1),
            "evaluate: tokens: must be at least 2, one to predict from another, are 0");
  EXPECT_EQ(refused(c, {3}, 1),
            "evaluate: tokens: must be at least 2, one to predict from another, are 1");
  Ids wrong = text(30);
  wrong.back() = 13;
  EXPECT_EQ(refused(c, wrong, 29), "evaluate: tokens: 13 at 29 is outside the vocabulary (0..12)");
  EXPECT_NE(refused(c, text(5), 5).find("evaluate: losses: "), std::string::npos);
  Case both_ways(Case::config(4, false));
  EXPECT_EQ(refused(both_ways, text(3), 2),
            "evaluate: config: is not causal, so it predicts no token from those before it");
  ModelLoss found;
  EXPECT_EQ(c.losses(text(5), found).size(), 4u);
}

}  // namespace
}  // namespace tril
