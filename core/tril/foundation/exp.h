// The exponential of every lane of a register. For kernel files, like simd.h.
//
// e^x = 2^n * e^r with n = round(x / ln 2) and r = x - n ln 2 in [-ln 2 / 2, ln 2 / 2]; ln 2 is
// subtracted in two parts, so that r is exact, and e^r = 1 + r + r^2 q(r) with q the minimax
// polynomial of degree 4 (relative error 3.1e-9, a twentieth of a rounding). Measured on all of
// exp_test.cc's inputs: at most 1 ulp from the double's value.
//
//     const NonpositiveExp exp;          // its numbers, in registers, once for a loop
//     ... exp(x) ...
#pragma once

#include <tril/foundation/simd.h>

namespace tril::TRIL_ISA {
namespace detail {

// A number that the compiler does not know. Of one that it knows it makes several forms, -x for a
// sum in place of a difference among them, and in WebAssembly there are no registers for those: a
// tenth of the time of softmax.
inline Register unknown(float value) noexcept {
#if defined(__wasm_simd128__)
  asm("" : "+r"(value));
#endif
  return broadcast(value);
}

inline constexpr float kRoundToInteger = 0x1.8p+23f;        // adding it leaves n in the low bits
inline constexpr float kRoundToExponent = 0x1.8000fep+23f;  // and n + 127, as 2^n is written

class ExpParts {
 public:
  explicit ExpParts(float round) noexcept : round_(unknown(round)) {}

  struct Result {
    Register above;    // e^r - 1
    IntRegister bits;  // those of n + round
  };

  // For |x| < 2^9. q = (q0 + q1 r) + r^2 ((q2 + q3 r) + r^2 q4): no sum waits for all before it.
  Result operator()(Register x) const noexcept {
    const Register shifted = madd(x, log2_e_, round_);
    const Register n = shifted - round_;
    Register r = madd(n, minus_ln2_high_, x);
    r = madd(n, minus_ln2_low_, r);
    const Register square = r * r;
    const Register low = madd(q1_, r, q0_), high = madd(q3_, r, q2_);
    const Register q = madd(madd(q4_, square, high), square, low);
    return {madd(q, square, r), (IntRegister)shifted};
  }

 private:
  Register round_;
  Register log2_e_ = unknown(0x1.715476p+0f);
  Register minus_ln2_high_ = unknown(-0x1.62e4p-1f);  // 15 bits: exact times |n| < 2^9
  Register minus_ln2_low_ = unknown(-0x1.7f7d1cp-20f);
  Register q0_ = unknown(0x1.fffffcp-2f), q1_ = unknown(0x1.555492p-3f);
  Register q2_ = unknown(0x1.5558f2p-5f), q3_ = unknown(0x1.1239e2p-7f);
  Register q4_ = unknown(0x1.6a2432p-10f);
};

// 2^n for -127 < n < 128, by writing the exponent field.
inline Register power_of_two(IntRegister n) noexcept { return (Register)((n + 127) << 23); }

}  // namespace detail

// e^x for every x: denormal results are right, overflow gives infinity, exp(-inf) = 0, NaN stays
// NaN.
inline Register exp(Register x) noexcept {
  // Outside, the result is 0 or infinity anyway; inside, both halves of n are valid exponents.
  const Register clamped = max(broadcast(-105.0f), min(broadcast(90.0f), x));
  const detail::ExpParts parts(detail::kRoundToInteger);
  const auto [above, bits] = parts(clamped);
  const Register fraction = above + broadcast(1.0f);
  const IntRegister n = bits - (IntRegister)broadcast(detail::kRoundToInteger), half = n >> 1;
  return fraction * detail::power_of_two(half) * detail::power_of_two(n - half);
}

// e^x for x <= 0, what softmax needs, in fewer operations: from 2^-126.5 down it is 0, which also
// keeps slow denormals out of the sums. e^-inf = 0, NaN stays NaN.
class NonpositiveExp {
 public:
  Register operator()(Register x) const noexcept {
    const auto [above, bits] = parts_(max(lowest_, x));
    const Register power = (Register)(bits << 23);
    return madd(above, power, power);
  }

 private:
  Register lowest_ = detail::unknown(-0x1.601e68p+6f);  // -127 ln 2, whose 2^n is written as 0
  detail::ExpParts parts_{detail::kRoundToExponent};
};

inline Register exp_nonpositive(Register x) noexcept { return NonpositiveExp()(x); }

}  // namespace tril::TRIL_ISA
