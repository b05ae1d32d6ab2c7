// After the first step of training, and after a prompt, nothing is allocated: every operator new is
// counted.
#include <gtest/gtest.h>
#include <tril/model/decoding_session.h>
#include <tril/model/sampling.h>
#include <tril/model/trainer.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

// The sanitizer's own operators know more about memory than these.
#if !defined(__SANITIZE_ADDRESS__)

namespace {

std::atomic<bool> counts{false};
std::atomic<int> allocations{0};

// Not inlined: GCC warns where it sees free() get what an operator new gave.
[[gnu::noinline]] void release(void* memory) { std::free(memory); }

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (counts) ++allocations;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = alignment > alignof(std::max_align_t)
                           ? std::aligned_alloc(alignment, whole > 0 ? whole : alignment)
                           : std::malloc(bytes > 0 ? bytes : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Those for arrays and those that do not throw call these.
void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace tril {
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
  EXPECT_EQ(allocations_of([] { AlignedMemory one(100); }), 1);
}

TEST(Allocation, TrainingAllocatesNothingAfterItsFirstStep) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    for (const double dropout : {0.0, 0.1}) {
      SCOPED_TRACE(std::string(name_of(kModelFamilies, family)) + (dropout > 0 ? " dropout" : ""));
      ModelConfig config = ModelConfig::of(family);
      config.layers = 3, config.heads = 4, config.kv_heads = 2, config.width = 32;
      config.context = 70, config.vocabulary = 30, config.dropout = dropout;
      LanguageModel model(config, 1);
      TrainerOptions options;
      options.batch = 3, options.accumulation = 2;
      Trainer trainer(model, options);
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
    std::int32_t token = sampler.draw(session.append(prompt, scratch, parallel));
    EXPECT_EQ(allocations_of([&] {
                for (std::int32_t n = 3; n < 1000; ++n) {
                  token = sampler.draw(session.append({&token, 1}, scratch, parallel));
                }
              }),
              0);
    EXPECT_EQ(session.length(), 1000);
  }
}

}  // namespace
}  // namespace tril

#endif
