#include "arithmetic.h"

#include <tril/layers/elementwise.h>

#include "any_view.h"
#include "output.h"

namespace tril::js {

TensorHandle arithmetic(Engine& engine, const std::string& operation, const Tensor* x,
                        float x_number, const Tensor* y, float y_number, Tensor* out) {
  const char* const call = operation.c_str();
  const Binary kind = value_named(kBinary, operation, call, "operation");
  const AnyView<const float> left = operand(x, x_number, call, "x");
  const AnyView<const float> right = operand(y, y_number, call, "y");
  const AnyShape shape = broadcast_shape(left.shape, right.shape, call);
  const Output output(engine, out, dynamic_shape(shape), call);
  binary(kind, left, right, any_view(output->data(), shape), engine.parallel);
  return output.handle();
}

}  // namespace tril::js
