// Layer normalisation in three passes over a row, by the corrected two-pass algorithm (Chan, Golub,
// LeVeque 1983):
//
//   shift = 1/C sum x, as far as float can tell
//   d = x - shift;  rest = 1/C sum d;  variance = 1/C sum d^2 - rest^2
//   mean = shift + rest, in double;  centre = mean, rounded, or 0 where the mean is small
//   out = ((x - centre) - (mean - centre)) / sqrt(variance + eps) * weight + bias
//
// Where squares leave the range of float, all this is done again with x times a power of two, which
// changes no digit; eps then counts for less or more accordingly.
//
// Differences of x are rounded once, however large the mean, and the rounding of the mean is
// compensated: the error depends on the deviations alone. Every sum is kept in four registers, at
// least 16 partial sums: with C / 16 terms in each, its relative error is at most C / 16 + 6
// roundings.
#include <tril/foundation/simd.h>
#include <tril/layers/norm_kernels.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tril::TRIL_ISA {
namespace {

constexpr Index kSums = 4;  // enough to hide an addition's latency of 4 cycles

// The ways to read a row: unchanged, or times a power of two.
struct AsItIs {
  static constexpr double factor = 1;
  Register operator()(const float* from) const noexcept { return load(from); }
  Register part(const float* from, Index count, float fill) const noexcept {
    return load_part(from, count, fill);
  }
};
struct Scaled {
  double factor;
  Register operator()(const float* from) const noexcept {
    return load(from) * broadcast(static_cast<float>(factor));
  }
  Register part(const float* from, Index count, float fill) const noexcept {
    Register value = load_part(from, count, 0.0f) * broadcast(static_cast<float>(factor));
    for (Index lane = count; lane < kLanes; ++lane) value[lane] = fill;
    return value;
  }
};

// Calls body(s, x[c..]) for each register of the row, with s cycling through the partial sums;
// lanes beyond the end hold `fill`.
template <typename Read, typename Body>
void for_registers(const float* x, Index cols, float fill, const Read& read,
                   const Body& body) noexcept {
  Index c = 0;
  for (; c + kSums * kLanes <= cols; c += kSums * kLanes) {
    for (Index s = 0; s < kSums; ++s) body(s, read(x + c + s * kLanes));
  }
  Index s = 0;
  for (; c + kLanes <= cols; c += kLanes) body(s++, read(x + c));
  if (c < cols) body(s, read.part(x + c, cols - c, fill));
}

// Scales the largest element to [4, 8), as far as a factor within the range of float can, so that
// sums of squares stay in range: 2^2 to 2^6 times the count.
Scaled scale_of(const float* x, Index cols) noexcept {
  Register largest[kSums] = {};
  for_registers(x, cols, 0.0f, AsItIs(),
                [&](Index s, Register v) { largest[s] = max(max(v, -v), largest[s]); });
  const float most = reduce_max(max(max(largest[0], largest[1]), max(largest[2], largest[3])));
  if (!(most > 0 && most < std::numeric_limits<float>::infinity())) return {1};
  return {std::ldexp(1.0, std::clamp(2 - std::ilogb(most), -125, 126))};
}

// Whether a mean of squares of floats, plus eps, is exact enough: squares below 2^-126 lose digits,
// at most 2^-150 each, which is 2^-50 of such a sum.
bool in_range(double square) noexcept {
  return square >= 0x1p-100 && square < std::numeric_limits<double>::infinity();
}

double total(const Register (&sums)[kSums]) noexcept {
  return reduce_add((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// out[c] = function(x[c]) * weight[c] + bias[c].
template <typename Read, typename Function>
void map_row(const float* x, const float* weight, const float* bias, float* out, Index cols,
             const Read& read, const Function& function) noexcept {
  Index c = 0;
  for (; c + kLanes <= cols; c += kLanes) {
    Register y = function(read(x + c));
    if (weight)
      y = bias ? madd(y, load(weight + c), load(bias + c)) : y * load(weight + c);
    else if (bias)
      y += load(bias + c);
    store(out + c, y);
  }
  if (c == cols) return;
  const Index rest = cols - c;
  Register y = function(read.part(x + c, rest, 0.0f));
  if (weight) y *= load_part(weight + c, rest, 0.0f);
  if (bias) y += load_part(bias + c, rest, 0.0f);
  store_part(out + c, y, rest);
}

// 1 / sqrt(square + eps) as the sum of two floats: the rounding of one float would be the largest
// error of the row, and the same for all its elements.
struct InverseRoot {
  float high, low;
};

InverseRoot inverse_root(double square) noexcept {
  double inverse = 1.0 / std::sqrt(square);
  // It overflows float only where every deviation is 0, or rounds to 0: the product with 0 is 0.
  if (std::isfinite(inverse)) inverse = std::min(inverse, 0x1p127);
  const auto high = static_cast<float>(inverse);
  return {high, static_cast<float>(inverse - high)};
}

struct Spread {
  double mean, variance;
};

template <typename Read>
Spread spread(const float* x, Index cols, const Read& read) noexcept {
  const auto count = static_cast<double>(cols);
  Register sums[kSums] = {}, squares[kSums] = {};
  for_registers(x, cols, 0.0f, read, [&](Index s, Register v) { sums[s] += v; });
  const auto shift = static_cast<float>(total(sums) / count);

  const Register shifts = broadcast(shift);
  for (Register& sum : sums) sum = Register{};
  for_registers(x, cols, shift, read, [&](Index s, Register v) {
    const Register d = v - shifts;
    sums[s] += d;
    squares[s] = madd(d, d, squares[s]);
  });
  const double rest = total(sums) / count;
  const double variance = total(squares) / count - rest * rest;
  // Rounding can make a variance of 0 slightly negative. NaN is kept.
  return {shift + rest, variance < 0 ? 0 : variance};
}

// `spread` and eps are those of the row as `read` gives it.
template <typename Read>
NormKernels::Moments normalise(const float* x, const float* weight, const float* bias, double eps,
                               const Spread& spread, float* out, Index cols,
                               const Read& read) noexcept {
  const InverseRoot inverse = inverse_root(spread.variance + eps);
  // For a mean that is small compared to the deviations, a difference would only add rounding.
  const double mean = spread.mean;
  const bool small = std::fabs(mean) * inverse.high <= 0.5;
  const float centre = small ? 0.0f : static_cast<float>(mean);
  const Register centres = broadcast(centre);
  const Register high = broadcast(inverse.high), low = broadcast(inverse.low);
  const Register offset = broadcast(static_cast<float>((centre - mean) * inverse.high));
  map_row(x, weight, bias, out, cols, read, [&](Register v) {
    const Register d = v - centres;
    return madd(d, high, madd(d, low, offset));
  });
  return {static_cast<float>(mean / read.factor), static_cast<float>(inverse.high * read.factor)};
}

NormKernels::Moments layer_norm(const float* x, const float* weight, const float* bias, double eps,
                                float* out, Index cols) noexcept {
  const Spread found = spread(x, cols, AsItIs());
  if (in_range(found.variance + eps)) {
    return normalise(x, weight, bias, eps, found, out, cols, AsItIs());
  }
  const Scaled scaled = scale_of(x, cols);
  return normalise(x, weight, bias, eps * scaled.factor * scaled.factor, spread(x, cols, scaled),
                   out, cols, scaled);
}

template <typename Read>
double mean_square(const float* x, Index cols, const Read& read) noexcept {
  Register squares[kSums] = {};
  for_registers(x, cols, 0.0f, read,
                [&](Index s, Register v) { squares[s] = madd(v, v, squares[s]); });
  return total(squares) / static_cast<double>(cols);
}

// `square` is the mean square of the row as `read` gives it, plus eps.
template <typename Read>
float divide_by_root(const float* x, const float* weight, double square, float* out, Index cols,
                     const Read& read) noexcept {
  const InverseRoot inverse = inverse_root(square);
  const Register high = broadcast(inverse.high), low = broadcast(inverse.low);
  map_row(x, weight, nullptr, out, cols, read, [&](Register v) { return madd(v, high, v * low); });
  return static_cast<float>(inverse.high * read.factor);
}

float rms_norm(const float* x, const float* weight, double eps, float* out, Index cols) noexcept {
  const double square = mean_square(x, cols, AsItIs()) + eps;
  if (in_range(square)) return divide_by_root(x, weight, square, out, cols, AsItIs());
  const Scaled scaled = scale_of(x, cols);
  return divide_by_root(x, weight,
                        mean_square(x, cols, scaled) + eps * scaled.factor * scaled.factor, out,
                        cols, scaled);
}

}  // namespace

extern const NormKernels kNormKernels;
const NormKernels kNormKernels{layer_norm, rms_norm};

}  // namespace tril::TRIL_ISA
