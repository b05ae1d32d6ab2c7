#include <emscripten/bind.h>
#include <tril/lessons/running_average.h>

#include <string>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

struct RunningAverageOptions {
  std::string method;
  bool sum;
  double hidden;
};

MatrixView<float> as_matrix(Tensor& tensor) {
  return {tensor.data(), {tensor.size(0), tensor.size(1)}};
}

// Gives { output }, and { mask, weights } except by loops: the average of x [B, T, C] up to each
// time.
NamedTensors running_average(Engine& engine, const Tensor& x,
                             const RunningAverageOptions& options) {
  constexpr const char* kCall = "running_average";
  if (x.rank() != 3) fail(kCall, "x", {"must have three axes [B, T, C]; shape is ", x});
  const AverageMethod method = value_named(kAverageMethods, options.method, kCall, "method");
  const Index length = x.size(1);
  const TensorView<const float, 3> input(x.data(), {x.size(0), length, x.size(2)});
  Results results(engine, kCall);
  Tensor& output = results.make("output", x.shape());
  RunningAverageTrace trace;
  if (method != AverageMethod::loops) {
    trace = {.mask = as_matrix(results.make("mask", {length, length})),
             .weights = as_matrix(results.make("weights", {length, length}))};
  }
  tril::running_average(
      input, {.method = method, .sum = options.sum, .hidden = static_cast<float>(options.hidden)},
      TensorView<float, 3>(output.data(), input.shape()), engine.context, trace);
  return results.hand_over();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_running_average) {
  using namespace emscripten;
  value_object<RunningAverageOptions>("_RunningAverageOptions")
      .field("method", &RunningAverageOptions::method)
      .field("sum", &RunningAverageOptions::sum)
      .field("hidden", &RunningAverageOptions::hidden);
  function("_runningAverage", guard<&running_average>, allow_raw_pointers());
}

}  // namespace tril::js
