// The gradients of small models of each family against those of PyTorch in float64
// (tests/golden/make_models.py and make_families.py): layers with every option that a family uses.
#include <gtest/gtest.h>
#include <tril/model/language_model.h>
#include <tril/model/pretrained.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/golden_logits.h"
#include "core/golden_models.h"
#include "core/model_gradient_reference.h"

namespace tril {
namespace {

using testing::Bounded;
using testing::golden;
using testing::Values;

constexpr Index kTokens = 10;      // of the text, more than a window of 7
constexpr std::size_t kEvery = 7;  // one in so many numbers is compared
// Gemma 3 normalises heads, inputs and outputs of its sublayers: its bounds are twice as wide as
// those of others.
constexpr double kLooseness = 3e-3;

class ModelGradients : public ::testing::TestWithParam<const char*> {};

TEST_P(ModelGradients, ArePyTorchs) {
  const std::string name = GetParam();
  LanguageModel model(read_pretrained(testing::folder_of(name)).parameters);
  const std::vector<std::int32_t> text = testing::golden_tokens();
  const std::vector<std::int32_t> ids(text.begin(), text.begin() + kTokens);
  const std::vector<std::int32_t> targets(text.begin() + 1, text.begin() + 1 + kTokens);
  Values<Bounded> bounded = testing::bounded_gradients(model, 1, ids, targets, 1, kEvery);
  const double loss =
      model.accumulate({ids.data(), {1, kTokens}}, {targets.data(), {1, kTokens}}, {}).sum;
  EXPECT_NEAR(loss, bounded[0].value, bounded[0].error);
  bounded.erase(bounded.begin());

  const Values<double> expected = testing::elements(golden<1>("models/" + name + "/gradients"));
  ASSERT_EQ(bounded.size(), expected.size());
  double largest = 0;
  for (std::size_t i = 0; i < bounded.size(); ++i) {
    const double stored = testing::kRounding * std::fabs(expected[i]);
    ASSERT_NEAR(expected[i], bounded[i].value, stored + testing::two_in_double(bounded[i].error))
        << "at " << kEvery * i;
    bounded[i] = {expected[i], bounded[i].error + stored};
    largest = std::fmax(largest, std::fabs(expected[i]));
  }
  EXPECT_GT(largest, 0.1);
  Values<double> all;
  for (const auto& [parameter, table] :
       testing::model_tables<double>(model.config(), model.gradients())) {
    all.insert(all.end(), table.values.begin(), table.values.end());
  }
  testing::expect_bounded(bounded, testing::sampled(all, kEvery), name.c_str(), kLooseness);
}

INSTANTIATE_TEST_SUITE_P(Each, ModelGradients,
                         ::testing::Values("gpt2", "llama", "llama_kin", "qwen2", "qwen3",
                                           "mistral", "olmo2", "gpt_neox", "phi3", "gemma2",
                                           "gemma3_text", "stablelm", "starcoder2", "smollm3"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace tril
