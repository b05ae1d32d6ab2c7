// q8_0: rows as blocks, against a reference in double; models with such matrices, against models
// with the widened numbers.
#include <gtest/gtest.h>
#include <tril/foundation/half.h>
#include <tril/foundation/random.h>
#include <tril/matmul/q8_0.h>
#include <tril/matmul/weight.h>
#include <tril/model/model_file.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/golden_logits.h"
#include "core/golden_models.h"

namespace tril {
namespace {

using testing::error_of;
using testing::expect_widened;
using testing::folder_of;
using testing::kRounding;
using testing::written;

std::vector<Q8Block> quantised(const std::vector<float>& row) {
  const auto cols = static_cast<Index>(row.size());
  std::vector<Q8Block> blocks(static_cast<std::size_t>(q8_blocks(cols)) + 1);
  std::memset(blocks.data(), 0x55, blocks.size() * sizeof(Q8Block));
  EXPECT_TRUE(quantise_q8_0(row.data(), cols, reinterpret_cast<std::byte*>(blocks.data())));
  EXPECT_EQ(blocks.back().scale, 0x5555);  // unwritten
  blocks.pop_back();
  return blocks;
}

// The definition, in double: scale = max |x| / 127 as float16, quants = x / (max |x| / 127). A
// float quant may differ only if the quotient is within its rounding of the middle between two
// quants.
void expect_quantised(const std::vector<float>& row) {
  const std::vector<Q8Block> blocks = quantised(row);
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    const std::size_t first = n * 32, end = std::min(first + 32, row.size());
    double most = 0;
    for (std::size_t i = first; i < end; ++i) most = std::max(most, std::fabs(double{row[i]}));
    const double scale = most / 127;
    // A half has 11 bits, subnormal ones steps of 2^-24.
    EXPECT_NEAR(from_half(blocks[n].scale), scale, std::max(scale * 0x1p-11, 0x1p-25) * (1 + 1e-6));
    for (std::size_t i = first; i < first + 32; ++i) {
      const int quant = blocks[n].quants[i - first];
      if (i >= end || blocks[n].scale == 0) {
        EXPECT_EQ(quant, 0);
        continue;
      }
      const double quotient = row[i] / scale;
      EXPECT_LE(std::fabs(quant - quotient), 0.5 + 4 * kRounding * 127) << row[i];
    }
  }
}

TEST(Q8, QuantsAreTheNearest) {
  Random random(1);
  for (const std::size_t cols : {1, 31, 32, 33, 64, 100}) {
    for (const float size : {1e-12f, 1e-7f, 1e-3f, 1.0f, 300.0f, 1e6f}) {
      std::vector<float> row(cols);
      for (float& each : row) each = size * random.normal();
      expect_quantised(row);
      row[0] = 0;
      expect_quantised(row);
    }
    expect_quantised(std::vector<float>(cols));
  }
}

// With a largest number of 127 the scale is 1, and all is exact; halves are rounded away from 0.
TEST(Q8, HalvesAreRoundedAwayFromZero) {
  const std::vector<Q8Block> blocks =
      quantised({127, 0.5f, -0.5f, 1.5f, -2.5f, 126.5f, 0.49f, -0.0f});
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(from_half(blocks[0].scale), 1);
  const int expected[] = {127, 1, -1, 2, -3, 127, 0, 0};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(blocks[0].quants[i], expected[i]) << i;
}

// Quantising the widened numbers gives the same blocks again.
TEST(Q8, IsKeptWhenItIsDoneTwice) {
  Random random(2);
  std::vector<float> row(96);
  for (float& each : row) each = random.normal();
  const std::vector<Q8Block> once = quantised(row);
  std::vector<float> stood_for(row.size());
  const auto* const bytes = reinterpret_cast<const std::byte*>(once.data());
  weight_format(WeightKind::q8_0).widen(bytes, 0, 96, stood_for.data());
  const std::vector<Q8Block> twice = quantised(stood_for);
  EXPECT_EQ(std::memcmp(once.data(), twice.data(), once.size() * sizeof(Q8Block)), 0);
}

TEST(Q8, RefusesWhatItDoesNotHold) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float wrong : {kInfinity, -kInfinity, std::nanf(""), 127 * 65520.0f, -1e30f}) {
    std::vector<float> row(40);
    row[35] = wrong;
    std::byte out[2 * sizeof(Q8Block)];
    EXPECT_FALSE(quantise_q8_0(row.data(), 40, out)) << wrong;
  }
  expect_quantised({127 * 65504.0f, 1});
}

constexpr const char* kFamilies[] = {"gpt2",    "llama",      "qwen2",   "qwen3",  "mistral",
                                     "olmo2",   "gpt_neox",   "phi3",    "gemma2", "gemma3_text",
                                     "smollm3", "starcoder2", "stablelm"};

