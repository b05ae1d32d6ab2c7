// Word vectors: words of the text a second, including omitted and subsampled ones, as word2vec.c
// counts them. Its settings: 100 wide, windows of 5 to each side, 5 words drawn at random, a sample
// of 1e-3.
//
//     tril_bench --benchmark_filter=vectors --benchmark_repetitions=9
//         --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>
#include <tril/model/word_vector_trainer.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "made_up_text.h"
#include "matmul_bench.h"

namespace tril::bench {
namespace {

// An epoch of it is about a million words.
constexpr std::size_t kBytes = 6 << 20;

void learn(benchmark::State& state, int threads) {
  const std::string text = made_up_text(kBytes, 2);
  WordVectorTrainer trainer(read_words(std::vector<std::string_view>{text}), {});
  Parallel parallel(threads);
  trainer.step(parallel);
  std::int64_t words = 0;
  for (auto _ : state) words += trainer.step(parallel).words;
  state.counters["words/s"] =
      benchmark::Counter(static_cast<double>(words), benchmark::Counter::kIsRate);
}

const bool kRegistered = [] {
  for (const int threads : {1, 2}) {
    const std::string name = threads == 1 ? "vectors/learn" : "vectors/2_threads_learn";
    register_on(threads, name, [=](benchmark::State& state) { learn(state, threads); });
  }
  return true;
}();

}  // namespace
}  // namespace tril::bench
