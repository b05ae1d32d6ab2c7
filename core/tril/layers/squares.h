// Sums of squares whose partial sums may leave the range of float. For kernel files, like
// foundation/simd.h.
#pragma once

#include <tril/foundation/simd.h>

#include <limits>

namespace tril::TRIL_ISA {

// `sum`, or the sum of value(i)^2 in double where `sum` has lost digits. That is where `sum` is
// beyond the range of float, or so small that squares below 2^-126 matter.
template <typename Value>
inline double in_range_or_double(float sum, Index count, const Value& value) noexcept {
  if (sum >= 0x1p-90f && sum < std::numeric_limits<float>::infinity()) return sum;
  double squares = 0;
  for (Index i = 0; i < count; ++i) {
    const double x = value(i);
    if (x != 0) squares += x * x;
  }
  return squares;
}

}  // namespace tril::TRIL_ISA
