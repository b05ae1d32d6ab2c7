#include <emscripten/bind.h>
#include <tril/attention/triangular.h>
#include <tril/lessons/singular_values.h>

#include <algorithm>
#include <string>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

// Keeps a triangle, "lower" or "upper", of the matrices along the last two axes.
TensorHandle triangular(Engine& engine, const Tensor& x, const std::string& part, int diagonal,
                        Tensor* out) {
  constexpr const char* kCall = "triangular";
  if (x.rank() < 2) {
    fail(kCall, "x", {"must have at least two axes; shape is ", x});
  }
  const Triangle kept = value_named(kTriangles, part, kCall, "part");
  const Output output(engine, out, x.shape(), kCall);
  const Shape<3> shape{leading_count(x, 2), x.size(-2), x.size(-1)};
  tril::triangular(TensorView<const float, 3>(x.data(), shape),
                   {.part = kept, .diagonal = diagonal},
                   TensorView<float, 3>(output->data(), shape));
  return output.handle();
}

// x [rows, cols]; gives [min(rows, cols)].
TensorHandle singular_values(Engine& engine, const Tensor& x, Tensor* out) {
  constexpr const char* kCall = "singular_values";
  const MatrixView<const float> values = matrix(x, kCall, "x");
  const Output output(engine, out, {std::min(values.size(0), values.size(1))}, kCall);
  tril::singular_values(values, {output->data(), {output->count()}});
  return output.handle();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_matrices) {
  using namespace emscripten;
  function("_triangular", guard<&triangular>, allow_raw_pointers());
  function("_singularValues", guard<&singular_values>, allow_raw_pointers());
}

}  // namespace tril::js
