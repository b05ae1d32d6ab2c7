#include "table_reporter.h"

#include <algorithm>
#include <ostream>

#include "number_text.h"

namespace tril::bench {
namespace {

double quantile(std::vector<double> values, double at) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(at * static_cast<double>(values.size() - 1) + 0.5)];
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

std::string row(const std::string& name, const std::string& median, const std::string& share,
                const std::string& range) {
  return left_aligned(name, 40) + " " + right_aligned(median, 10) + " " + right_aligned(share, 8) +
         " " + range + "\n";
}

}  // namespace

bool TableReporter::ReportContext(const Context& context) {
  PrintBasicContext(&GetErrorStream(), context);
  return true;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    for (const Unit& unit : kUnits) {
      const auto rate = run.counters.find(unit.counter);
      if (rate == run.counters.end()) continue;
      Result& result = results_[run.family_index];
      result.name = run.run_name.function_name;
      result.unit = &unit;
      result.rates.push_back(rate->second.value);
    }
  }
}

// A tile of the sweep is compared with the peak of its own instruction set.
double TableReporter::peak_of(const Result& one) const {
  double widest = 0;
  for (const auto& [index, other] : results_) {
    if (!starts_with(other.name, "peak/")) continue;
    const double peak = quantile(other.rates, 0.5);
    if (starts_with(one.name, "tile_sweep/" + other.name.substr(5) + "/")) return peak;
    widest = std::max(widest, peak);
  }
  return widest;
}

void TableReporter::print(const Unit& unit) {
  std::ostream& out = GetOutputStream();
  const bool has_peak = &unit == &kUnits[0];
  bool begun = false;
  for (const auto& [index, one] : results_) {
    if (one.unit != &unit) continue;
    if (!begun) {
      out << row("", unit.heading, has_peak ? "of peak" : "", "    10 % .. 90 %");
      begun = true;
    }
    const double median = quantile(one.rates, 0.5), peak = has_peak ? peak_of(one) : 0;
    const auto number = [&](double rate) { return fixed_text(rate / unit.size, 2); };
    out << row(one.name, number(median), peak > 0 ? fixed_text(median / peak, 3) : "",
               right_aligned(number(quantile(one.rates, 0.1)), 8) + " " +
                   right_aligned(number(quantile(one.rates, 0.9)), 7));
  }
}

void TableReporter::Finalize() {
  for (const Unit& unit : kUnits) print(unit);
}

}  // namespace tril::bench
