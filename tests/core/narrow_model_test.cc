// Models with 16-bit numbers in their files: they compute the same as with the same numbers as
// floats, bit for bit, and take the memory of the files.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/foundation/saved_memory.h>
#include <tril/model/decoding_session.h>
#include <tril/model/language_model.h>
#include <tril/model/model_file.h>
#include <tril/model/parameter_writer.h>
#include <tril/model/pretrained.h>

#include <string>
#include <vector>

#include "core/compare.h"
#include "core/small_models.h"

namespace tril {
namespace {

using testing::equal;
using testing::error_of;

constexpr ElementType kTypes[] = {ElementType::float16, ElementType::bfloat16};

ModelConfig tested(ModelFamily family, bool tied) {
  ModelConfig config = ModelConfig::of(family);
  config.layers = 2, config.heads = 4, config.kv_heads = family == ModelFamily::gpt2 ? 4 : 2;
  config.width = 48, config.hidden = 70, config.context = 40, config.vocabulary = 91;
  config.tied_head = tied;
  return config;
}

// Fills parameters from one or several files.
void read(const std::vector<std::vector<std::byte>>& files, ModelParameters& parameters) {
  ParameterReader reader(parameters);
  std::vector<std::vector<ParameterRange>> places;
  for (const auto& file : files) places.push_back(reader.find(parse_safetensors(file)));
  for (std::size_t n = 0; n < files.size(); ++n) {
    for (const ParameterRange& each : places[n]) {
      reader.read(each, std::span(files[n]).subspan(each.begin, each.size));
    }
  }
  reader.finish();
}

// A model with the types of its file, and the same numbers as floats.
struct Both {
  ModelParameters narrow, floats;

  Both(const ModelConfig& config, ElementType type)
      : narrow(config, ParameterMemory::as_in_files), floats(config) {
    const LanguageModel model(config, 3);
    const std::vector<std::byte> file = model_file(model, type);
    read({file}, narrow);
    read({file}, floats);
  }
};

std::vector<std::int32_t> ids(Index count) {
  std::vector<std::int32_t> ids;
  for (std::int32_t n = 0; n < count; ++n) ids.push_back((n * n + 5 * n + 1) % 91);
  return ids;
}

TEST(NarrowModel, LogitsAreThoseOfFloats) {
  for (const ElementType type : kTypes) {
    for (const auto& [name, family] : kModelFamilies) {
      for (const bool tied : {true, false}) {
        SCOPED_TRACE(std::string(element_name(type)) + " " +
                     std::string(name_of(kModelFamilies, family)) + (tied ? " tied" : ""));
        const Both both(tested(family, tied), type);
        for (const int threads : {1, 3}) {
          Scratch scratch;
          Parallel parallel(threads);
          DecodingSession narrow(both.narrow), floats(both.floats);
          // All at once, a few at a time, and one by one.
          for (const Index piece : {Index{40}, Index{5}, Index{1}}) {
            narrow.set_length(0), floats.set_length(0);
            for (Index first = 0; first < 40; first += piece) {
              const std::vector<std::int32_t> all = ids(40);
              const auto some = std::span(all).subspan(static_cast<std::size_t>(first),
                                                       static_cast<std::size_t>(piece));
              Buffer<float, 2> expected({piece, 91}), actual({piece, 91});
              floats.append(some, expected, {scratch, parallel});
              narrow.append(some, actual, {scratch, parallel});
              ASSERT_TRUE(equal(expected, actual)) << piece << " at " << first;
            }
          }
        }
      }
    }
  }
}

TEST(NarrowModel, CanBeOpenedAndChanged) {
  const ModelConfig config = tested(ModelFamily::llama, true);
  const Both both(config, ElementType::bfloat16);
  const std::vector<std::int32_t> tokens = ids(7);
  const auto run = [&](const ModelParameters& parameters, const Interventions& changes,
                       const MatrixView<float>& lens) {
    DecodingSession session(parameters);
    session.set_changes(changes);
    Buffer<float, 1> memory;
    const ModelTrace trace =
        saved_in(memory, [&](SavedMemory& place) { return model_trace(config, 7, 0, place); });
    Buffer<float, 2> logits({7, 91});
    session.append(tokens, logits, {}, trace);
    session.read_out(trace.layers[0].resid_post, lens);
    return memory;
  };
  Buffer<float, 1> value({config.head_width()});
  Interventions head;
  head.heads = {{1, 2, 3, value.view()}, {0, 1, -1, {}}};
  Interventions layer;
  layer.without_layers = {0};
  for (const Interventions& changes : {Interventions(), head, layer}) {
    Buffer<float, 2> expected({7, 91}), actual({7, 91});
    const auto all = run(both.floats, changes, expected), same = run(both.narrow, changes, actual);
    EXPECT_TRUE(equal(all, same));
    EXPECT_TRUE(equal(expected, actual));
  }
}

TEST(NarrowModel, TakesWhatItsFileTakes) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    const ModelConfig config = tested(family, false);
    Index matrices = 0, vectors = 0, count = 0;
    const LanguageModel model(config, 3);
    for_each_parameter(model.weights(), [&](const ParameterName&, const auto& view) {
      if (!view) return;
      (view.shape().size() == 2 ? matrices : vectors) += view.count();
      ++count;
    });
    for (const ElementType type : kTypes) {
      const Both both(config, type);
      const std::size_t least = static_cast<std::size_t>(2 * matrices + 4 * vectors);
      // At most one more cache line for each.
      const std::size_t most = least + static_cast<std::size_t>(count) * 64;
      EXPECT_GE(both.narrow.bytes(), least);
      EXPECT_LE(both.narrow.bytes(), most);
      const std::vector<NumbersOfType> types = both.narrow.types();
      ASSERT_EQ(types.size(), 2u);
      EXPECT_EQ(types[0].type, WeightKind::float32);
      EXPECT_EQ(types[0].count, vectors);
      EXPECT_EQ(stored_type(types[1].type), type);
      EXPECT_EQ(types[1].count, matrices);
      EXPECT_EQ(
          error_of([&] { both.narrow.floats(); }),
          "ModelParameters: embedding: must be float32, is " + std::string(element_name(type)));
    }
    const Both floats(config, ElementType::float32);
    EXPECT_EQ(floats.narrow.bytes(), floats.floats.bytes());
    EXPECT_EQ(floats.narrow.types().size(), 1u);
  }
  const ModelParameters unread(tested(ModelFamily::gpt2, true), ParameterMemory::as_in_files);
  EXPECT_EQ(unread.bytes(), 0u);
  EXPECT_EQ(error_of([&] { unread.floats(); }), "ModelParameters: floats: have not been read");
}

