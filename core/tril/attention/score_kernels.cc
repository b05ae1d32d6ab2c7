#include <tril/attention/score_kernels.h>
#include <tril/foundation/exp.h>
#include <tril/layers/rows.h>
#include <tril/layers/tanh.h>

namespace tril::TRIL_ISA {
namespace {

void cap(float* x, Index count, float limit) noexcept {
  const Register high = broadcast(limit), inverse = broadcast(1 / limit);
  map_row(x, x, count, [&](Register value) { return high * tanh(value * inverse); });
}

// maximum = max(old maximum, max x);  factor = e^(old maximum - maximum)
// x[i] = e^(x[i] - maximum);  sum = factor * sum + x[0] + x[1] + ...
float absorb(float* x, Index count, OnlineState& state) noexcept {
  const NonpositiveExp exp;
  const float found = row_max(x, count);
  float factor = 1.0f;
  if (found > state.maximum) {
    factor = exp(broadcast(state.maximum - found))[0];
    state.maximum = found;
  }
  const Register shift = broadcast(shift_of(state.maximum));
  Register sum{};
  map_row(x, x, count, [&](Register value) {
    const Register weight = exp(value - shift);
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

void elu_plus_one(const float* x, float* out, Index count) noexcept {
  map_row(x, out, count, [](Register value) {
    const Register power = exp_nonpositive(min(Register{}, value));
    return select(value > Register{}, value + broadcast(1.0f), power);
  });
}

float additive_score(const float* q, const float* k, const float* weights, Index count) noexcept {
  Register sum{};
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    sum = madd(load(weights + i), tanh(load(q + i) + load(k + i)), sum);
  }
  if (i < count) {
    const Index rest = count - i;
    const Register hidden = tanh(load_part(q + i, rest, 0.0f) + load_part(k + i, rest, 0.0f));
    sum = madd(load_part(weights + i, rest, 0.0f), hidden, sum);
  }
  return reduce_add(sum);
}

// for each register of columns j
//   for each row d:  state[d, j] += k[d] * v[j];  out[j] += q[d] * state[d, j]
void linear_step(const float* q, const float* k, const float* v, Index depth, Index width,
                 float* state, float* out) noexcept {
  for (Index j = 0; j < width; j += kLanes) {
    const Register value = load(v + j);
    Register sum{};
    for (Index d = 0; d < depth; ++d) {
      float* const at = state + d * width + j;
      const Register grown = madd(broadcast(k[d]), value, load(at));
      store(at, grown);
      sum = madd(broadcast(q[d]), grown, sum);
    }
    store(out + j, sum);
  }
}

}  // namespace

extern const ScoreKernels kScoreKernels;
const ScoreKernels kScoreKernels{cap, absorb, scale, elu_plus_one, additive_score, linear_step};

}  // namespace tril::TRIL_ISA
