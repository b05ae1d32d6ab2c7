// x^y of single numbers.
#pragma once

#include <tril/foundation/tensor.h>
#include <tril/layers/arithmetic_kernels.h>

namespace tril::detail {

// x^y for floats that were widened: whole powers up to 2^10 by repeated squaring, others by
// exponential() and logarithm() of elementary.h; within 2^-40 of the exact value, so that rounded
// to float it is the nearest one or, once in thousands, the one beside it. Special values as C's
// pow has them: anything^0 and 1^anything are 1, NaN included; what is below 0 has whole powers
// alone.
double power(double x, double y) noexcept;

// out[i] = x[i]^y[i]. out may be x or y.
void power_row(RowInput x, RowInput y, float* out, Index count) noexcept;

}  // namespace tril::detail
