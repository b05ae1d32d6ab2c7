// The initial parameters of language models, by the names of their authors' files.
#include <gtest/gtest.h>
#include <tril/model/language_model.h>
#include <tril/model/model_weights.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/small_models.h"

namespace tril {
namespace {

using testing::equal;
using testing::families;
using testing::small;

TEST(LanguageModel, IsInitialisedByItsSeed) {
  for (const ModelConfig& config : families()) {
    LanguageModel a(config, 1), b(config, 1), c(config, 2);
    EXPECT_TRUE(equal(a.values(), b.values()));
    EXPECT_FALSE(equal(a.values(), c.values()));
    EXPECT_EQ(a.weights().final_norm.weight[0], 1);
  }
  // Deviations of 0.02, and of 0.02 / sqrt(2 L) for matrices that write to the residual stream: the
  // sample deviation of n numbers is within 4 / sqrt(2 n) of it, relatively, except once in 15000
  // times.
  ModelConfig config;
  config.vocabulary = 100;
  LanguageModel model(config, 4);
  const auto expect_deviation = [](const MatrixView<float>& matrix, double expected) {
    double squares = 0;
    for (Index i = 0; i < matrix.count(); ++i) squares += matrix.data()[i] * matrix.data()[i];
    const auto count = static_cast<double>(matrix.count());
    EXPECT_NEAR(std::sqrt(squares / count) / expected, 1, 4 / std::sqrt(2 * count));
  };
  expect_deviation(model.weights().embedding, 0.02);
  expect_deviation(model.weights().layers[1].attention.in_proj_weight, 0.02);
  expect_deviation(model.weights().layers[1].linear2.weight, 0.02 / std::sqrt(8.0));
}

// nanoGPT counts 0.80 million without the positions.
TEST(LanguageModel, HasTheParametersOfItsFamily) {
  ModelConfig config;
  config.vocabulary = 65;
  const Index C = 128, layer = 4 * C + 4 * C * C + 4 * C + 8 * C * C + 5 * C;
  EXPECT_EQ(LanguageModel(config, 1).parameter_count(), 65 * C + 64 * C + 4 * layer + 2 * C);
  const LanguageModel gpt2(small(ModelFamily::gpt2), 1), llama(small(ModelFamily::llama), 1);
  const auto names = [](const LanguageModel& model) {
    std::vector<std::string> all;
    for (const StoredParameter& each : stored_parameters(model.config(), model.weights())) {
      if (each.name.find(".1.") == std::string::npos) all.push_back(each.name);
    }
    return all;
  };
  EXPECT_EQ(
      names(gpt2),
      (std::vector<std::string>{
          "wte.weight", "wpe.weight", "h.0.ln_1.weight", "h.0.ln_1.bias", "h.0.attn.c_attn.weight",
          "h.0.attn.c_attn.bias", "h.0.attn.c_proj.weight", "h.0.attn.c_proj.bias",
          "h.0.ln_2.weight", "h.0.ln_2.bias", "h.0.mlp.c_fc.weight", "h.0.mlp.c_fc.bias",
          "h.0.mlp.c_proj.weight", "h.0.mlp.c_proj.bias", "ln_f.weight", "ln_f.bias"}));
  const std::string at = "model.layers.0.";
  EXPECT_EQ(names(llama), (std::vector<std::string>{
                              "model.embed_tokens.weight", at + "input_layernorm.weight",
                              at + "self_attn.q_proj.weight", at + "self_attn.k_proj.weight",
                              at + "self_attn.v_proj.weight", at + "self_attn.o_proj.weight",
                              at + "post_attention_layernorm.weight", at + "mlp.gate_proj.weight",
                              at + "mlp.up_proj.weight", at + "mlp.down_proj.weight",
                              "model.norm.weight", "lm_head.weight"}));
  EXPECT_EQ(stored_parameters(gpt2.config(), gpt2.weights())[4].shape, (std::vector<Index>{8, 24}));
}

// Rows in the files are rows of the matrix with their number.
TEST(LanguageModel, NumbersItsMatrices) {
  for (const ModelConfig& config : families()) {
    const LanguageModel model(config, 1);
    std::vector<MatrixView<float>> matrices;
    zip_matrices(
        [&](Index number, const MatrixView<float>& matrix) {
          EXPECT_EQ(number, static_cast<Index>(matrices.size()));
          matrices.push_back(matrix);
        },
        model.weights());
    for (const StoredParameter& each : stored_parameters(config, model.weights())) {
      EXPECT_EQ(each.matrix.has_value(), each.shape.size() == 2) << each.name;
      if (!each.matrix) continue;
      const MatrixView<float>& matrix = matrices.at(static_cast<std::size_t>(*each.matrix));
      EXPECT_EQ(each.data, matrix[each.first_row].data()) << each.name;
    }
  }
}

}  // namespace
}  // namespace tril
