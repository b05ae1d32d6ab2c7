#include <tril/attention/attention_backward_kernels.h>
#include <tril/foundation/exp.h>
#include <tril/layers/lanes.h>
#include <tril/layers/tanh.h>

#include <limits>

namespace tril::TRIL_ISA {
namespace {

float dot(const float* x, const float* y, Index count) noexcept {
  Register sum{};
  for_each_register(
      count, [&](Index i, auto lanes) { sum = madd(lanes.get(x + i), lanes.get(y + i), sum); });
  return reduce_add(sum);
}

void weights(float* x, Index count, float log_sum_exp) noexcept {
  const NonpositiveExp exp;  // rounding alone can put a score above log_sum_exp
  const Register shift = broadcast(log_sum_exp);
  if (log_sum_exp != log_sum_exp) {  // the query is NaN with the keys it sees only
    const Register hidden = broadcast(-std::numeric_limits<float>::infinity());
    return for_each_register(count, [&](Index i, auto lanes) {
      lanes.put(x + i, select(lanes.get(x + i) == hidden, Register{}, shift));
    });
  }
  for_each_register(count,
                    [&](Index i, auto lanes) { lanes.put(x + i, exp(lanes.get(x + i) - shift)); });
}

void scores(const float* weights, float* d, Index count, float delta) noexcept {
  const Register deltas = broadcast(delta);
  for_each_register(count, [&](Index i, auto lanes) {
    const Register weight = lanes.get(weights + i);
    const Register flow = weight * (lanes.get(d + i) - deltas);
    lanes.put(d + i, select(weight == Register{}, Register{}, flow));
  });
}

void cap_slope(const float* x, float* slope, Index count, float limit) noexcept {
  const Register inverse = broadcast(1 / limit), one = broadcast(1.0f);
  for_each_register(count, [&](Index i, auto lanes) {
    const Register share = lanes.get(x + i) * inverse;
    lanes.put(slope + i, madd(-share, share, one));
  });
}

void multiply(float* x, const float* y, Index count) noexcept {
  for_each_register(count, [&](Index i, auto lanes) {
    const Register value = lanes.get(x + i);
    lanes.put(x + i, select(value == Register{}, value, value * lanes.get(y + i)));
  });
}

void additive_score(const float* q, const float* k, const float* weights, float d, float* d_sum,
                    float* d_weights, Index count) noexcept {
  const Register factor = broadcast(d), one = broadcast(1.0f);
  for_each_register(count, [&](Index i, auto lanes) {
    const Register hidden = tanh(lanes.get(q + i) + lanes.get(k + i));
    const Register slope = madd(-hidden, hidden, one);
    lanes.put(d_sum + i, madd(factor * lanes.get(weights + i), slope, lanes.get(d_sum + i)));
    if (d_weights) lanes.put(d_weights + i, madd(factor, hidden, lanes.get(d_weights + i)));
  });
}

}  // namespace

extern const AttentionBackwardKernels kAttentionBackwardKernels;
const AttentionBackwardKernels kAttentionBackwardKernels{dot,       weights,  scores,
                                                         cap_slope, multiply, additive_score};

}  // namespace tril::TRIL_ISA
