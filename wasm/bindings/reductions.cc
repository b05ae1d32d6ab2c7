// Sums, means and extremes along axes.
#include <emscripten/bind.h>
#include <tril/layers/reduce.h>

#include <string>
#include <vector>

#include "any_view.h"
#include "guard.h"
#include "output.h"

namespace tril::js {
namespace {

// Applies the reduction of that name (kReduce), such as "sum". A reduction along all axes without
// `keep_dims` has the shape [1].
TensorHandle reduce(Engine& engine, const std::string& operation, const Tensor& x,
                    const Numbers& along, bool keep_dims, Tensor* out) {
  const char* const call = operation.c_str();
  const Reduce kind = value_named(kReduce, operation, call, "operation");
  const AnyView<const float> from = any_view(x, call, "x");
  const std::vector<Index> axes = indices_from(along);
  const AnyShape shape = reduced_shape(from.shape, axes, keep_dims, call);
  const Output output(engine, out, dynamic_shape(shape), call);
  tril::reduce(kind, from, axes, {output->data(), shape}, engine.context);
  return output.handle();
}

TensorHandle sum_to(Engine& engine, const Tensor& x, const Numbers& sizes, Tensor* out) {
  constexpr const char* kCall = "sum_to";
  const AnyView<const float> from = any_view(x, kCall, "x");
  const AnyShape shape = summed_shape(from.shape, shape_from(sizes));
  const Output output(engine, out, dynamic_shape(shape), kCall);
  tril::sum_to(from, {output->data(), shape}, engine.context);
  return output.handle();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_reductions) {
  using namespace emscripten;
  function("_reduce", guard<&reduce>, allow_raw_pointers());
  function("_sumTo", guard<&sum_to>, allow_raw_pointers());
}

}  // namespace tril::js
