// The hyperbolic tangent of every lane of a register. For kernel files, like foundation/simd.h.
#pragma once

#include <tril/foundation/exp.h>

namespace tril::TRIL_ISA {

// Small |x| take the series x - x^3 / 3 + 2 x^5 / 15 - ...; the first omitted term is below 2^-26
// of the sum for |x| < 0.35. Other x take (1 - e) / (1 + e) with e = e^(-2 |x|), and the sign of x.
// At most 3 ulp from the double's value (score_kernels_test.cc).
inline Register tanh(Register x) noexcept {
  const Register one = broadcast(1.0f), square = x * x, magnitude = max(x, -x);
  Register series = broadcast(-1382.0f / 155925);
  series = madd(series, square, broadcast(62.0f / 2835));
  series = madd(series, square, broadcast(-17.0f / 315));
  series = madd(series, square, broadcast(2.0f / 15));
  series = madd(series, square, broadcast(-1.0f / 3));
  const Register small = madd(series * square, x, x);
  const Register e = exp_nonpositive(broadcast(-2.0f) * magnitude);
  const Register large = (one - e) / (one + e);
  return select(magnitude < broadcast(0.35f), small, select(x < Register{}, -large, large));
}

}  // namespace tril::TRIL_ISA
