// The exponential of every lane of a register. For kernel files, like simd.h.
//
// e^x = 2^n * e^r with n = round(x / ln 2) and r = x - n ln 2 in [-ln 2 / 2, ln 2 / 2]; ln 2 is
// subtracted in two parts, so that r is exact. e^r = 1 + r + r^2 q(r), where q is the minimax
// polynomial of degree 4 (relative error 3.1e-9, a twentieth of a rounding). The result is at most
// 1 ulp from the double's value on all inputs of exp_test.cc.
//
//     const NonpositiveExp exp;          // its numbers, in registers, once for a loop
//     ... exp(x) ...
#pragma once

#include <tril/foundation/registers.h>

namespace tril::TRIL_ISA {
namespace detail {

struct ExpNumbers {
  float round_to_integer = 0x1.8p+23f;        // adding it leaves n in the low bits
  float round_to_exponent = 0x1.8000fep+23f;  // and n + 127, as 2^n is written
  float log2_e = 0x1.715476p+0f;
  float minus_ln2_high = -0x1.62e4p-1f;  // 15 bits: exact times |n| < 2^9
  float minus_ln2_low = -0x1.7f7d1cp-20f;
  float q0 = 0x1.fffffcp-2f, q1 = 0x1.555492p-3f, q2 = 0x1.5558f2p-5f, q3 = 0x1.1239e2p-7f,
        q4 = 0x1.6a2432p-10f;
  float lowest = -0x1.601e68p+6f;  // -127 ln 2, whose 2^n is written as 0
};

#if defined(__wasm_simd128__)
// Volatile hides the values from the compiler. It would keep several forms of a known number, such
// as -x to turn a difference into a sum, for which there are not enough registers: this would cost
// a tenth of the time of softmax.
inline const volatile ExpNumbers kExpNumbers;
#else
inline constexpr ExpNumbers kExpNumbers;
#endif

class ExpParts {
 public:
  // sign = -1 negates n: e^x = e^r / 2^n.
  explicit ExpParts(float round, float sign = 1) noexcept
      : round_(broadcast(round)),
        log2_e_(broadcast(sign * kExpNumbers.log2_e)),
        minus_ln2_high_(broadcast(sign * kExpNumbers.minus_ln2_high)),
        minus_ln2_low_(broadcast(sign * kExpNumbers.minus_ln2_low)) {}

  template <typename R>
  struct Result {
    R above;    // e^r - 1
    R shifted;  // n + round
  };

  // For |x| < 2^9. q = (q0 + q1 r) + r^2 ((q2 + q3 r) + r^2 q4): no sum depends on all earlier
  // ones.
  template <typename R>
  Result<R> operator()(R x) const noexcept {
    const R shifted = madd(x, log2_e_, round_);
    const R n = shifted - round_;
    R r = madd(n, minus_ln2_high_, x);
    r = madd(n, minus_ln2_low_, r);
    const R square = r * r;
    const R low = madd(q1_, r, q0_), high = madd(q3_, r, q2_);
    const R q = madd(madd(q4_, square, high), square, low);
    return {madd(q, square, r), shifted};
  }

 private:
  Register round_;
  Register log2_e_, minus_ln2_high_, minus_ln2_low_;
  Register q0_ = broadcast(kExpNumbers.q0), q1_ = broadcast(kExpNumbers.q1);
  Register q2_ = broadcast(kExpNumbers.q2), q3_ = broadcast(kExpNumbers.q3);
  Register q4_ = broadcast(kExpNumbers.q4);
};

// The low bits of each lane, moved to where a float has its exponent.
inline Register as_exponent(Register x) noexcept { return (Register)((IntRegister)x << 23); }
template <int Count>
inline Registers<Count> as_exponent(const Registers<Count>& x) noexcept {
  return each<Count>([](Register one) { return as_exponent(one); }, x);
}

// 2^n for -127 < n < 128, by writing the exponent field.
inline Register power_of_two(IntRegister n) noexcept { return (Register)((n + 127) << 23); }

}  // namespace detail

// e^x for every x: denormal results are exact to rounding, overflow gives infinity, exp(-inf) = 0,
// NaN stays NaN.
inline Register exp(Register x) noexcept {
  // Beyond these limits the result is 0 or infinity anyway; within them both halves of n are valid
  // exponents.
  const Register clamped = max(broadcast(-105.0f), min(broadcast(90.0f), x));
  const float round = detail::kExpNumbers.round_to_integer;
  const detail::ExpParts parts(round);
  const auto [above, shifted] = parts(clamped);
  const Register fraction = above + broadcast(1.0f);
  const IntRegister n = (IntRegister)shifted - (IntRegister)broadcast(round), half = n >> 1;
  return fraction * detail::power_of_two(half) * detail::power_of_two(n - half);
}

// e^x for x <= 0, as softmax needs it, in fewer operations. Results below 2^-126.5 are 0, which
// also keeps slow denormals out of sums. e^-inf = 0, NaN stays NaN.
class NonpositiveExp {
 public:
  // Takes one register or several.
  template <typename R>
  R operator()(R x) const noexcept {
    return in_range(max(lowest_, x));
  }
  // The same for -127.5 ln 2 <= x <= 0, or NaN.
  template <typename R>
  R in_range(R x) const noexcept {
    const auto [above, shifted] = parts_(x);
    const R power = detail::as_exponent(shifted);
    return madd(above, power, power);
  }

 private:
  Register lowest_ = broadcast(detail::kExpNumbers.lowest);
  detail::ExpParts parts_{detail::kExpNumbers.round_to_exponent};
};

inline Register exp_nonpositive(Register x) noexcept { return NonpositiveExp()(x); }

}  // namespace tril::TRIL_ISA
