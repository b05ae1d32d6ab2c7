// Nothing is allocated after the first step of training, and after a prompt: every operator new is
// counted. And reading a model takes only its parameters and a piece.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/model/decoding_session.h>
#include <tril/model/lora.h>
#include <tril/model/model_config_json.h>
#include <tril/model/model_file.h>
#include <tril/model/pretrained.h>
#include <tril/model/sampling.h>
#include <tril/model/trainer.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "core/memory_limit.h"
#include "core/sanitized.h"
#include "core/temporary_folder.h"

// The sanitizers' own operators know more about memory than these. The thread sanitizer also keeps
// its non-throwing operators, which call malloc instead of these: the header would then be missing.
#if !TRIL_SANITIZED

namespace {

std::atomic<bool> counts{false};
std::atomic<int> allocations{0};
std::atomic<int> left{-1};                  // allocations until failure; below 0: no limit
std::atomic<std::size_t> limit{0};          // bytes allowed at once; 0: no limit
std::atomic<std::size_t> live{0}, most{0};  // bytes now, and the most so far

// Precedes each allocation: its size, and the block from malloc that contains it.
struct Header {
  std::size_t bytes;
  void* block;
};
static_assert(sizeof(Header) % alignof(std::max_align_t) == 0);

// Not inlined: GCC warns if it sees free() of memory from an operator new.
[[gnu::noinline]] void release(void* memory) {
  if (!memory) return;
  const Header header = static_cast<Header*>(memory)[-1];
  live -= header.bytes;
  std::free(header.block);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (counts) ++allocations;
  if (left == 0) throw std::bad_alloc();
  if (left > 0) --left;
  if (limit > 0 && (bytes > limit || live + bytes > limit)) throw std::bad_alloc();
  alignment = std::max(alignment, alignof(std::max_align_t));
  std::size_t room = alignment + bytes;
  void* const block = std::malloc(sizeof(Header) + room);
  if (!block) throw std::bad_alloc();
  void* place = static_cast<std::byte*>(block) + sizeof(Header);
  std::align(alignment, bytes, place, room);
  static_cast<Header*>(place)[-1] = {bytes, block};
  const std::size_t now = live += bytes;
  for (std::size_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
  }
  return place;
}

}  // namespace

// The array and the non-throwing operators call these.
void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace tril {

testing::MemoryLimit::MemoryLimit(std::size_t bytes) { limit = live + bytes; }
testing::MemoryLimit::~MemoryLimit() { limit = 0; }

namespace {

int allocations_of(const auto& body) {
  allocations = 0;
  counts = true;
  body();
  counts = false;
  return allocations;
}

TEST(Allocation, IsCounted) {
  EXPECT_EQ(allocations_of([] { std::vector<int> one(100); }), 1);
  EXPECT_EQ(allocations_of([] { AlignedMemory one(100, "f", "one takes"); }), 1);
}

TEST(Parallel, WorksWithTheThreadsThatThereIsMemoryFor) {
  for (int n = 0; n < 12; ++n) {
    left = n;
    std::optional<Parallel> parallel(4);
    left = -1;
    EXPECT_GE(parallel->threads(), 1);
    EXPECT_LE(parallel->threads(), n == 0 ? 1 : 4);
    std::atomic<Index> sum{0};
    parallel->for_each(100, [&](Index item, int) { sum += item; });
    EXPECT_EQ(sum, 4950);
  }
}

TEST(Allocation, TrainingAllocatesNothingAfterItsFirstStep) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    for (const auto& [dropout, with_lora] : {std::pair(0.0, false), {0.1, false}, {0.1, true}}) {
      SCOPED_TRACE(std::string(name_of(kModelFamilies, family)) + (dropout > 0 ? " dropout" : "") +
                   (with_lora ? " lora" : ""));
      ModelConfig config = ModelConfig::of(family);
      config.layers = 3, config.heads = 4, config.kv_heads = 2, config.width = 32;
      config.context = 70, config.vocabulary = 30, config.dropout = dropout;
      LanguageModel model(config, 1);
      TrainerOptions options;
      options.batch = 3, options.accumulation = 2;
      std::optional<LoraAdapter> adapter;
      if (with_lora) adapter.emplace(model, LoraOptions{}, 1);
      Trainer trainer = adapter ? Trainer(*adapter, options) : Trainer(model, options);
      std::vector<std::int32_t> stream(1000);
      for (std::size_t i = 0; i < stream.size(); ++i) {
        stream[i] = static_cast<std::int32_t>(i * i % 30);
      }
      Parallel parallel(2);
      trainer.step(stream, parallel);
      EXPECT_EQ(allocations_of([&] {
                  for (int n = 0; n < 3; ++n) trainer.step(stream, parallel);
                }),
                0);
    }
  }
}

