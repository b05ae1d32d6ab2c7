// The file of a model for inference: it has the same bits when read again, whatever the types of
// its matrices.
#include <gtest/gtest.h>
#include <tril/model/model_family.h>
#include <tril/model/model_file.h>
#include <tril/model/parameter_reader.h>
#include <tril/model/parameter_writer.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden_models.h"

namespace tril {
namespace {

using testing::written;

ModelParameters read(const ModelConfig& config, std::span<const std::byte> file) {
  ModelParameters parameters(config, ParameterMemory::as_in_files);
  ParameterReader reader(parameters);
  const Safetensors stored = parse_safetensors(file);
  for (const ParameterRange& place : reader.find(stored)) {
    reader.read(place, file.subspan(place.begin, place.size));
  }
  reader.finish();
  return parameters;
}

// Sizes that are not multiples of a piece; an odd width has rows that begin at offsets that are not
// those of floats.
ModelConfig config_of(ModelFamily family, Index width) {
  ModelConfig config = ModelConfig::of(family);
  config.layers = 2, config.heads = 1, config.width = width, config.hidden = 70;
  config.context = 9, config.vocabulary = 700;
  if (family != ModelFamily::gpt2) config.heads = config.kv_heads = 2;
  return config;
}

TEST(ParameterWriter, WritesWhatWasRead) {
  for (const auto& [name, family] : kModelFamilies) {
    const bool gpt2 = family == ModelFamily::gpt2;
    for (const Index width : gpt2 ? std::vector<Index>{36, 37} : std::vector<Index>{36}) {
      const ModelConfig config = config_of(family, width);
      LanguageModel model(config, 3);
      model.weights().final_norm.weight[1] = -0.0f;
      const bool adds = detail::family_entry(family).added_to_norms != 0;
      for (const ElementType type :
           {ElementType::float32, ElementType::float16, ElementType::bfloat16}) {
        SCOPED_TRACE(std::string(element_name(type)) + " " + std::to_string(width));
        const std::vector<std::byte> file = model_file(model, type);
        const ModelParameters first = read(config, file);
        EXPECT_EQ(std::signbit(first.layout().final_norm.weight[1]), !adds);
        const std::vector<std::byte> once = written(first);
        EXPECT_EQ(once == file, type == ElementType::float32);
        const ModelParameters again = read(config, once);
        ASSERT_EQ(again.types().size(), first.types().size());
        for (std::size_t n = 0; n < first.types().size(); ++n) {
          EXPECT_EQ(again.types()[n].type, first.types()[n].type);
          EXPECT_EQ(again.types()[n].count, first.types()[n].count);
        }
        EXPECT_TRUE(written(again) == once);
        // Every number equals that of the first file.
        const Safetensors given = parse_safetensors(file), stored = parse_safetensors(once);
        ASSERT_EQ(stored.tensors.size(), given.tensors.size());
        for (const NamedTensor& each : given.tensors) {
          const StoredTensor* const found = stored.find(each.name);
          ASSERT_TRUE(found) << each.name;
          ASSERT_EQ(found->shape, each.tensor.shape);
          Index count = 1;
          for (const Index size : found->shape) count *= size;
          std::vector<float> expected(static_cast<std::size_t>(count)), actual(expected);
          read_elements(each.tensor, std::span<float>(expected));
          read_elements(*found, std::span<float>(actual));
          EXPECT_EQ(actual, expected) << each.name;
        }
      }
    }
  }
}

TEST(ParameterWriter, RefusesWhatHasNotBeenRead) {
  const ModelParameters parameters(config_of(ModelFamily::gpt2, 36), ParameterMemory::as_in_files);
  EXPECT_EQ(testing::error_of([&] { ParameterWriter{parameters}; }),
            "ParameterWriter: parameters: have not been read");
}

}  // namespace
}  // namespace tril
