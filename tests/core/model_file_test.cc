// Model files of 16 bits per number.
#include <gtest/gtest.h>
#include <tril/foundation/error.h>
#include <tril/model/model_file.h>

#include <algorithm>
#include <cmath>

namespace tril {
namespace {

ModelConfig small(ModelFamily family) {
  ModelConfig config = ModelConfig::of(family);
  config.layers = 2, config.heads = 2, config.width = 16, config.context = 8;
  config.vocabulary = 20;
  return config;
}

TEST(ModelFile, MayHaveHalfTheBytes) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    LanguageModel model(small(family), 1), other(small(family), 2);
    const std::vector<std::byte> file = model_file(model, ElementType::float16);
    std::vector<std::byte> pieces;
    const auto collect = [&](std::span<const std::byte> piece) {
      pieces.insert(pieces.end(), piece.begin(), piece.end());
    };
    write_model_file(model, collect, ElementType::float16);
    EXPECT_EQ(pieces, file);
    load_model(parse_safetensors(file), other);
    for (Index i = 0; i < model.values().size(0); ++i) {
      const float exact = model.values()[i];  // 2^-11 of it, or half of the smallest float16
      const float bound = std::max(std::ldexp(std::abs(exact), -11), std::ldexp(1.0f, -25));
      ASSERT_LE(std::abs(other.values()[i] - exact), bound);
    }
  }
}

TEST(ModelFile, RefusesWhatIsNoFloat) {
  const LanguageModel model(small(ModelFamily::gpt2), 1);
  EXPECT_THROW(model_file(model, ElementType::int8), Error);
  EXPECT_THROW(model_file(model, ElementType::float64), Error);
}

}  // namespace
}  // namespace tril
