#include <tril/foundation/exp.h>
#include <tril/layers/backward_kernels.h>
#include <tril/layers/lanes.h>

namespace tril::TRIL_ISA {
namespace {

// An element with the weight 0 has the gradient 0, whatever d is.
inline Register if_seen(Register share, Register d) noexcept {
  return select(share == Register{}, Register{}, d);
}

void softmax(const float* d_out, const float* out, float* d_x, Index count, float scale) noexcept {
  Register sum{};
  for_each_register(count, [&](Index i, auto lanes) {
    const Register share = lanes.get(out + i);
    sum = madd(if_seen(share, lanes.get(d_out + i)), share, sum);
  });
  const Register mean = broadcast(reduce_add(sum)), factor = broadcast(scale);
  for_each_register(count, [&](Index i, auto lanes) {
    const Register share = lanes.get(out + i);
    lanes.put(d_x + i, if_seen(share, factor * share * (lanes.get(d_out + i) - mean)));
  });
}

void log_softmax(const float* d_out, const float* out, float* d_x, Index count,
                 float scale) noexcept {
  Register sum{};
  for_each_register(count, [&](Index i, auto lanes) { sum += lanes.get(d_out + i); });
  const Register total = broadcast(reduce_add(sum)), factor = broadcast(scale);
  const NonpositiveExp exp;
  for_each_register(count, [&](Index i, auto lanes) {
    const Register weight = exp(lanes.get(out + i));
    lanes.put(d_x + i, factor * madd(-weight, total, lanes.get(d_out + i)));
  });
}

template <bool kLog>
void softmax_columns(const float* d_out, Index d_out_stride, const float* out, Index out_stride,
                     float* d_x, Index d_x_stride, Index rows, Index cols, float scale) noexcept {
  const Register factor = broadcast(scale);
  const NonpositiveExp exp;
  for_each_register(cols, [&](Index c, auto lanes) {
    const auto d = [&](Index row) { return lanes.get(d_out + row * d_out_stride + c); };
    const auto y = [&](Index row) { return lanes.get(out + row * out_stride + c); };
    Register sum{};
    for (Index row = 0; row < rows; ++row) {
      sum = kLog ? sum + d(row) : madd(if_seen(y(row), d(row)), y(row), sum);
    }
    for (Index row = 0; row < rows; ++row) {
      const Register result =
          kLog ? madd(-exp(y(row)), sum, d(row)) : if_seen(y(row), y(row) * (d(row) - sum));
      lanes.put(d_x + row * d_x_stride + c, factor * result);
    }
  });
}

// Both norms: `centred` subtracts the mean, in z and in the gradient; in quarters where the
// difference might leave the range of float.
template <bool kCentred, bool kInQuarters = false>
void norm(const float* d_out, const float* x, const float* weight, float mean, float rstd,
          float* d_x, float* d_weight, float* d_bias, Index cols) noexcept {
  const Register means = broadcast(mean), scale = broadcast(rstd);
  const Register quarter = broadcast(0.25f), four = broadcast(4.0f);
  const auto normal = [&](Register value) {
    if (kInQuarters) return (value * quarter - means * quarter) * (scale * four);
    return kCentred ? (value - means) * scale : value * scale;
  };
  Register g_sum{}, gz_sum{};
  for_each_register(cols, [&](Index c, auto lanes) {
    const Register d = lanes.get(d_out + c), z = normal(lanes.get(x + c));
    const Register g = weight ? d * lanes.get(weight + c) : d;
    if constexpr (kCentred) g_sum += g;
    // Beyond the end of the row z is not 0, but g is.
    gz_sum = madd(g, z, gz_sum);
    if (d_weight) lanes.put(d_weight + c, madd(d, z, lanes.get(d_weight + c)));
    if (d_bias) lanes.put(d_bias + c, lanes.get(d_bias + c) + d);
  });
  if (!d_x) return;
  const Register count = broadcast(static_cast<float>(cols));
  const Register g_mean = broadcast(reduce_add(g_sum)) / count;
  const Register gz_mean = broadcast(reduce_add(gz_sum)) / count;
  for_each_register(cols, [&](Index c, auto lanes) {
    const Register d = lanes.get(d_out + c), z = normal(lanes.get(x + c));
    const Register g = weight ? d * lanes.get(weight + c) : d;
    const Register rest = kCentred ? g - g_mean : g;
    lanes.put(d_x + c, scale * madd(-z, gz_mean, rest));
  });
}

void layer_norm(const float* d_out, const float* x, const float* weight, float mean, float rstd,
                float* d_x, float* d_weight, float* d_bias, Index cols) noexcept {
  // A mean up to 2^100 changes the largest float by less than half a rounding.
  const auto kernel = mean > 0x1p100f || mean < -0x1p100f ? norm<true, true> : norm<true>;
  kernel(d_out, x, weight, mean, rstd, d_x, d_weight, d_bias, cols);
}

void rms_norm(const float* d_out, const float* x, const float* weight, float rstd, float* d_x,
              float* d_weight, Index cols) noexcept {
  norm<false>(d_out, x, weight, 0.0f, rstd, d_x, d_weight, nullptr, cols);
}

}  // namespace

extern const BackwardKernels kBackwardKernels;
const BackwardKernels kBackwardKernels{
    softmax, log_softmax, softmax_columns<false>, softmax_columns<true>, layer_norm, rms_norm};

}  // namespace tril::TRIL_ISA
