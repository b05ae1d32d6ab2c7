#include "table_reporter.h"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace tril::bench {
namespace {

double quantile(std::vector<double> values, double at) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(at * static_cast<double>(values.size() - 1) + 0.5)];
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

}  // namespace

bool TableReporter::ReportContext(const Context& context) {
  PrintBasicContext(&GetErrorStream(), context);
  return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const auto flops = run.counters.find("FLOP/s");
    if (run.run_type != Run::RT_Iteration || flops == run.counters.end()) continue;
    Result& result = results_[run.family_index];
    result.name = run.run_name.function_name;
    result.flops.push_back(flops->second.value);
  }
}

// The peak is the widest instruction set's; a tile of the sweep is compared with its own.
void TableReporter::Finalize() {
  double widest = 0;
  for (const auto& [index, one] : results_) {
    if (starts_with(one.name, "peak/")) widest = std::max(widest, quantile(one.flops, 0.5));
  }
  std::ostream& out = GetOutputStream();
  char line[160];
  std::snprintf(line, sizeof line, "%-40s %10s %8s %16s\n", "", "GFLOP/s", "of peak",
                "10 % .. 90 %");
  out << line;
  for (const auto& [index, one] : results_) {
    double peak = widest;
    for (const auto& [other_index, other] : results_) {
      const std::string isa = other.name.substr(std::min(other.name.size(), std::size_t{5}));
      if (starts_with(other.name, "peak/") && starts_with(one.name, "tile_sweep/" + isa + "/")) {
        peak = quantile(other.flops, 0.5);
      }
    }
    const double median = quantile(one.flops, 0.5);
    std::snprintf(line, sizeof line, "%-40s %10.1f %8.3f %8.1f %7.1f\n", one.name.c_str(),
                  median / 1e9, peak > 0 ? median / peak : 0.0, quantile(one.flops, 0.1) / 1e9,
                  quantile(one.flops, 0.9) / 1e9);
    out << line;
  }
}

}  // namespace tril::bench
