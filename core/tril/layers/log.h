// The natural logarithm of every lane of a register. For kernel files, like foundation/simd.h.
#pragma once

#include <tril/foundation/simd.h>

#include <limits>

namespace tril::TRIL_ISA {

// x = 2^e m with m in [sqrt(1/2), sqrt(2)). With f = m - 1, which is exact, and s = f / (2 + f):
//
//   log(1 + f) = 2 artanh(s) = f - (h - s (h + r)),  h = f^2 / 2,  r = 2 s^2 / 3 + 2 s^4 / 5 + ...
//
// (the form of fdlibm's logf, Sun 1993). The series r ends at 2 s^8 / 9; |s| <= 0.172, so its
// relative error is 2e-9. log of a number below 0 is NaN, log(0) = -inf, NaN stays NaN. At most 1
// ulp from the double's value (elementwise_test.cc).
inline Register log(Register x) noexcept {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const Register one = broadcast(1.0f), zero{};
  const IntRegister denormal = x < broadcast(0x1p-126f);
  const Register normal = select(denormal, x * broadcast(0x1p23f), x);
  const IntRegister half_root = (IntRegister)broadcast(0x1.6a09e6p-1f);
  const IntRegister offset = (IntRegister)normal - half_root;
  const Register m = (Register)((offset & 0x7fffff) + half_root);
  const Register e =
      __builtin_convertvector((offset >> 23), Register) - select(denormal, broadcast(23.0f), zero);
  const Register f = m - one, s = f / (f + broadcast(2.0f)), z = s * s;
  Register r = madd(z, broadcast(2.0f / 9), broadcast(2.0f / 7));
  r = madd(r, z, broadcast(2.0f / 5));
  r = madd(r, z, broadcast(2.0f / 3)) * z;
  const Register h = broadcast(0.5f) * f * f;
  // ln 2 in two parts: the first has 17 bits, so that its product with e is exact.
  const Register low = madd(s, h + r, e * broadcast(0x1.7f7d1cp-20f));
  const Register result = madd(e, broadcast(0x1.62e4p-1f), f - (h - low));
  const Register beyond =
      select(x > zero, x, select(x == zero, broadcast(-kInfinity), broadcast(kNaN)));
  return select((x > zero) & (x < broadcast(kInfinity)), result, beyond);
}

}  // namespace tril::TRIL_ISA
