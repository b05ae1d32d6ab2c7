#include <emscripten/bind.h>
#include <tril/lessons/softmax_steps.h>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

// The shape without its last axis; [1] where there is no other.
DynamicShape rows_shape(const Tensor& tensor) {
  if (tensor.rank() == 1) return {1};
  return {tensor.shape().begin(), tensor.shape().end() - 1};
}

VectorView<float> make_row_numbers(Results& results, const char* name, const Tensor& tensor) {
  Tensor& made = results.make(name, rows_shape(tensor));
  return {made.data(), {made.count()}};
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

// weights [..., C]; gives entropy and largest, [...] ([1] for one row).
NamedTensors concentration(Engine& engine, const Tensor& weights) {
  Results results(engine, "concentration");
  const auto entropy = make_row_numbers(results, "entropy", weights);
  const auto largest = make_row_numbers(results, "largest", weights);
  tril::concentration(rows_of(weights), entropy, largest);
  return results.hand_over();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_softmax_steps) {
  using namespace emscripten;
  function("_softmaxSteps", guard<&softmax_steps>, allow_raw_pointers());
  function("_concentration", guard<&concentration>, allow_raw_pointers());
}

}  // namespace tril::js
