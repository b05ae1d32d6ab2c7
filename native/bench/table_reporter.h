// What was measured as tables, a line for each benchmark: the median speed of what counts
// operations, and its share of the peak in the same run; of what counts bytes, numbers, or words.
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
    double size;                    // how many of the one are one of the other
  };
  static constexpr Unit kUnits[] = {{"FLOP/s", "GFLOP/s", 1e9},
                                    {"B/s", "GB/s", 1e9},
                                    {"elements/s", "G numbers/s", 1e9},
                                    {"words/s", "M words/s", 1e6}};
  struct Result {
    std::string name;
    std::vector<double> rates;  // a second, of each repetition
    const Unit* unit = nullptr;
  };

  // The peak to compare with: the widest instruction set's, or that of its own.
  double peak_of(const Result& one) const;
  void print(const Unit& unit);

  std::map<std::int64_t, Result> results_;  // by the order of registration
};

}  // namespace tril::bench
