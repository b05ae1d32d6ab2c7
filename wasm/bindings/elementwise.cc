// Operations element by element.
#include <emscripten/bind.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/shapes.h>

#include <string>

#include "any_view.h"
#include "guard.h"
#include "output.h"

namespace tril::js {
namespace {

// Applies the operation of that name (kBinary) to two tensors of up to 8 axes that broadcast; the
// number of a null tensor replaces it.
TensorHandle arithmetic(Engine& engine, const std::string& operation, const Tensor* x,
                        float x_number, const Tensor* y, float y_number, Tensor* out) {
  const char* const call = operation.c_str();
  const Binary kind = value_named(kBinary, operation, call, "operation");
  const AnyView<const float> left = operand(x, x_number, call, "x");
  const AnyView<const float> right = operand(y, y_number, call, "y");
  const AnyShape shape = broadcast_shape(left.shape, right.shape, call);
  const Output output(engine, out, dynamic_shape(shape), call);
  binary(kind, left, right, {output->data(), shape}, engine.context);
  return output.handle();
}

// Applies the operation of that name (kUnary), such as "exp".
TensorHandle unary(Engine& engine, const std::string& operation, const Tensor& x, Tensor* out) {
  const char* const call = operation.c_str();
  const Unary kind = value_named(kUnary, operation, call, "operation");
  const AnyView<const float> from = any_view(x, call, "x");
  const Output output(engine, out, x.shape(), call);
  tril::unary(kind, from, {output->data(), from.shape}, engine.context);
  return output.handle();
}

// Selects from x and y; the number of a null tensor replaces it.
TensorHandle where(Engine& engine, const Tensor& condition, const Tensor* x, float x_number,
                   const Tensor* y, float y_number, Tensor* out) {
  constexpr const char* kCall = "where";
  const AnyView<const float> chosen = any_view(condition, kCall, "condition");
  const AnyView<const float> left = operand(x, x_number, kCall, "x");
  const AnyView<const float> right = operand(y, y_number, kCall, "y");
  const AnyShape shape = where_shape(chosen.shape, left.shape, right.shape);
  const Output output(engine, out, dynamic_shape(shape), kCall);
  tril::where(chosen, left, right, {output->data(), shape}, engine.context);
  return output.handle();
}

TensorHandle arange(Engine& engine, double start, double stop, double step) {
  const DynamicShape shape{arange_count(start, stop, step)};
  TensorHandle out = std::make_shared<Tensor>(engine, shape, "arange");
  tril::arange(start, step, {out->data(), {out->count()}});
  return out;
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_elementwise) {
  using namespace emscripten;
  function("_arithmetic", guard<&arithmetic>, allow_raw_pointers());
  function("_unary", guard<&unary>, allow_raw_pointers());
  function("_where", guard<&where>, allow_raw_pointers());
  function("_arange", guard<&arange>);
}

}  // namespace tril::js
