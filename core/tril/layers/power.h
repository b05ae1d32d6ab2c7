// Powers of single numbers.
#pragma once

#include <tril/foundation/tensor.h>
#include <tril/layers/arithmetic_kernels.h>

namespace tril::detail {

// x^y for floats given as doubles: integer powers up to 2^10 by repeated squaring, others by
// exponential() and logarithm() of elementary.h. The result is within 2^-40 of the exact value;
// rounded to float it is the nearest float or, once in thousands, the one beside it. Special values
// are those of C's pow: anything^0 and 1^anything are 1, even for NaN; numbers below 0 have only
// integer powers.
double power(double x, double y) noexcept;

// out[i] = x[i]^y[i]. out may be x or y.
void power_row(RowInput x, RowInput y, float* out, Index count) noexcept;

}  // namespace tril::detail
