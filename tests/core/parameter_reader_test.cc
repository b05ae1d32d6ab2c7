// Parameters read piece by piece equal those read at once, for any pieces; wrong orders are
// refused.
#include <gtest/gtest.h>
#include <tril/foundation/random.h>
#include <tril/model/model_file.h>
#include <tril/model/parameter_reader.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

// The width is odd if `is_odd`, so that 16-bit numbers become floats.
ModelConfig config_of(ModelFamily family, bool is_odd) {
  ModelConfig config = ModelConfig::of(family);
  config.layers = 2, config.heads = is_odd ? 3 : 4, config.kv_heads = is_odd ? 3 : 2;
  if (family == ModelFamily::gpt2) config.kv_heads = 0;
  config.width = is_odd ? 33 : 32, config.hidden = 70, config.context = 20, config.vocabulary = 91;
  return config;
}

// Reads the next `size` bytes of a parameter from a file.
void read(ParameterReader& reader, const ParameterRange& place, std::span<const std::byte> file,
          std::size_t begin, std::size_t size) {
  reader.read(place, begin, size, [&](std::span<std::byte> out) {
    std::ranges::copy(file.subspan(place.begin + begin, size), out.begin());
  });
}

// All parameters as bytes, in order.
std::vector<std::byte> bytes_of(const ModelParameters& parameters) {
  std::vector<std::byte> all;
  const auto add = [&](const void* from, std::size_t size) {
    const auto* const begin = static_cast<const std::byte*>(from);
    all.insert(all.end(), begin, begin + size);
  };
  for (const StoredParameter& each : stored_parameters(parameters.config(), parameters.layout())) {
    const Weight rows = parameters.rows_of(each);
    if (rows.format()) {
      add(rows.row(0),
          static_cast<std::size_t>(rows.size(0)) * rows.format()->row_bytes(rows.size(1)));
    } else {
      add(each.data, static_cast<std::size_t>(each.count()) * sizeof(float));
    }
  }
  return all;
}

TEST(ParameterReader, PiecesAreTheWhole) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    for (const ElementType type :
         {ElementType::float32, ElementType::float16, ElementType::bfloat16}) {
      for (const bool is_odd : {false, true}) {
        if (is_odd && family == ModelFamily::llama) continue;  // its heads are rotated in pairs
        SCOPED_TRACE(std::string(name_of(kModelFamilies, family)) + " " + element_name(type));
        const ModelConfig config = config_of(family, is_odd);
        const std::vector<std::byte> file = model_file(LanguageModel(config, 5), type);
        const auto parameters_in = [&](std::size_t most) {
          ModelParameters parameters(config, ParameterMemory::as_in_files);
          ParameterReader reader(parameters);
          Random random(7);
          for (const ParameterRange& place : reader.find(parse_safetensors(file))) {
            if (most == 0) reader.read(place, std::span(file).subspan(place.begin, place.size));
            for (std::size_t begin = 0; most > 0 && begin < place.size;) {
              const std::size_t elements = 1 + random.below(static_cast<std::uint32_t>(most));
              const std::size_t size = std::min(elements * element_size(type), place.size - begin);
              read(reader, place, file, begin, size);
              begin += size;
            }
          }
          reader.finish();
          return bytes_of(parameters);
        };
        const std::vector<std::byte> whole = parameters_in(0);
        EXPECT_FALSE(whole.empty());
        // Pieces of an element, part of a row, more than a row, and many rows.
        for (const std::size_t most : {1, 20, 200, 5000}) EXPECT_EQ(parameters_in(most), whole);
      }
    }
  }
}

TEST(ParameterReader, TakesNoMemoryBeforeAllIsFound) {
  const ModelConfig config = config_of(ModelFamily::gpt2, false);
  const std::vector<std::byte> file = model_file(LanguageModel(config, 5), ElementType::float32);
  Safetensors header = parse_safetensors(file);
  std::erase_if(header.tensors,
                [](const NamedTensor& each) { return each.name == "h.1.ln_2.weight"; });
  ModelParameters parameters(config, ParameterMemory::as_in_files);
  ParameterReader reader(parameters);
  const std::vector<ParameterRange> places = reader.find(header);
  const std::string why = "read_pretrained: h.1.ln_2.weight: is missing; its shape would be [32]";
  EXPECT_EQ(error_of([&] { reader.allocate(); }), why);
  EXPECT_EQ(error_of([&] { read(reader, places[0], file, 0, 4); }), why);
  EXPECT_EQ(parameters.bytes(), 0u);
  header = parse_safetensors(file);
  std::erase_if(header.tensors,
                [](const NamedTensor& each) { return each.name != "h.1.ln_2.weight"; });
  reader.find(header);
  reader.allocate();
  EXPECT_GT(parameters.bytes(), 0u);
}

TEST(ParameterReader, RefusesWhatIsOutOfOrder) {
  const ModelConfig config = config_of(ModelFamily::gpt2, false);
  const std::vector<std::byte> file = model_file(LanguageModel(config, 5), ElementType::float32);
  ModelParameters parameters(config, ParameterMemory::as_in_files);
  ParameterReader reader(parameters);
  const std::vector<ParameterRange> places = reader.find(parse_safetensors(file));
  const ParameterRange& first = places.front();
  ASSERT_EQ(first.parameter->name, "wte.weight");
  const auto refused = [&](std::size_t begin, std::size_t size, const std::string& why) {
    bool is_filled = false;
    EXPECT_EQ(error_of([&] { reader.read(first, begin, size, [&](auto) { is_filled = true; }); }),
              "read_pretrained: wte.weight: " + why);
    EXPECT_FALSE(is_filled);
  };
  const std::string of = " are not the next of 11648, of which ";
  refused(4, 40, "40 bytes from byte 4" + of + "11648 are to come");
  read(reader, first, file, 0, 400);
  refused(0, 40, "40 bytes from byte 0" + of + "11248 are to come");
  refused(404, 40, "40 bytes from byte 404" + of + "11248 are to come");
  refused(400, 42, "42 bytes from byte 400" + of + "11248 are to come");
  refused(400, 11252, "11252 bytes from byte 400" + of + "11248 are to come");
  EXPECT_EQ(error_of([&] { reader.finish(); }),
            "read_pretrained: wte.weight: 11248 bytes of it are missing");
  read(reader, first, file, 400, 11248);
  EXPECT_EQ(error_of([&] { reader.finish(); }),
            "read_pretrained: wpe.weight: is missing; its shape would be [20, 32]");
  for (std::size_t n = 1; n < places.size(); ++n) {
    read(reader, places[n], file, 0, places[n].size);
  }
  reader.finish();
  std::vector<float> floats(91 * 32);
  std::memcpy(floats.data(), file.data() + first.begin, floats.size() * sizeof(float));
  EXPECT_TRUE(std::ranges::equal(floats, std::span(first.parameter->data, floats.size())));
}

}  // namespace
}  // namespace tril
