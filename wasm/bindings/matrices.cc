#include <emscripten/bind.h>
#include <tril/attention/triangular.h>

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

}  // namespace

EMSCRIPTEN_BINDINGS(tril_matrices) {
  using namespace emscripten;
  function("_triangular", guard<&triangular>, allow_raw_pointers());
}

}  // namespace tril::js
