#include <math.h>
#include <tril/foundation/exp.h>
#include <tril/layers/rows.h>
#include <tril/layers/softmax_kernels.h>

namespace tril::TRIL_ISA {
namespace {

// 1 / sum; 0 for the sum of a row of only -inf, whose weights are 0. NaN stays NaN.
float reciprocal(float sum) noexcept { return sum == 0.0f ? 0.0f : 1.0f / sum; }

// log(sum); infinity for the sum of a row of only -inf, so that its elements stay -inf after the
// subtraction. (logf of C: an inline std::log, compiled here for a wide instruction set, could be
// linked into code for all machines.)
float log_of(float sum) noexcept { return sum == 0.0f ? kInfinity : logf(sum); }

// maximum = max x;  out[i] = e^(scale (x[i] - maximum)), sum = out[0] + out[1] + ...;  out /= sum
//
// No exponent is above 0, so nothing overflows, and the largest weight is e^0 before the division.
// A NaN or +inf in x makes the sum, and so the whole row, NaN.
//
// A scale of 1, the usual case, has its own loop with one multiplication less.
template <bool kScaled>
void softmax_by(const float* x, float* out, Index count, float scale) noexcept {
  const Register shift = broadcast(shift_of(row_max(x, count)));
  const Register factor = broadcast(scale);
  const NonpositiveExp exp;
  Register sum{};
  map_row(x, out, count, [&](Register value) {
    const Register below = value - shift;
    const Register weight = exp(kScaled ? below * factor : below);
    sum += weight;
    return weight;
  });
  const Register inverse = broadcast(reciprocal(reduce_add(sum)));
  map_row<4>(out, out, count, [&](Register weight) { return weight * inverse; });
}

void softmax_row(const float* x, float* out, Index count, float scale) noexcept {
  return scale == 1.0f ? softmax_by<false>(x, out, count, scale)
                       : softmax_by<true>(x, out, count, scale);
}

// The same sum, and out[i] = scale (x[i] - maximum) - log(sum).
void log_softmax_row(const float* x, float* out, Index count, float scale) noexcept {
  const Register shift = broadcast(shift_of(row_max(x, count)));
  const Register factor = broadcast(scale);
  const NonpositiveExp exp;
  Register sum{};
  map_row(x, out, count, [&](Register value) {
    const Register exponent = (value - shift) * factor;
    sum += exp(exponent);
    return exponent;
  });
  const Register log_sum = broadcast(log_of(reduce_add(sum)));
  map_row(out, out, count, [&](Register exponent) { return exponent - log_sum; });
}

// kLanes columns side by side, or the last `width` ones: softmax_row, lane by lane.
template <bool kLog>
void softmax_lanes(const float* x, Index x_stride, float* out, Index out_stride, Index rows,
                   Index width, float scale) noexcept {
  const auto get = [&](const float* from) {
    return width == kLanes ? load(from) : load_part(from, width, -kInfinity);
  };
  const auto put = [&](float* to, Register value) {
    return width == kLanes ? store(to, value) : store_part(to, value, width);
  };
  const Register factor = broadcast(scale);
  Register maximum = broadcast(-kInfinity);
  for (Index row = 0; row < rows; ++row) maximum = max(get(x + row * x_stride), maximum);
  const Register shift = shift_of(maximum);
  const NonpositiveExp exp;
  Register sum{};
  for (Index row = 0; row < rows; ++row) {
    const Register exponent = (get(x + row * x_stride) - shift) * factor;
    const Register weight = exp(exponent);
    sum += weight;
    put(out + row * out_stride, kLog ? exponent : weight);
  }
  Register last;
  for (int lane = 0; lane < kLanes; ++lane) {
    last[lane] = kLog ? log_of(sum[lane]) : reciprocal(sum[lane]);
  }
  for (Index row = 0; row < rows; ++row) {
    const Register value = get(out + row * out_stride);
    put(out + row * out_stride, kLog ? value - last : value * last);
  }
}

template <bool kLog>
void softmax_columns(const float* x, Index x_stride, float* out, Index out_stride, Index rows,
                     Index cols, float scale) noexcept {
  for (Index col = 0; col < cols; col += kLanes) {
    const Index width = cols - col < kLanes ? cols - col : kLanes;
    softmax_lanes<kLog>(x + col, x_stride, out + col, out_stride, rows, width, scale);
  }
}

}  // namespace

extern const SoftmaxKernels kSoftmaxKernels;
const SoftmaxKernels kSoftmaxKernels{softmax_row, softmax_columns<false>, log_softmax_row,
                                     softmax_columns<true>};

}  // namespace tril::TRIL_ISA
