#include <tril/attention/rows.h>
#include <tril/attention/score_kernels.h>
#include <tril/foundation/exp.h>

namespace tril::TRIL_ISA {
namespace {

// Where |y| is small, y - y^3 / 3 + 2 y^5 / 15 - ...; the first term left out is below 2^-26 of the
// sum for |y| < 0.35. Elsewhere (1 - e) / (1 + e) with e = e^(-2 |y|), and the sign of y.
Register tanh(Register y) noexcept {
  const Register one = broadcast(1.0f), square = y * y, magnitude = max(y, -y);
  Register series = broadcast(-1382.0f / 155925);
  series = madd(series, square, broadcast(62.0f / 2835));
  series = madd(series, square, broadcast(-17.0f / 315));
  series = madd(series, square, broadcast(2.0f / 15));
  series = madd(series, square, broadcast(-1.0f / 3));
  const Register small = madd(series * square, y, y);
  const Register e = exp_nonpositive(broadcast(-2.0f) * magnitude);
  const Register large = (one - e) / (one + e);
  return select(magnitude < broadcast(0.35f), small, select(y < Register{}, -large, large));
}

void cap(float* x, Index count, float limit) noexcept {
  const Register high = broadcast(limit), inverse = broadcast(1 / limit);
  map_row(x, x, count, [&](Register value) { return high * tanh(value * inverse); });
}

// maximum = max(old maximum, max x);  factor = e^(old maximum - maximum)
// x[i] = e^(x[i] - maximum);  sum = factor * sum + x[0] + x[1] + ...
float absorb(float* x, Index count, OnlineState& state) noexcept {
  const float found = row_max(x, count);
  float factor = 1.0f;
  if (found > state.maximum) {
    factor = exp_nonpositive(broadcast(state.maximum - found))[0];
    state.maximum = found;
  }
  const Register shift = broadcast(shift_of(state.maximum));
  Register sum{};
  map_row(x, x, count, [&](Register value) {
    const Register weight = exp_nonpositive(value - shift);
    sum += weight;
    return weight;
  });
  state.sum = factor * state.sum + reduce_add(sum);
  return factor;
}

void scale(float* x, Index count, float factor) noexcept {
  const Register by = broadcast(factor);
  map_row(x, x, count, [&](Register value) { return value * by; });
}

}  // namespace

extern const ScoreKernels kScoreKernels;
const ScoreKernels kScoreKernels{cap, absorb, scale};

}  // namespace tril::TRIL_ISA
