#include <tril/layers/axes.h>

namespace tril::detail {

int axis_of(Index axis, const AnyShape& shape, const char* call, const char* argument) {
  if (axis < -shape.rank || axis >= shape.rank) {
    fail(call, argument, {"there is no axis ", axis, "; shape is ", shape});
  }
  return static_cast<int>(axis < 0 ? axis + shape.rank : axis);
}

AxisSet::AxisSet(std::span<const Index> axes, const AnyShape& shape, const char* call,
                 const char* argument) {
  for (const Index each : axes) {
    const int axis = axis_of(each, shape, call, argument);
    if ((*this)[axis]) fail(call, argument, {"axis ", axis, " is named twice; shape is ", shape});
    insert(axis);
  }
}

}  // namespace tril::detail
