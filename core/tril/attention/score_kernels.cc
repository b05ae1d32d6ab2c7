#include <tril/attention/score_kernels.h>
#include <tril/foundation/exp.h>
#include <tril/layers/rows.h>
#include <tril/layers/tanh.h>
#include <tril/matmul/transpose_square.h>

namespace tril::TRIL_ISA {
namespace {

void cap(const float* x, float* out, Index count, float limit) noexcept {
  const Register high = broadcast(limit), inverse = broadcast(1 / limit);
  map_row(x, out, count, [&](Register value) { return high * tanh(value * inverse); });
}

// maximum = max(old maximum, max x);  factor = e^(old maximum - maximum)
// out[i] = e^(x[i] - maximum);  sum = factor * sum + out[0] + out[1] + ...
float online_softmax(const float* x, float* out, Index count, SoftmaxState& state) noexcept {
  const NonpositiveExp exp;
  const float found = row_max(x, count);
  float factor = 1.0f;
  if (found > state.maximum) {
    factor = exp(broadcast(state.maximum - found))[0];
    state.maximum = found;
  }
  const Register shift = broadcast(shift_of(state.maximum));
  Register sum{};
  map_row(x, out, count, [&](Register value) {
    const Register weight = exp(value - shift);
    sum += weight;
    return weight;
  });
  state.sum = madd(factor, state.sum, reduce_add(sum));
  return factor;
}

void scale(const float* x, float* out, Index count, float factor) noexcept {
  const Register by = broadcast(factor);
  map_row(x, out, count, [&](Register value) { return value * by; });
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

// sums[i] = a register of partial sums of q . rows[i]
//
// Narrow registers take the depth in two halves: four sums alone would wait for one another.
void dot_four(const float* q, const float* const (&rows)[4], Index depth, Register* sums) noexcept {
  Register sum[4] = {};
  Index k = 0;
  if constexpr (kLanes == 4) {
    Register odd[4] = {};
#pragma GCC unroll 1
    for (; k + 2 * kLanes <= depth; k += 2 * kLanes) {
      const Register first = load(q + k), second = load(q + k + kLanes);
      for (int i = 0; i < 4; ++i) {
        sum[i] = madd(first, load(rows[i] + k), sum[i]);
        odd[i] = madd(second, load(rows[i] + k + kLanes), odd[i]);
      }
    }
    for (int i = 0; i < 4; ++i) sum[i] += odd[i];
  }
#pragma GCC unroll 1
  for (; k + kLanes <= depth; k += kLanes) {
    const Register x = load(q + k);
    for (int i = 0; i < 4; ++i) sum[i] = madd(x, load(rows[i] + k), sum[i]);
  }
  if (k < depth) {
    const Register x = load_part(q + k, depth - k, 0.0f);
    for (int i = 0; i < 4; ++i) sum[i] = madd(x, load_part(rows[i] + k, depth - k, 0.0f), sum[i]);
  }
  for (int i = 0; i < 4; ++i) sums[i] = sum[i];
}

// for kLanes keys:  a register of partial sums each;  transposed, they add up lane by lane
// Beyond the last key, the last one is repeated, and its sum dropped.
void dot_keys(const float* q, const float* keys, Index stride, Index depth, Index count,
              float scale, float* out) noexcept {
  for (Index j = 0; j < count; j += kLanes) {
    const Index wanted = count - j < kLanes ? count - j : kLanes;
    Register sums[kLanes];
    for (int lane = 0; lane < kLanes; lane += 4) {
      const float* rows[4];
      for (int i = 0; i < 4; ++i) {
        rows[i] = keys + (lane + i < wanted ? j + lane + i : count - 1) * stride;
      }
      dot_four(q, rows, depth, sums + lane);
    }
    transpose_square(sums);
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    }
    const Register scores = broadcast(scale) * sums[0];
    if (wanted == kLanes) {
      store(out + j, scores);
    } else {
      store_part(out + j, scores, wanted);
    }
  }
}

// `Vectors` registers of the sums, each in `Chains` parts, so that enough additions are in flight
// and none waits for the one before it. A weight of 0 is skipped, or, where no weight is known to
// be 0, not tested for.
template <bool kAnyZero, int Vectors, int Chains>
void add_columns(const float* weights, const float* values, Index stride, Index count,
                 float* out) noexcept {
  Register sum[Chains][Vectors] = {};
  for (int v = 0; v < Vectors; ++v) sum[0][v] = load(out + v * kLanes);
  Index k = 0;
#pragma GCC unroll 1
  for (; k + Chains <= count; k += Chains) {
    for (int c = 0; c < Chains; ++c) {
      if (kAnyZero && weights[k + c] == 0.0f) continue;
      const Register weight = broadcast(weights[k + c]);
      const float* const row = values + (k + c) * stride;
      for (int v = 0; v < Vectors; ++v) sum[c][v] = madd(weight, load(row + v * kLanes), sum[c][v]);
    }
  }
  for (; k < count; ++k) {
    if (kAnyZero && weights[k] == 0.0f) continue;
    const Register weight = broadcast(weights[k]);
    const float* const row = values + k * stride;
    for (int v = 0; v < Vectors; ++v) sum[0][v] = madd(weight, load(row + v * kLanes), sum[0][v]);
  }
  for (int c = 1; c < Chains; ++c) {
    for (int v = 0; v < Vectors; ++v) sum[0][v] += sum[c][v];
  }
  for (int v = 0; v < Vectors; ++v) store(out + v * kLanes, sum[0][v]);
}

// Narrow registers take 32 columns at a time: half of a head of 64 in one pass over the rows.
template <bool kAnyZero>
void add_all_values(const float* weights, const float* values, Index stride, Index count,
                    Index width, float* out) noexcept {
  Index j = 0;
  if constexpr (kLanes == 4) {
    for (; j + 8 * kLanes <= width; j += 8 * kLanes) {
      add_columns<kAnyZero, 8, 1>(weights, values + j, stride, count, out + j);
    }
  }
  for (; j + 4 * kLanes <= width; j += 4 * kLanes) {
    add_columns<kAnyZero, 4, 2>(weights, values + j, stride, count, out + j);
  }
  for (; j + kLanes <= width; j += kLanes) {
    add_columns<kAnyZero, 1, 2>(weights, values + j, stride, count, out + j);
  }
  if (j == width) return;
  Register sum = load_part(out + j, width - j, 0.0f);
  for (Index k = 0; k < count; ++k) {
    if (kAnyZero && weights[k] == 0.0f) continue;
    sum = madd(broadcast(weights[k]), load_part(values + k * stride + j, width - j, 0.0f), sum);
  }
  store_part(out + j, sum, width - j);
}

bool any_zero(const float* x, Index count) noexcept {
  IntRegister found{};
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) found |= load(x + i) == Register{};
  if (any_lane(found)) return true;
  for (; i < count; ++i) {
    if (x[i] == 0.0f) return true;
  }
  return false;
}

void add_values(const float* weights, const float* values, Index stride, Index count, Index width,
                float* out) noexcept {
  const auto add = any_zero(weights, count) ? add_all_values<true> : add_all_values<false>;
  add(weights, values, stride, count, width, out);
}

}  // namespace

extern const ScoreKernels kScoreKernels;
const ScoreKernels kScoreKernels{
    cap, online_softmax, scale, elu_plus_one, additive_score, linear_step, dot_keys, add_values};

}  // namespace tril::TRIL_ISA
