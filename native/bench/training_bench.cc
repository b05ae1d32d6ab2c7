// A step of training: batch, forward, backward, clipping and AdamW. nanoGPT's recipe for characters
// on a CPU, and a model seven times as large; on one thread and on two.
#include <benchmark/benchmark.h>
#include <tril/foundation/random.h>
#include <tril/model/language_model.h>
#include <tril/model/trainer.h>

#include <string>
#include <vector>

#include "matmul_bench.h"

namespace tril::bench {
namespace {

// 6 (12 L C^2 + V C) a token, and 6 L C T for causal attention.
double step_flops(const ModelConfig& config, Index tokens) {
  const auto L = static_cast<double>(config.layers), C = static_cast<double>(config.width);
  const auto V = static_cast<double>(config.vocabulary), T = static_cast<double>(config.context);
  return static_cast<double>(tokens) * (6 * (12 * L * C * C + V * C) + 6 * L * C * T);
}

void register_step(const char* name, const ModelConfig& config, Index batch, int threads) {
  const std::string full =
      std::string("training/") + name + "/" + std::to_string(threads) + "_threads";
  register_on(threads, full, [=](benchmark::State& state) {
    LanguageModel model(config, 1);
    TrainerOptions options;
    options.batch = batch;
    options.schedule.steps = 0;
    Trainer trainer(model, options);
    Random random(2);
    std::vector<std::int32_t> stream(100000);
    for (std::int32_t& each : stream) {
      each = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(config.vocabulary)));
    }
    Parallel parallel(threads);
    measure(state, [&] { trainer.step(stream, parallel); });
    const Index tokens = batch * config.context;
    count_flops(state, step_flops(config, tokens));
    state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(tokens),
                                                    benchmark::Counter::kIsIterationInvariantRate);
  });
}

const bool kRegistered = [] {
  ModelConfig recipe;  // 0.81 M parameters
  recipe.vocabulary = 65;
  ModelConfig larger;  // 5.85 M parameters
  larger.layers = 6, larger.heads = 8, larger.width = 256, larger.context = 256;
  larger.vocabulary = 4096;
  for (const int threads : {1, 2}) {
    register_step("nanogpt", recipe, 12, threads);
    register_step("larger", larger, 8, threads);
  }
  return true;
}();

}  // namespace
}  // namespace tril::bench
