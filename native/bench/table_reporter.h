// What was measured as two tables, a line for each benchmark: the median speed of what counts
// operations, and its share of the peak in the same run; and of what counts bytes.
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
    std::vector<double> rates;  // operations or bytes a second, of each repetition
    bool counts_bytes = false;
  };

  // The peak to compare with: the widest instruction set's, or that of its own.
  double peak_of(const Result& one) const;
  void print(bool bytes);

  std::map<std::int64_t, Result> results_;  // by the order of registration
};

}  // namespace tril::bench
