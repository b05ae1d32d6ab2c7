#include <tril/foundation/check.h>
#include <tril/foundation/elementary.h>
#include <tril/foundation/statistics.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

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

// The logarithms of all elements, which must be above 0.
template <typename T>
std::vector<double> logarithms(VectorView<const T> x, const char* name) {
  std::vector<double> result;
  for (Index i = 0; i < x.count(); ++i) {
    const double value = x[i];
    if (!std::isfinite(value) || value <= 0) {
      fail("growth", name, {"must be finite and above 0, is ", value});
    }
    result.push_back(logarithm(value));
  }
  return result;
}

// slope = sum of (x - mean x) (y - mean y) / sum of (x - mean x)^2
template <typename T>
double growth_of(VectorView<const T> x, VectorView<const T> y) {
  check_view(x, "growth", "x");
  check_shape(y, x.shape(), "growth", "y", {"x is ", x});
  const std::vector<double> log_x = logarithms(x, "x"), log_y = logarithms(y, "y");
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const double mean_x = mean(log_x), mean_y = mean(log_y);
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < log_x.size(); ++i) {
    products += (log_x[i] - mean_x) * (log_y[i] - mean_y);
    squares += (log_x[i] - mean_x) * (log_x[i] - mean_x);
  }
  if (std::all_of(log_x.begin(), log_x.end(), [&](double each) { return each == log_x[0]; })) {
    fail("growth", "x", "must have two different elements");
  }
  return products / squares;
}

}  // namespace

Statistics statistics(VectorView<const float> x) { return statistics_of(x); }
Statistics statistics(VectorView<const double> x) { return statistics_of(x); }

double growth(VectorView<const float> x, VectorView<const float> y) { return growth_of(x, y); }
double growth(VectorView<const double> x, VectorView<const double> y) { return growth_of(x, y); }

}  // namespace tril