// Queries of one type and keys of another, stacked in one matrix, become floats.
TEST(NarrowModel, MixedFilesAreRead) {
  const ModelConfig config = tested(ModelFamily::qwen2, true);
  const LanguageModel model(config, 3);
  ModelParameters rounded(config), mixed(config, ParameterMemory::as_in_files);
  std::vector<std::vector<std::byte>> files(3);
  const auto parameters = stored_parameters(config, model.weights());
  constexpr ElementType kEach[] = {ElementType::float16, ElementType::bfloat16,
                                   ElementType::float32};
  std::vector<TensorToStore> tensors[3];
  for (const StoredParameter& each : parameters) {
    const auto is = [&](const char* part) { return each.name.find(part) != each.name.npos; };
    const std::size_t which = is("mlp") || is("k_proj") ? 0 : is("self_attn") ? 1 : 2;
    const ElementType type = kEach[which];
    tensors[which].push_back(
        {each.name, each.shape, {each.data, static_cast<std::size_t>(each.count())}, type});
  }
  for (std::size_t n = 0; n < 3; ++n) files[n] = safetensors_bytes(tensors[n]);
  read(files, rounded);
  read(files, mixed);
  EXPECT_EQ(mixed.types().size(), 3u);
  Buffer<float, 2> expected({20, 91}), actual({20, 91});
  DecodingSession(rounded).append(ids(20), expected);
  DecodingSession(mixed).append(ids(20), actual);
  EXPECT_TRUE(equal(expected, actual));
}

// Rows that begin at offsets that are not those of floats.
TEST(NarrowModel, OddWidthsAreRead) {
  ModelConfig config = tested(ModelFamily::gpt2, true);
  config.heads = config.kv_heads = 3, config.width = 45, config.hidden = 71;
  const Both both(config, ElementType::float16);
  Buffer<float, 2> expected({9, 91}), actual({9, 91});
  DecodingSession(both.floats).append(ids(9), expected);
  DecodingSession(both.narrow).append(ids(9), actual);
  EXPECT_TRUE(equal(expected, actual));
  ASSERT_EQ(both.narrow.types().size(), 2u);
  EXPECT_EQ(both.narrow.types()[1].type, WeightKind::float16);
}

}  // namespace
}  // namespace tril
