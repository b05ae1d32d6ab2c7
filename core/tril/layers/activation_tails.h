// The activations, all of one form:
//
//   f(x) = max(x, 0) - a tail(a),   a = |x|
//
// where tail falls from 1/2 to 0. So nothing cancels, both ends keep their relative accuracy, and
// one exponential of a number <= 0 is enough:
//
//   silu        tail(a) = 1 / (1 + e^a)
//   gelu_tanh   tail(a) = 1 / (1 + 2^y),  y = 2 sqrt(2/pi) / ln 2 (a + 0.044715 a^3),
//               since (1 - tanh(z/2)) / 2 = 1 / (1 + e^z)
//   gelu        tail(a) = 1 - Phi(a) = exp(-a^2 / 2) r(a)
//
// The first two are computed as E / (E + 2^n), where the power in them is 2^n / E and E is near 1;
// 2^n then needs neither a product nor a second rounding.
//
// r is Mills' ratio over sqrt(2 pi): smooth, 1/2 at 0, about 0.4 / a for large a. It is
// approximated by a polynomial of degree 4 over one of degree 5, minimax in relative error on [0,
// 13.27]: 5.0e-9, and 3.1e-8 after the coefficients are rounded to float. The tail then takes one
// division.
//
// With m = -a the activations are relu(x) + m tail. Each function is an object that keeps its
// constants in registers for a whole loop, and accepts one register or several. For kernel files,
// like foundation/simd.h.
#pragma once

#include <tril/foundation/exp.h>

namespace tril::TRIL_ISA {

// m = max(-|x|, lowest). From `lowest` on every tail is 0, and infinity times 0 would be NaN. NaN
// stays NaN.
struct MinusMagnitude {
  Register lowest;
  Register sign = constant(-0.0f);

  template <typename R>
  R operator()(R x) const noexcept {
    return max(lowest, bitwise_or(x, sign));
  }
};

// The tail of silu, from m = -a. From n = 128 on, 2^n becomes infinity and the tail 0.
struct LogisticTail {
  detail::ExpParts parts{detail::kExpNumbers.round_to_exponent, -1};
  Register one = constant(1.0f);

  template <typename R>
  R operator()(R m) const noexcept {
    const auto [above, shifted] = parts(m);
    const R e = above + one;
    return e / (e + detail::as_exponent(shifted));
  }
};

// The tail of gelu_tanh: y = n - r exactly, with |r| <= 1/2, and E = 2^r = 1 + r p(r), where p is
// the minimax polynomial of degree 5 (relative error 2.6e-9, and 2.1e-8 after rounding its
// coefficients).
struct TanhTail {
  Register cubic = constant(-0x1.a5a7dp-4f);    // 2 sqrt(2/pi) / ln 2 * 0.044715 = 0.1029432
  Register linear = constant(-0x1.26aec2p+1f);  // 2 sqrt(2/pi) / ln 2 = 2.3022082
  Register round = constant(detail::kExpNumbers.round_to_exponent);
  Register one = constant(1.0f);
  Register p0 = constant(0x1.62e432p-1f), p1 = constant(0x1.ebfbe2p-3f),
           p2 = constant(0x1.c6ae72p-5f), p3 = constant(0x1.3b270ep-7f),
           p4 = constant(0x1.5f7276p-10f), p5 = constant(0x1.470b4ap-13f);

  // Takes m = -a and its square.
  template <typename R>
  R operator()(R m, R square) const noexcept {
    const R y = m * madd(square, cubic, linear);
    const R shifted = y + round, r = (shifted - round) - y;
    const R r2 = r * r;
    const R low = madd(r, p1, p0), middle = madd(r, p3, p2), high = madd(r, p5, p4);
    const R e = madd(madd(madd(high, r2, middle), r2, low), r, one);
    return e / (e + detail::as_exponent(shifted));
  }
};

// The factors of gelu's tail: exp(-m^2 / 2), which is 0 where the exponent is below -127 ln 2, and
// r(-m) = above / below.
struct GeluParts {
  NonpositiveExp exp;
  Register minus_half = constant(-0.5f), one = constant(1.0f);
  Register n0 = constant(0.5f), n1 = constant(-0x1.be11bap-2f), n2 = constant(0x1.73353cp-3f),
           n3 = constant(-0x1.4767aep-5f), n4 = constant(0x1.074bcp-8f);
  Register d1 = constant(-0x1.ab4b0cp+0f), d2 = constant(0x1.31bb48p+0f),
           d3 = constant(-0x1.db61fp-2f), d4 = constant(0x1.9a5f26p-4f),
           d5 = constant(-0x1.49fcdep-7f);

  template <typename R>
  struct Result {
    R density, above, below;
  };

  template <typename R>
  Result<R> operator()(R m) const noexcept {
    const R square = m * m;
    const R above = madd(madd(square, n4, madd(m, n3, n2)), square, madd(m, n1, n0));
    const R high = madd(square, madd(m, d5, d4), madd(m, d3, d2));
    return {exp.in_range(square * minus_half), above, madd(high, square, madd(m, d1, one))};
  }
};

}  // namespace tril::TRIL_ISA
