// The config files of masked models, which other libraries must not mistake for causal ones.
#include <gtest/gtest.h>
#include <tril/model/model_config_json.h>
#include <tril/model/training_text.h>

#include <string>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

// Other libraries know models of these types, and would hide later tokens.
TEST(ModelConfigJson, AMaskedModelHasATypeOfItsOwn) {
  for (const auto& [name, family] : kModelFamilies) {
    ModelConfig config = ModelConfig::of(family);
    config.vocabulary = 77;
    TrainerOptions options;
    set_objective(TrainingObjective::masked, config, options);
    const std::string own = "\"model_type\": \"tril-masked-" + std::string(name) + "\"";
    std::string text = model_config_json(config);
    EXPECT_NE(text.find(own), text.npos) << text;
    EXPECT_NE(text.find("[\"TrilForMaskedLM\"]"), text.npos) << text;
    EXPECT_FALSE(parse_model_config(text).config.causal);
    // Earlier versions wrote the family's type.
    std::string earlier = text;
    earlier.replace(earlier.find(own), own.size(), "\"model_type\": \"" + std::string(name) + "\"");
    EXPECT_TRUE(parse_model_config(earlier).config == parse_model_config(text).config);
    const std::string key = "\"tril_causal\": false";
    text.replace(text.find(key), key.size(), "\"tril_causal\": true");
    EXPECT_EQ(
        error_of([&] { parse_model_config(text); }),
        "parse_model_config: tril_causal: must be false in a tril-masked-" + std::string(name));
  }
}

}  // namespace
}  // namespace tril
