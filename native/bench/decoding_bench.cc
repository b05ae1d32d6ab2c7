// One query against S keys, 8 heads of 64, as a token is decoded: every key and value is read once,
// so the limit is the speed at which as many bytes are read, measured in the same rounds.
#include <benchmark/benchmark.h>
#include <tril/attention/attention.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/random.h>

#include <string>

#include "matmul_bench.h"
#include "memory_kernels.h"

namespace tril {

using bench::MemoryKernels;
TRIL_DEFINE_DISPATCH(MemoryKernels, kMemory, memory_kernels)

namespace bench {

namespace {

constexpr Index kHeads = 8, kWidth = 64;

void count_bytes(benchmark::State& state, Index keys) {
  state.counters["B/s"] =
      benchmark::Counter(static_cast<double>(2 * kHeads * keys * kWidth) * sizeof(float),
                         benchmark::Counter::kIsIterationInvariantRate);
}

void register_decoding(const std::string& name, Index keys, AttentionMethod method, int threads) {
  register_on(threads, name, [=](benchmark::State& state) {
    Buffer<float, 4> query({1, kHeads, 1, kWidth}), key({1, kHeads, keys, kWidth}),
        value(key.shape()), out(query.shape());
    Random random(1);
    for (Buffer<float, 4>* each : {&query, &key, &value}) fill_normal(each->view(), random);
    Scratch scratch;
    Parallel parallel(threads);
    measure(state, [&] {
      attention(query, key, value, {.method = method}, out, {scratch, parallel});
    });
    count_bytes(state, keys);
    state.counters["scratch"] = static_cast<double>(scratch.peak());
  });
}

const bool kRegistered = [] {
  for (const Index keys : {1024, 8192}) {
    const std::string size = "/S" + std::to_string(keys);
    benchmark::RegisterBenchmark(("decoding/memory" + size).c_str(), [=](benchmark::State& state) {
      Buffer<float, 2> keys_and_values({2, kHeads * keys * kWidth});
      Random random(1);
      fill_normal(keys_and_values.view(), random);
      measure(state, [&] {
        const Index count = keys_and_values.view().count();
        benchmark::DoNotOptimize(memory_kernels(best_isa()).read(keys_and_values.data(), count));
      });
      count_bytes(state, keys);
    });
    for (const auto& [name, method] : kAttentionMethods) {
      register_decoding("decoding/" + std::string(name) + size, keys, method, 1);
    }
    register_decoding("decoding/2_threads" + size, keys, AttentionMethod::automatic, 2);
  }
  return true;
}();

}  // namespace
}  // namespace bench
}  // namespace tril
