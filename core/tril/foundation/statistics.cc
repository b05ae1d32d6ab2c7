#include <tril/foundation/check.h>
#include <tril/foundation/statistics.h>

#include <algorithm>
#include <cmath>

namespace tril {
namespace {

template <typename T>
Statistics statistics_of(VectorView<const T> x) {
  check_view(x, "statistics", "x");
  const double count = static_cast<double>(x.count());
  Statistics result;
  result.smallest = result.largest = static_cast<double>(x[0]);
  double sum = 0;
  for (Index i = 0; i < x.count(); ++i) {
    const double value = x[i];
    sum += value;
    result.smallest = std::min(result.smallest, value);
    result.largest = std::max(result.largest, value);
  }
  result.mean = sum / count;
  double squares = 0;
  for (Index i = 0; i < x.count(); ++i) {
    const double distance = static_cast<double>(x[i]) - result.mean;
    squares += distance * distance;
  }
  result.variance = squares / count;
  if (std::isnan(sum) &&
      std::any_of(x.data(), x.data() + x.count(), [](T value) { return std::isnan(value); })) {
    result.smallest = result.largest = result.mean;
  }
  return result;
}

}  // namespace

Statistics statistics(VectorView<const float> x) { return statistics_of(x); }
Statistics statistics(VectorView<const double> x) { return statistics_of(x); }

}  // namespace tril