TEST(Q8, ModelsAreThoseOfTheNumbersItStandsFor) {
  for (const char* const name : kFamilies) {
    SCOPED_TRACE(name);
    const PretrainedModel model =
        read_pretrained(folder_of(name), {.weights = ParameterMemory::q8_0});
    Index quantised = 0, all = 0;
    for (const auto& [type, count] : model.parameters.types()) {
      all += count;
      if (type == WeightKind::q8_0) quantised = count;
    }
    EXPECT_GT(quantised, all / 2);
    expect_widened(model.parameters.config(), model.parameters, name);
  }
}

// Files of any type in any pieces, stacked and transposed matrices, heads in another order: each
// row in memory is the quantised row of the file.
TEST(Q8, FilesAreQuantisedRowByRow) {
  for (const ModelFamily family :
       {ModelFamily::gpt2, ModelFamily::llama, ModelFamily::gpt_neox, ModelFamily::phi3}) {
    ModelConfig config = ModelConfig::of(family);
    config.layers = 2, config.heads = 4, config.kv_heads = 4, config.width = 48;
    config.hidden = 70, config.context = 12, config.vocabulary = 91;
    const LanguageModel model(config, 5);
    for (const ElementType type :
         {ElementType::float32, ElementType::float16, ElementType::bfloat16}) {
      SCOPED_TRACE(std::string(name_of(kModelFamilies, family)) + " " + element_name(type));
      const std::vector<std::byte> file = model_file(model, type);
      ModelParameters floats(config);
      const auto read = [&](ModelParameters& parameters, std::size_t elements) {
        ParameterReader reader(parameters);
        for (const ParameterRange& place : reader.find(parse_safetensors(file))) {
          for (std::size_t begin = 0; begin < place.size;) {
            const std::size_t size = std::min(elements * element_size(type), place.size - begin);
            reader.read(place, begin, size, [&](std::span<std::byte> out) {
              std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(place.begin + begin), size,
                          out.begin());
            });
            begin += size;
          }
        }
        reader.finish();
      };
      read(floats, 1 << 20);
      for (const std::size_t elements : {1 << 20, 1000, 7}) {
        ModelParameters parameters(config, ParameterMemory::q8_0);
        read(parameters, elements);
        zip_parameters(
            [&](const ParameterName& name, const auto& weight, const auto& expected) {
              if constexpr (requires { weight.kind(); }) {
                if (!weight) return;
                const bool looked_up = name.text() == "positions";
                ASSERT_EQ(weight.kind() == WeightKind::q8_0, !looked_up) << name.text();
                if (looked_up) return;
                const Index cols = weight.size(1);
                const std::size_t size = weight.format()->row_bytes(cols);
                std::vector<std::byte> row(size);
                for (Index n = 0; n < weight.size(0); ++n) {
                  ASSERT_TRUE(quantise_q8_0(expected[n].data(), cols, row.data()));
                  ASSERT_EQ(std::memcmp(row.data(), weight.row(n), size), 0) << name.text();
                }
              }
            },
            parameters.weights(), floats.floats());
        // Written as floats and read again, it is the same.
        const std::vector<std::byte> once = written(parameters);
        ModelParameters again(config, ParameterMemory::q8_0);
        ParameterReader reader(again);
        for (const ParameterRange& place : reader.find(parse_safetensors(once))) {
          reader.read(place, std::span(once).subspan(place.begin, place.size));
        }
        reader.finish();
        EXPECT_TRUE(written(again) == once);
      }
    }
  }
}

TEST(Q8, FilesWithNumbersItDoesNotHoldAreRefused) {
  ModelConfig config = ModelConfig::of(ModelFamily::llama);
  config.layers = 1, config.heads = 2, config.width = 16, config.vocabulary = 30;
  LanguageModel model(config, 5);
  model.weights().layers[0].linear1.weight[3][5] = std::nanf("");
  const std::vector<std::byte> file = model_file(model, ElementType::float32);
  ModelParameters parameters(config, ParameterMemory::q8_0);
  ParameterReader reader(parameters);
  const std::string why = error_of([&] {
    for (const ParameterRange& place : reader.find(parse_safetensors(file))) {
      reader.read(place, std::span(file).subspan(place.begin, place.size));
    }
  });
  EXPECT_EQ(
      why,
      "read_pretrained: model.layers.0.mlp.gate_proj.weight: holds a number that is not finite, or "
      "too large for q8_0, whose scales are float16");
  EXPECT_EQ(error_of([&] { parameters.floats(); }),
            "ModelParameters: embedding: must be float32, is q8_0");
}

}  // namespace
}  // namespace tril
