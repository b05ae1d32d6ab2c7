#include <tril/foundation/broadcast.h>

namespace tril {

std::optional<AnyShape> broadcast_shape(const AnyShape& a, const AnyShape& b) noexcept {
  AnyShape shape;
  shape.rank = std::max(a.rank, b.rank);
  for (int axis = 0; axis < shape.rank; ++axis) {
    const int in_a = axis - (shape.rank - a.rank), in_b = axis - (shape.rank - b.rank);
    const Index of_a = in_a < 0 ? 1 : a[in_a], of_b = in_b < 0 ? 1 : b[in_b];
    if (of_a != of_b && of_a != 1 && of_b != 1) return std::nullopt;
    shape[axis] = of_a == 1 ? of_b : of_a;  // 0 with 1 is 0
  }
  return shape;
}

AnyShape broadcast_shape(const AnyShape& x, const AnyShape& y, const char* call) {
  const auto shape = broadcast_shape(x, y);
  if (!shape) {
    fail(call, "y", {"shapes do not broadcast; x is ", x, ", y is ", y});
  }
  return *shape;
}

}  // namespace tril
