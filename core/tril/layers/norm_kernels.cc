// Layer normalisation in three passes over a row, by the corrected two-pass algorithm (Chan, Golub,
// LeVeque 1983):
//
//   shift = 1/C sum x, as far as float can tell
//   d = x - shift;  rest = 1/C sum d;  variance = 1/C sum d^2 - rest^2
//   mean = shift + rest, in double;  centre = mean, rounded, or 0 where the mean is small
//   out = ((x - centre) - (mean - centre)) / sqrt(variance + eps) * weight + bias
//
// Differences of x are rounded once, however large the mean, and what the mean lost is made up for:
// the error depends on the deviations alone. Every sum is kept in four registers, at least 16
// partial sums: with C / 16 terms in each, its relative error is at most C / 16 + 6 roundings.
#include <tril/foundation/simd.h>
#include <tril/layers/norm_kernels.h>

#include <cmath>

namespace tril::TRIL_ISA {
namespace {

constexpr Index kSums = 4;  // enough to hide an addition's latency of 4 cycles

// Calls body(s, x[c..]) for each register of the row, s going round the partial sums; what is
// beyond the end holds `fill`.
template <typename Body>
void for_registers(const float* x, Index cols, float fill, const Body& body) noexcept {
  Index c = 0;
  for (; c + kSums * kLanes <= cols; c += kSums * kLanes) {
    for (Index s = 0; s < kSums; ++s) body(s, load(x + c + s * kLanes));
  }
  Index s = 0;
  for (; c + kLanes <= cols; c += kLanes) body(s++, load(x + c));
  if (c < cols) body(s, load_part(x + c, cols - c, fill));
}

double total(const Register (&sums)[kSums]) noexcept {
  return reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// out[c] = function(x[c]) * weight[c] + bias[c].
template <typename Function>
void map_row(const float* x, const float* weight, const float* bias, float* out, Index cols,
             const Function& function) noexcept {
  Index c = 0;
  for (; c + kLanes <= cols; c += kLanes) {
    Register y = function(load(x + c));
    if (weight)
      y = bias ? madd(y, load(weight + c), load(bias + c)) : y * load(weight + c);
    else if (bias)
      y += load(bias + c);
    store(out + c, y);
  }
  if (c == cols) return;
  const Index rest = cols - c;
  Register y = function(load_part(x + c, rest, 0.0f));
  if (weight) y *= load_part(weight + c, rest, 0.0f);
  if (bias) y += load_part(bias + c, rest, 0.0f);
  store_part(out + c, y, rest);
}

// 1 / sqrt(square + eps) as the sum of two floats: the rounding of one alone would be the largest
// error of the whole row, and the same for all of it.
struct InverseRoot {
  float high, low;
};

InverseRoot inverse_root(double square, double eps) noexcept {
  const double inverse = 1.0 / std::sqrt(square + eps);
  const auto high = static_cast<float>(inverse);
  return {high, static_cast<float>(inverse - high)};
}

NormKernels::Moments layer_norm(const float* x, const float* weight, const float* bias, double eps,
                                float* out, Index cols) noexcept {
  const auto count = static_cast<double>(cols);
  Register sums[kSums] = {}, squares[kSums] = {};
  for_registers(x, cols, 0.0f, [&](Index s, Register v) { sums[s] += v; });
  const auto shift = static_cast<float>(total(sums) / count);

  const Register shifts = broadcast(shift);
  for (Register& sum : sums) sum = Register{};
  for_registers(x, cols, shift, [&](Index s, Register v) {
    const Register d = v - shifts;
    sums[s] += d;
    squares[s] = madd(d, d, squares[s]);
  });
  const double rest = total(sums) / count;
  const double variance = total(squares) / count - rest * rest;
  // Rounding can leave a variance of 0 a little below it. NaN is not below.
  const InverseRoot inverse = inverse_root(variance < 0 ? 0 : variance, eps);

  // A mean that is small beside the deviations is not worth the rounding of a difference.
  const double mean = shift + rest;
  const bool small = std::fabs(mean) * inverse.high <= 0.5;
  const float centre = small ? 0.0f : static_cast<float>(mean);
  const Register centres = broadcast(centre);
  const Register high = broadcast(inverse.high), low = broadcast(inverse.low);
  const Register offset = broadcast(static_cast<float>((centre - mean) * inverse.high));
  map_row(x, weight, bias, out, cols, [&](Register v) {
    const Register d = v - centres;
    return madd(d, high, madd(d, low, offset));
  });
  return {static_cast<float>(mean), inverse.high};
}

float rms_norm(const float* x, const float* weight, double eps, float* out, Index cols) noexcept {
  Register squares[kSums] = {};
  for_registers(x, cols, 0.0f, [&](Index s, Register v) { squares[s] = madd(v, v, squares[s]); });
  const double square = total(squares) / static_cast<double>(cols);
  const InverseRoot inverse = inverse_root(square, eps);
  const Register high = broadcast(inverse.high), low = broadcast(inverse.low);
  map_row(x, weight, nullptr, out, cols, [&](Register v) { return madd(v, high, v * low); });
  return inverse.high;
}

}  // namespace

extern const NormKernels kNormKernels;
const NormKernels kNormKernels{layer_norm, rms_norm};

}  // namespace tril::TRIL_ISA
