#include <emscripten/bind.h>
#include <tril/layers/elementwise.h>

#include <algorithm>
#include <string>

#include "guard.h"
#include "output.h"

namespace tril::js {

namespace {

template <typename T>
AnyView<T> view_of(T* data, const DynamicShape& shape, const char* call, const char* argument) {
  AnyView<T> view;
  view.data = data;
  view.shape.rank = view.strides.rank = static_cast<int>(shape.size());
  if (view.shape.rank > tril::detail::kMostAxes) {
    fail(call, argument, {"at most 8 axes; shape is ", shape});
  }
  Index stride = 1;
  for (int axis = view.shape.rank; axis-- > 0;) {
    view.shape[axis] = shape[static_cast<std::size_t>(axis)];
    view.strides[axis] = stride;
    stride *= view.shape[axis];
  }
  return view;
}

AnyView<const float> operand(const Tensor* tensor, const float& number, const char* call,
                             const char* argument) {
  return tensor ? view_of(tensor->data(), tensor->shape(), call, argument)
                : AnyView<const float>(number);
}

// Applies "add", "subtract", "multiply" or "divide" to two tensors of up to 8 axes, which
// broadcast. Where one is null, its number is taken.
TensorHandle arithmetic(Engine& engine, const std::string& operation, const Tensor* x,
                        float x_number, const Tensor* y, float y_number, Tensor* out) {
  const char* const call = operation.c_str();
  const Arithmetic kind = value_named(kArithmetic, operation, call, "operation");
  const AnyView<const float> left = operand(x, x_number, call, "x");
  const AnyView<const float> right = operand(y, y_number, call, "y");
  const AnyShape full = broadcast_shape(left.shape, right.shape, call);
  const DynamicShape shape(full.sizes.begin(), full.sizes.begin() + full.rank);
  const Output output(engine, out, shape, call);
  tril::arithmetic(kind, left, right, view_of(output->data(), shape, call, "out"), engine.parallel);
  return output.handle();
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_arithmetic) {
  using namespace emscripten;
  function("_arithmetic", guard<&arithmetic>, allow_raw_pointers());
}

}  // namespace tril::js
