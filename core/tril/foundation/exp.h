// The exponential of every lane of a register. For kernel files, like simd.h.
//
// e^x = 2^n * e^r with n = round(x / ln 2) and r = x - n ln 2 in [-ln 2 / 2, ln 2 / 2]; ln 2 is
// subtracted in two parts, so that r is exact, and e^r = 1 + r + r^2 q(r) with q the minimax
// polynomial of degree 4 (relative error 3.1e-9, a twentieth of a rounding). Measured on all of
// exp_test.cc's inputs: at most 1 ulp from the double's value.
#pragma once

#include <tril/foundation/simd.h>

namespace tril::TRIL_ISA {
namespace detail {

inline constexpr float kLog2E = 0x1.715476p+0f;
inline constexpr float kLn2High = 0x1.62e4p-1f;    // 15 bits: its product with |n| < 2^9 is exact
inline constexpr float kLn2Low = 0x1.7f7d1cp-20f;  // ln 2 - kLn2High
inline constexpr float kRoundToInteger = 0x1.8p+23f;        // adding it leaves n in the low bits
inline constexpr float kRoundToExponent = 0x1.8000fep+23f;  // and n + 127, as 2^n is written

struct ExpParts {
  Register above;    // e^r - 1
  IntRegister bits;  // those of n + round
};

// For |x| < 2^9.
inline ExpParts exp_parts(Register x, Register round) noexcept {
  const Register shifted = madd(x, broadcast(kLog2E), round);
  const Register n = shifted - round;
  Register r = madd(n, broadcast(-kLn2High), x);
  r = madd(n, broadcast(-kLn2Low), r);
  Register q = broadcast(0x1.6a2432p-10f);
  q = madd(q, r, broadcast(0x1.1239e2p-7f));
  q = madd(q, r, broadcast(0x1.5558f2p-5f));
  q = madd(q, r, broadcast(0x1.555492p-3f));
  q = madd(q, r, broadcast(0x1.fffffcp-2f));
  return {madd(q, r * r, r), (IntRegister)shifted};
}

// 2^n for -127 < n < 128, by writing the exponent field.
inline Register power_of_two(IntRegister n) noexcept { return (Register)((n + 127) << 23); }

}  // namespace detail

// e^x for every x: denormal results are right, overflow gives infinity, exp(-inf) = 0, NaN stays
// NaN.
inline Register exp(Register x) noexcept {
  // Outside, the result is 0 or infinity anyway; inside, both halves of n are valid exponents.
  const Register clamped = max(broadcast(-105.0f), min(broadcast(90.0f), x));
  const Register round = broadcast(detail::kRoundToInteger);
  const auto [above, bits] = detail::exp_parts(clamped, round);
  const Register fraction = above + broadcast(1.0f);
  const IntRegister n = bits - (IntRegister)round, half = n >> 1;
  return fraction * detail::power_of_two(half) * detail::power_of_two(n - half);
}

// e^x for x <= 0, what softmax needs, in fewer operations: results below 2^-126 are 0, which
// also keeps slow denormals out of the sums. exp_nonpositive(-inf) = 0, NaN stays NaN.
inline Register exp_nonpositive(Register x) noexcept {
  const Register lowest = broadcast(-0x1.5d589ep+6f);  // -87.3365: the last x with e^x >= 2^-126
  const auto [above, bits] = detail::exp_parts(x, broadcast(detail::kRoundToExponent));
  const Register power = (Register)(bits << 23);
  const Register result = madd(above, power, power);
  return (Register)((IntRegister)result & ~(x < lowest));  // below, it is anything
}

}  // namespace tril::TRIL_ISA
