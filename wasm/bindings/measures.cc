// Measures of tensors: the distance of two, the spread of one, the concentration of weights; and
// softmax step by step.
#include <emscripten/bind.h>
#include <tril/foundation/compare.h>
#include <tril/foundation/statistics.h>
#include <tril/lessons/softmax_steps.h>

#include <limits>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

struct DifferenceResult {
  double count, beyond;
  double frobenius, expected_norm, relative, max_absolute, max_relative;
  double worst;  // the number of the worst element, in row-major order, and what stands there
  double worst_expected, worst_actual, worst_relative;
};

VectorView<const float> all_of(const Tensor& tensor) { return {tensor.data(), {tensor.count()}}; }

// The shape without its last axis; [1] where there is no other.
DynamicShape rows_shape(const Tensor& tensor) {
  if (tensor.rank() == 1) return {1};
  return {tensor.shape().begin(), tensor.shape().end() - 1};
}

VectorView<float> make_row_numbers(Results& results, const char* name, const Tensor& tensor) {
  Tensor& made = results.make(name, rows_shape(tensor));
  return {made.data(), {made.count()}};
}

DifferenceResult compare(const Tensor& expected, const Tensor& actual, double absolute,
                         double relative) {
  if (expected.shape() != actual.shape()) {
    fail("compare", "actual", {"must have the shape of expected, ", expected, ", is ", actual});
  }
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();  // of what there is not
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

// weights [..., C]; gives entropy and largest, [...] ([1] for one row).
NamedTensors concentration(Engine& engine, const Tensor& weights) {
  Results results(engine, "concentration");
  const auto entropy = make_row_numbers(results, "entropy", weights);
  const auto largest = make_row_numbers(results, "largest", weights);
  tril::concentration(rows_of(weights), entropy, largest);
  return results.hand_over();
}

// x [..., C]; gives output and powers [..., C], shift and sum [...].
NamedTensors softmax_steps(Engine& engine, const Tensor& x, bool stable) {
  Results results(engine, "softmax_steps");
  Tensor& output = results.make("output", x.shape());
  const SoftmaxTrace trace{.shift = make_row_numbers(results, "shift", x),
                           .powers = rows_of(results.make("powers", x.shape())),
                           .sum = make_row_numbers(results, "sum", x)};
  tril::softmax_steps(rows_of(x), stable, rows_of(output), trace);
  return results.hand_over();
}

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
  function("_concentration", guard<&concentration>, allow_raw_pointers());
  function("_softmaxSteps", guard<&softmax_steps>, allow_raw_pointers());
}

}  // namespace tril::js
