// Prints the results as tables, one line per benchmark: the median speed and, for benchmarks that
// count operations, its share of the peak in the same run; other tables count bytes, numbers or
// words.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tril::bench {

class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  struct Unit {
    const char *counter, *heading;  // a benchmark's counter; its name in the table
    double size;                    // how many of the counter's unit make one of the heading's
  };
  static constexpr Unit kUnits[] = {{"FLOP/s", "GFLOP/s", 1e9},
                                    {"B/s", "GB/s", 1e9},
                                    {"elements/s", "G numbers/s", 1e9},
                                    {"words/s", "M words/s", 1e6}};
  struct Result {
    std::string name;
    std::vector<double> rates;  // per second, of each repetition
    const Unit* unit = nullptr;
  };

  // The peak to compare with: that of the widest instruction set, or of the benchmark's own.
  double peak_of(const Result& one) const;
  void print(const Unit& unit);

  std::map<std::int64_t, Result> results_;  // in order of registration
};

}  // namespace tril::bench
