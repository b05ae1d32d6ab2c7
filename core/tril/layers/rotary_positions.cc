#include <tril/foundation/check.h>
#include <tril/foundation/elementary.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/unchecked.h>

#include <algorithm>
#include <cmath>

namespace tril {
namespace {

using detail::Direction;

// Rotates `pairs` pairs in one token's head; the second element of a pair lies `distance` after the
// first, and the next pair begins `step` further.
template <Direction direction>
void turn(const float* x, const float* cos, const float* sin, Index pairs, Index distance,
          Index step, float* out) noexcept {
  for (Index i = 0; i < pairs; ++i) {
    const float a = x[i * step], b = x[i * step + distance];
    const float sine = direction == Direction::forward ? sin[i] : -sin[i];
    out[i * step] = cos[i] * a - sine * b;
    out[i * step + distance] = sine * a + cos[i] * b;
  }
}

void check(const char* call, const char* from_name, const TensorView<const float, 4>& from,
           const TensorView<const float, 3>& cos, const TensorView<const float, 3>& sin,
           const char* to_name, const TensorView<float, 4>& to) {
  check_view(from, call, from_name, Empty::allowed);
  check_view(cos, call, "cos", Empty::allowed);
  const Index width = from.size(3), count = cos.size(2);
  const Message why{from_name, " is ", from};
  check_shape(cos, {from.size(0), from.size(2), count}, call, "cos", why);
  check_shape(sin, cos.shape(), call, "sin", "the shape of cos");
  if (2 * count > width) {
    fail(call, "cos",
         {"two elements for each of ", count, " pairs do not fit in width ", width, "; cos is ",
          cos, ", ", why});
  }
  check_shape(to, from.shape(), call, to_name, {"the shape of ", from_name});
  check_in_place(to, from, call, to_name);
  check_no_overlap(to, cos, call, to_name);
  check_no_overlap(to, sin, call, to_name);
}

// Radians per position for pair i of `pairs`: base^(-i / pairs).
double speed_of(double base, Index i, Index pairs) noexcept {
  return exponential(logarithm(base) * -static_cast<double>(i) / static_cast<double>(pairs));
}

// The scaled base that replaces `base`.
double scaled_base(double base, const RotaryScaling& scaling, Index pairs) noexcept {
  const double length = static_cast<double>(scaling.length);
  const double original = static_cast<double>(scaling.original);
  if (scaling.kind != RotaryScalingKind::dynamic || length <= original || pairs < 2) return base;
  const double stretch = scaling.factor * length / original - (scaling.factor - 1);
  const double R = 2 * static_cast<double>(pairs);
  return base * exponential(logarithm(stretch) * R / (R - 2));
}

// The factors of longrope for a text of this length.
const std::vector<double>& factors_of(const RotaryScaling& scaling) noexcept {
  return scaling.length > scaling.original ? scaling.long_factors : scaling.short_factors;
}

// The scaled frequency of pair i.
double scaled_speed(double speed, Index i, const RotaryScaling& scaling) noexcept {
  if (scaling.kind == RotaryScalingKind::linear) return speed / scaling.factor;
  if (scaling.kind == RotaryScalingKind::longrope) {
    return speed / factors_of(scaling)[static_cast<std::size_t>(i)];
  }
  if (scaling.kind != RotaryScalingKind::llama3) return speed;
  constexpr double kTurn = 6.283185307179586;
  const double turns = static_cast<double>(scaling.original) * speed / kTurn;  // within `original`
  const double share = (turns - scaling.low) / (scaling.high - scaling.low);
  const double kept = std::fmin(std::fmax(share, 0), 1);
  return (1 - kept) * speed / scaling.factor + kept * speed;
}

}  // namespace

double detail::fastest_rotary_speed(double base, const RotaryScaling& scaling,
                                    Index pairs) noexcept {
  const double new_base = scaled_base(base, scaling, pairs);
  double fastest = 0;
  for (Index i = 0; i < pairs; ++i) {
    fastest = std::max(fastest, scaled_speed(speed_of(new_base, i, pairs), i, scaling));
  }
  return fastest;
}

void check_rotary_scaling(const RotaryScaling& scaling, Index pairs, const char* call,
                          const RotaryScalingNames& names) {
  const auto check_positive = [&](double value, const char* name) {
    if (!(std::isfinite(value) && value > 0)) {
      fail(call, name, {"must be finite and above 0, is ", value});
    }
  };
  if (scaling.kind == RotaryScalingKind::none) return;
  check_positive(scaling.factor, names.factor);
  if (scaling.kind == RotaryScalingKind::linear) return;
  if (scaling.original < 1) {
    fail(call, names.original, {"must be at least 1, is ", scaling.original});
  }
  if (scaling.length < 0) fail(call, "scaling.length", {"must be at least 0, is ", scaling.length});
  if (scaling.kind == RotaryScalingKind::longrope) {
    const auto check_factors = [&](const std::vector<double>& factors, const char* name) {
      if (std::ssize(factors) != pairs) {
        fail(call, name, {"must be ", pairs, " numbers, one a pair, are ", std::ssize(factors)});
      }
      for (const double each : factors) check_positive(each, name);
    };
    check_factors(scaling.short_factors, names.short_factors);
    check_factors(scaling.long_factors, names.long_factors);
    return check_positive(scaling.magnitude, names.magnitude);
  }
  if (scaling.factor < 1) fail(call, names.factor, {"must be at least 1, is ", scaling.factor});
  if (scaling.kind == RotaryScalingKind::dynamic) return;
  if (!(scaling.low > 0 && scaling.high > scaling.low && std::isfinite(scaling.high))) {
    fail(call, names.high,
         {"must be above low, both above 0; they are ", scaling.high, " and ", scaling.low});
  }
}

void rotary_angles(VectorView<const std::int32_t> positions, double base, MatrixView<float> cos,
                   MatrixView<float> sin) {
  rotary_angles(positions, base, {}, cos, sin);
}

void rotary_angles(VectorView<const std::int32_t> positions, double base,
                   const RotaryScaling& scaling, MatrixView<float> cos, MatrixView<float> sin) {
  constexpr const char* kCall = "rotary_angles";
  check_view(positions, kCall, "positions", Empty::allowed);
  check_view(cos, kCall, "cos", Empty::allowed);
  const Index tokens = positions.size(0), pairs = cos.size(1);
  const Message why{"positions is ", positions};
  check_shape(cos, {tokens, pairs}, kCall, "cos", why);
  check_shape(sin, cos.shape(), kCall, "sin", "the shape of cos");
  check_no_overlap(sin, cos, kCall, "sin");
  check_no_overlap(cos, positions, kCall, "cos");
  check_no_overlap(sin, positions, kCall, "sin");
  if (!(std::isfinite(base) && base > 0)) {
    fail(kCall, "base", {"must be finite and above 0, is ", base});
  }
  check_rotary_scaling(scaling, pairs, kCall);
  if (cos.count() == 0) return;
  const double fastest = detail::fastest_rotary_speed(base, scaling, pairs);
  for (Index n = 0; n < tokens; ++n) {
    if (std::fabs(positions[n] * fastest) <= kLargestAngle) continue;
    fail(kCall, "positions",
         {positions[n], " times ", fastest, " radians, the fastest pair's, is more than 2^31"});
  }
  detail::run_rotary_angles(positions, base, scaling, cos, sin);
}

void detail::run_rotary_angles(const VectorView<const std::int32_t>& positions, double base,
                               const RotaryScaling& scaling, const MatrixView<float>& cos,
                               const MatrixView<float>& sin) noexcept {
  const Index pairs = cos.size(1);
  const double new_base = scaled_base(base, scaling, pairs);
  const double magnitude = scaling.kind == RotaryScalingKind::longrope ? scaling.magnitude : 1;
  for (Index i = 0; i < pairs; ++i) {
    const double speed = scaled_speed(speed_of(new_base, i, pairs), i, scaling);
    for (Index n = 0; n < positions.size(0); ++n) {
      const SineAndCosine both = sine_and_cosine(positions[n] * speed);
      cos[n][i] = static_cast<float>(magnitude * both.cosine);
      sin[n][i] = static_cast<float>(magnitude * both.sine);
    }
  }
}

void rotary_positions(TensorView<const float, 4> x, TensorView<const float, 3> cos,
                      TensorView<const float, 3> sin, RotaryPairs pairs, TensorView<float, 4> out,
                      const Context& context) {
  check("rotary_positions", "x", x, cos, sin, "out", out);
  detail::turn_pairs(Direction::forward, x, cos, sin, pairs, out, context);
}

void rotary_positions_backward(TensorView<const float, 4> d_out, TensorView<const float, 3> cos,
                               TensorView<const float, 3> sin, RotaryPairs pairs,
                               TensorView<float, 4> d_x, const Context& context) {
  check("rotary_positions_backward", "d_out", d_out, cos, sin, "d_x", d_x);
  detail::turn_pairs(Direction::backward, d_out, cos, sin, pairs, d_x, context);
}

// for each token of each batch: for each head: rotate its pairs, copy the rest
void detail::turn_pairs(Direction direction, const TensorView<const float, 4>& x,
                        const TensorView<const float, 3>& cos,
                        const TensorView<const float, 3>& sin, RotaryPairs pairs,
                        const TensorView<float, 4>& out, const Context& context) {
  const Index heads = x.size(1), tokens = x.size(2), width = x.size(3), count = cos.size(2);
  const Index distance = pairs == RotaryPairs::halves ? count : 1;
  const Index step = pairs == RotaryPairs::halves ? 1 : 2;
  const auto turn_head =
      direction == Direction::forward ? turn<Direction::forward> : turn<Direction::backward>;
  for_row_ranges(x.size(0) * tokens, heads * width, context, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      const Index b = row / tokens, t = row % tokens;
      for (Index h = 0; h < heads; ++h) {
        const float* const from = x[b][h][t].data();
        float* const to = out[b][h][t].data();
        turn_head(from, cos[b][t].data(), sin[b][t].data(), count, distance, step, to);
        if (to != from) std::copy(from + 2 * count, from + width, to + 2 * count);
      }
    }
  });
}

}  // namespace tril
