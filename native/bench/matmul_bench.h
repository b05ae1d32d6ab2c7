// What the benchmarks of products share: the sizes, and how one is registered.
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

// A line for each library that takes part, with the kernels that it has chosen on this processor.
std::vector<std::string>& chosen_kernels();

// Times `call`, after a first one that is not counted: it takes its working memory from the system,
// page by page, which would be a third of the time of a Transformer block.
template <typename Call>
void measure(benchmark::State& state, const Call& call) {
  call();
  for (auto _ : state) {
    call();
    benchmark::ClobberMemory();
  }
}

// Registers a benchmark: on one thread by the thread's own time, so that what else the machine does
// counts for little; on several by the clock, since they take their time beside it.
template <typename Body>
void register_on(int threads, const std::string& name, const Body& body) {
  benchmark::internal::Benchmark* registered = benchmark::RegisterBenchmark(name.c_str(), body);
  if (threads > 1) registered->UseRealTime();
}

// Sets the counter that the table is made of.
inline void count_flops(benchmark::State& state, double flops) {
  state.counters["FLOP/s"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace tril::bench
