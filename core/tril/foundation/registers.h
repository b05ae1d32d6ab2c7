// Several registers that undergo the same operations side by side: they share loaded constants, and
// none waits for the result of another. A function written for one register, `template <typename R>
// R f(R x)`, accepts them as well. For kernel files, like simd.h.
#pragma once

#include <tril/foundation/simd.h>

namespace tril::TRIL_ISA {

template <int Count>
struct Registers {
  Register at[Count];

  // Copies register by register. GCC would copy the whole in parts of 16 bytes; with AVX2, a
  // register that is read before both its parts have reached the level-1 cache stalls.
  Registers() noexcept = default;
  Registers(const Registers& other) noexcept { *this = other; }
  Registers& operator=(const Registers& other) noexcept {
    for (int n = 0; n < Count; ++n) at[n] = other.at[n];
    return *this;
  }
};

namespace detail {

template <int Count>
Register part(const Registers<Count>& registers, int n) noexcept {
  return registers.at[n];
}
// A single register is the same for each part.
inline Register part(Register one, int) noexcept { return one; }

template <int Count, typename Function, typename... Operands>
Registers<Count> each(Function function, const Operands&... operands) noexcept {
  Registers<Count> result;
  for (int n = 0; n < Count; ++n) result.at[n] = function(part(operands, n)...);
  return result;
}

}  // namespace detail

#define TRIL_OPERATOR(symbol)                                                               \
  template <int Count>                                                                      \
  inline Registers<Count> operator symbol(const Registers<Count>& a,                        \
                                          const Registers<Count>& b) noexcept {             \
    return detail::each<Count>([](Register x, Register y) { return x symbol y; }, a, b);    \
  }                                                                                         \
  template <int Count>                                                                      \
  inline Registers<Count> operator symbol(const Registers<Count>& a, Register b) noexcept { \
    return detail::each<Count>([](Register x, Register y) { return x symbol y; }, a, b);    \
  }                                                                                         \
  template <int Count>                                                                      \
  inline Registers<Count> operator symbol(Register a, const Registers<Count>& b) noexcept { \
    return detail::each<Count>([](Register x, Register y) { return x symbol y; }, a, b);    \
  }
TRIL_OPERATOR(+)
TRIL_OPERATOR(-)
TRIL_OPERATOR(*)
TRIL_OPERATOR(/)
#undef TRIL_OPERATOR

template <int Count>
inline Registers<Count> operator-(const Registers<Count>& a) noexcept {
  return detail::each<Count>([](Register x) { return -x; }, a);
}

// madd, min and max as in simd.h, with at least one operand of several registers.
template <int Count, typename B, typename C>
inline Registers<Count> madd(const Registers<Count>& a, const B& b, const C& c) noexcept {
  return detail::each<Count>([](Register x, Register y, Register z) { return madd(x, y, z); }, a, b,
                             c);
}
template <int Count, typename C>
inline Registers<Count> madd(Register a, const Registers<Count>& b, const C& c) noexcept {
  return madd(b, a, c);
}
template <int Count>
inline Registers<Count> min(Register a, const Registers<Count>& b) noexcept {
  return detail::each<Count>([](Register x, Register y) { return min(x, y); }, a, b);
}
template <int Count, typename A>
inline Registers<Count> max(const A& a, const Registers<Count>& b) noexcept {
  return detail::each<Count>([](Register x, Register y) { return max(x, y); }, a, b);
}
template <int Count>
inline Registers<Count> bitwise_or(const Registers<Count>& a, Register b) noexcept {
  return detail::each<Count>([](Register x, Register y) { return bitwise_or(x, y); }, a, b);
}

template <int Count>
inline Registers<Count> load_all(const float* from) noexcept {
  Registers<Count> result;
  for (int n = 0; n < Count; ++n) result.at[n] = load(from + n * kLanes);
  return result;
}
template <int Count>
inline void store(float* to, const Registers<Count>& values) noexcept {
  for (int n = 0; n < Count; ++n) store(to + n * kLanes, values.at[n]);
}

}  // namespace tril::TRIL_ISA
