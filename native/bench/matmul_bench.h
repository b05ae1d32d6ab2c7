// The benchmarks of products: their sizes and their registration.
#pragma once

#include <benchmark/benchmark.h>
#include <tril/foundation/tensor.h>

#include <functional>
#include <string>
#include <vector>

namespace tril::bench {

struct ProductSize {
  Index rows, depth, cols;

  double flops() const { return 2.0 * static_cast<double>(rows * depth * cols); }
};

// out [rows, cols] = a [rows, depth] * b [depth, cols], all contiguous.
using Multiply =
    std::function<void(const ProductSize&, const float* a, const float* b, float* out)>;

// Registers "matmul/METHOD/ROWSxDEPTHxCOLS" for every size of at most `most_flops`.
void register_products(const std::string& method, const Multiply& multiply, double most_flops);

// One line for each library that takes part, with the kernels it has chosen on this processor.
std::vector<std::string>& chosen_kernels();

// Times `call` after an uncounted first call, which takes its working memory from the system page
// by page: a third of the time of a Transformer block.
template <typename Call>
void measure(benchmark::State& state, const Call& call) {
  call();
  for (auto _ : state) {
    call();
    benchmark::ClobberMemory();
  }
}

// Registers a benchmark. On one thread it measures the thread's own time, so that other load on the
// machine counts for little; on several it measures wall-clock time.
template <typename Body>
void register_on(int threads, const std::string& name, const Body& body) {
  benchmark::internal::Benchmark* registered = benchmark::RegisterBenchmark(name.c_str(), body);
  if (threads > 1) registered->UseRealTime();
}

// Sets the counter from which the table is made.
inline void count_flops(benchmark::State& state, double flops) {
  state.counters["FLOP/s"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace tril::bench
