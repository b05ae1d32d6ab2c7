// What was measured as one table: a line for each size, a column for each method, the median speed
// and its share of the peak in the same run.
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
  struct Result {
    std::string name;
    std::vector<double> flops;  // a second, of each repetition
  };

  std::map<std::int64_t, Result> results_;  // by the order of registration
};

}  // namespace tril::bench