TEST(Allocation, DecodingAllocatesNothingPerToken) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::qwen2}) {
    SCOPED_TRACE(std::string(name_of(kModelFamilies, family)));
    ModelConfig config = ModelConfig::of(family);
    config.layers = 3, config.heads = 4, config.kv_heads = 2, config.width = 32;
    config.context = 1000, config.vocabulary = 30;
    const LanguageModel model(config, 1);
    DecodingSession session(config, model.weights());
    Parallel parallel(2);
    Scratch scratch;
    const std::vector<std::int32_t> prompt = {1, 2, 3};
    Sampler sampler({.temperature = 0.9, .top_k = 20, .top_p = 0.9, .min_p = 0.01}, 1);
    std::int32_t token = sampler.draw(session.append(prompt, {scratch, parallel}));
    EXPECT_EQ(allocations_of([&] {
                for (std::int32_t n = 3; n < 1000; ++n) {
                  token = sampler.draw(session.append({&token, 1}, {scratch, parallel}));
                }
              }),
              0);
    EXPECT_EQ(session.length(), 1000);
  }
}

// A parameter larger than a piece, both kept as it is and, with an odd width, converted; and
// parameters that memory has in another order.
TEST(Allocation, ReadingAModelTakesItsParametersAndAPiece) {
  const testing::TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  const auto write = [&](const char* name, std::span<const std::byte> bytes) {
    write_file(folder / name, {&bytes, 1});
  };
  // Names, offsets, and rows in transit.
  constexpr std::size_t kLittle = 128 << 10;
  constexpr std::size_t kPiece = ParameterReader::kPiece;
  const auto expect_reading = [&](const ModelConfig& config, ElementType type, std::size_t least,
                                  std::size_t piece) {
    SCOPED_TRACE(std::string(name_of(kModelFamilies, config.family)) + " " + element_name(type));
    {
      const LanguageModel model(config, 1);
      const std::string settings = model_config_json(config);
      const std::vector<std::byte> file = model_file(model, type);
      write("config.json", std::as_bytes(std::span(settings)));
      write("model.safetensors", file);
    }
    const std::size_t before = live;
    most = before;
    const PretrainedModel read = read_pretrained(folder);
    EXPECT_GE(read.parameters.bytes(), least);
    EXPECT_GE(most - before, read.parameters.bytes() + piece);
    EXPECT_LE(most - before, read.parameters.bytes() + piece + kLittle);
    EXPECT_LE(live - before, read.parameters.bytes() + kLittle);
  };
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    ModelConfig config = ModelConfig::of(family);
    config.layers = 3, config.heads = 4, config.width = 128;
    config.context = 70, config.vocabulary = 35000;
    for (const ElementType type :
         {ElementType::float16, ElementType::bfloat16, ElementType::float32}) {
      const bool is_gpt2 = family == ModelFamily::gpt2;
      // The largest parameter in another order is linear1 [4 C, C]; all of a Llama's are in the
      // file's order.
      const std::size_t turned = is_gpt2 ? 4 * 128 * 128 * element_size(type) : 0;
      expect_reading(config, type, 35000 * 128 * element_size(type), turned);
    }
  }
  ModelConfig odd = ModelConfig::of(ModelFamily::gpt2);
  odd.layers = 1, odd.heads = 3, odd.width = 129, odd.context = 70, odd.vocabulary = 35000;
  ASSERT_GT(35000u * 129 * 2, kPiece);
  expect_reading(odd, ElementType::float16, 35000 * 129 * 2, 4 * 129 * 129 * 2);
}

TEST(Allocation, DecodingOfNarrowWeightsAllocatesNothingPerToken) {
  ModelConfig config = ModelConfig::of(ModelFamily::gpt2);
  config.layers = 2, config.heads = 4, config.width = 32, config.context = 100;
  config.vocabulary = 30;
  const std::vector<std::byte> file = model_file(LanguageModel(config, 1), ElementType::float16);
  ModelParameters parameters(config, ParameterMemory::as_in_files);
  ParameterReader reader(parameters);
  for (const ParameterRange& place : reader.find(parse_safetensors(file))) {
    reader.read(place, std::span(file).subspan(place.begin, place.size));
  }
  DecodingSession session(parameters);
  Parallel parallel(2);
  Scratch scratch;
  const std::vector<std::int32_t> prompt = {1, 2, 3};
  session.append(prompt, {scratch, parallel});
  EXPECT_EQ(allocations_of([&] {
              for (std::int32_t n = 3; n < 100; ++n) {
                const std::int32_t token = n % 30;
                session.append({&token, 1}, {scratch, parallel});
              }
            }),
            0);
}

}  // namespace
}  // namespace tril

#endif
