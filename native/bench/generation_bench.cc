// A model of llama2.c's kind (Karpathy 2023) token by token: 6 layers of 8 heads, 256 wide, a
// vocabulary of 4096, 5.8 M parameters; 128 tokens behind a prompt of 128. Each token reads all
// matrices but the embedding once, so the limit is the speed at which as many bytes are read,
// measured in the same rounds.
#include <benchmark/benchmark.h>
#include <tril/foundation/random.h>
#include <tril/model/decoding_session.h>
#include <tril/model/pretrained.h>

#include <span>
#include <string>
#include <vector>

#include "matmul_bench.h"
#include "memory_kernels.h"

namespace tril {
namespace bench {
namespace {

constexpr Index kPrompt = 128, kTokens = 128;

ModelConfig config() {
  ModelConfig config = ModelConfig::of(ModelFamily::llama);
  config.layers = 6, config.heads = 8, config.width = 256;
  config.context = kPrompt + kTokens, config.vocabulary = 4096;
  config.tied_head = true;
  return config;
}

// Of all matrices that a token is multiplied with; the embedding, of which it reads a row, is the
// head as well.
double bytes_a_token(const ModelParameters& parameters) {
  return static_cast<double>(parameter_count(parameters.weights())) * sizeof(float);
}

void count(benchmark::State& state, double bytes, double tokens) {
  state.counters["B/s"] =
      benchmark::Counter(bytes * tokens, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["tokens/s"] =
      benchmark::Counter(tokens, benchmark::Counter::kIsIterationInvariantRate);
}

std::vector<std::int32_t> prompt() {
  std::vector<std::int32_t> ids;
  for (std::int32_t n = 0; n < kPrompt; ++n) ids.push_back(n * n % 4096);
  return ids;
}

// A model that has just been made, and a session with it.
struct Session {
  explicit Session(int threads) : parallel(threads) {
    initialise_model(config(), parameters.weights(), 1);
  }
  VectorView<const float> append(std::span<const std::int32_t> tokens) {
    return session.append(tokens, scratch, parallel);
  }

  ModelParameters parameters{config()};
  DecodingSession session{config(), parameters.weights()};
  Scratch scratch;
  Parallel parallel;
};

// Only what follows the prompt is timed: each round goes back to where it ended.
void generate(benchmark::State& state, int threads) {
  Session model(threads);
  model.append(prompt());
  measure(state, [&] {
    model.session.set_length(kPrompt);
    for (std::int32_t n = 0; n < kTokens; ++n) {
      benchmark::DoNotOptimize(model.append({&n, 1}));
    }
  });
  count(state, bytes_a_token(model.parameters), kTokens);
}

void prefill(benchmark::State& state, int threads) {
  Session model(threads);
  const std::vector<std::int32_t> first = prompt();
  measure(state, [&] {
    model.session.set_length(0);
    benchmark::DoNotOptimize(model.append(first));
  });
  // Two operations a parameter and token, but that only the last token's logits are computed.
  const double head = static_cast<double>(config().vocabulary * config().width);
  const double all = static_cast<double>(parameter_count(model.parameters.weights()));
  count_flops(state, 2 * ((all - head) * kPrompt + head));
}

const bool kRegistered = [] {
  benchmark::RegisterBenchmark("generation/memory", [](benchmark::State& state) {
    const ModelParameters parameters(config());
    const auto floats = static_cast<Index>(bytes_a_token(parameters)) / Index{sizeof(float)};
    Buffer<float, 1> weights({floats});
    measure(state, [&] {
      benchmark::DoNotOptimize(memory_kernels(best_isa()).read(weights.data(), floats));
    });
    count(state, bytes_a_token(parameters), 1);
  });
  for (const int threads : {1, 2}) {
    const std::string name = threads == 1 ? "generation/" : "generation/2_threads_";
    register_on(threads, name + "prompt128",
                [=](benchmark::State& state) { prefill(state, threads); });
    register_on(threads, name + "tokens128",
                [=](benchmark::State& state) { generate(state, threads); });
  }
  return true;
}();

}  // namespace
}  // namespace bench
}  // namespace tril
