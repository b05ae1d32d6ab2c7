// Measures of tensors: the difference of two, the spread of one, the regression of one on another.
#include <emscripten/bind.h>
#include <tril/foundation/compare.h>
#include <tril/foundation/statistics.h>

#include <limits>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

struct DifferenceResult {
  double count, beyond;
  double frobenius, expected_norm, relative, max_absolute, max_relative;
  double worst;  // the worst element: its number in row-major order and its values
  double worst_expected, worst_actual, worst_relative;
};

VectorView<const float> all_of(const Tensor& tensor) { return {tensor.data(), {tensor.count()}}; }

DifferenceResult compare(const Tensor& expected, const Tensor& actual, double absolute,
                         double relative) {
  if (expected.shape() != actual.shape()) {
    fail("compare", "actual", {"must have the shape of expected, ", expected, ", is ", actual});
  }
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();  // for absent values
  const Difference found = tril::compare(all_of(expected), all_of(actual), {absolute, relative});
  return {static_cast<double>(found.count),
          static_cast<double>(found.beyond),
          found.frobenius,
          found.expected_norm,
          found.relative,
          found.max_absolute,
          found.max_relative,
          static_cast<double>(found.worst),
          found.count > 0 ? static_cast<double>(expected.data()[found.worst]) : kNaN,
          found.count > 0 ? static_cast<double>(actual.data()[found.worst]) : kNaN,
          found.worst_relative};
}

Statistics statistics(const Tensor& x) { return tril::statistics(all_of(x)); }

double growth(const Tensor& x, const Tensor& y) { return tril::growth(all_of(x), all_of(y)); }

}  // namespace

EMSCRIPTEN_BINDINGS(tril_measures) {
  using namespace emscripten;
  value_object<DifferenceResult>("_Difference")
      .field("count", &DifferenceResult::count)
      .field("beyond", &DifferenceResult::beyond)
      .field("frobenius", &DifferenceResult::frobenius)
      .field("expectedNorm", &DifferenceResult::expected_norm)
      .field("relative", &DifferenceResult::relative)
      .field("maxAbsolute", &DifferenceResult::max_absolute)
      .field("maxRelative", &DifferenceResult::max_relative)
      .field("worst", &DifferenceResult::worst)
      .field("worstExpected", &DifferenceResult::worst_expected)
      .field("worstActual", &DifferenceResult::worst_actual)
      .field("worstRelative", &DifferenceResult::worst_relative);
  function("_compare", guard<&compare>, allow_raw_pointers());

  value_object<Statistics>("_Statistics")
      .field("mean", &Statistics::mean)
      .field("variance", &Statistics::variance)
      .field("smallest", &Statistics::smallest)
      .field("largest", &Statistics::largest);
  function("_statistics", guard<&statistics>, allow_raw_pointers());
  function("_growth", guard<&growth>, allow_raw_pointers());
}

}  // namespace tril::js
