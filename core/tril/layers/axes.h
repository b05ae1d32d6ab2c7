// Axes that a caller has chosen by their numbers.
#pragma once

#include <tril/foundation/broadcast.h>

#include <span>

namespace tril::detail {

// `axis`, counted from the end of `shape` where negative, counted from its beginning. Throws Error,
// in the name of `call` and of `argument`, where there is none.
int axis_of(Index axis, const AnyShape& shape, const char* call, const char* argument = "axis");

// Which axes are chosen.
class AxisSet {
 public:
  AxisSet() = default;
  // Throws Error for an axis that is not there or is named twice.
  AxisSet(std::span<const Index> axes, const AnyShape& shape, const char* call,
          const char* argument = "axis");

  bool operator[](int axis) const noexcept { return (axes_ >> axis & 1) != 0; }
  void insert(int axis) noexcept { axes_ |= 1u << axis; }

 private:
  unsigned axes_ = 0;
};

}  // namespace tril::detail
