// Runs all benchmarks in turns, eleven rounds, so that other load on the machine affects all of
// them alike. Google Benchmark's own flags come after ours and win:
//
//   tril_bench --benchmark_filter='peak|matmul/.*/(64|256)x'
//   tril_bench --benchmark_filter='peak|tile_sweep'
//   tril_bench --benchmark_out=products.json --benchmark_out_format=json
//   tril_bench --kernels       which kernels each library runs here
#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "matmul_bench.h"
#include "table_reporter.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--kernels") {
    for (const std::string& line : tril::bench::chosen_kernels()) std::puts(line.c_str());
    return 0;
  }
  std::array<char*, 3> ours = {const_cast<char*>("--benchmark_repetitions=11"),
                               const_cast<char*>("--benchmark_enable_random_interleaving=true"),
                               const_cast<char*>("--benchmark_min_time=0.02")};
  std::vector<char*> arguments = {argv[0]};
  arguments.insert(arguments.end(), ours.begin(), ours.end());
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 1;
  tril::bench::TableReporter table;
  benchmark::RunSpecifiedBenchmarks(&table);
  benchmark::Shutdown();
}
