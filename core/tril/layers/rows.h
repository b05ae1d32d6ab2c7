// Operations on a row of scores in registers. For kernel files, like foundation/simd.h.
#pragma once

#include <tril/foundation/simd.h>

#include <limits>

namespace tril::TRIL_ISA {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The largest element that is not NaN; -inf if there is none.
inline float row_max(const float* x, Index count) noexcept {
  Register a = broadcast(-kInfinity), b = a, c = a, d = a;  // 4 chains hide the latency of max
  Index i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    a = max(load(x + i), a);
    b = max(load(x + i + kLanes), b);
    c = max(load(x + i + 2 * kLanes), c);
    d = max(load(x + i + 3 * kLanes), d);
  }
  for (; i + kLanes <= count; i += kLanes) a = max(load(x + i), a);
  if (i < count) b = max(load_part(x + i, count - i, -kInfinity), b);
  return reduce_max(max(max(a, b), max(c, d)));
}

// out[i] = f(x[i]) for a whole row; f may get -inf in lanes beyond its end. A step of the loop
// takes `AtOnce` registers: more than one where f is so short that the loop itself takes noticeable
// time.
template <int AtOnce = 1, typename Function>
inline void map_row(const float* x, float* out, Index count, const Function& f) noexcept {
  Index i = 0;
#pragma GCC unroll 1
  for (; i + AtOnce * kLanes <= count; i += AtOnce * kLanes) {
    for (int n = 0; n < AtOnce; ++n) store(out + i + n * kLanes, f(load(x + i + n * kLanes)));
  }
  if constexpr (AtOnce > 1) {
    for (; i + kLanes <= count; i += kLanes) store(out + i, f(load(x + i)));
  }
  if (i < count) store_part(out + i, f(load_part(x + i, count - i, -kInfinity)), count - i);
}

// The number subtracted from a row before exp. A row of only -inf has no finite maximum; any shift
// gives exp(-inf - shift) = 0.
inline float shift_of(float maximum) noexcept { return maximum == -kInfinity ? 0.0f : maximum; }
inline Register shift_of(Register maximum) noexcept {
  return select(maximum == broadcast(-kInfinity), Register{}, maximum);
}

}  // namespace tril::TRIL_ISA
