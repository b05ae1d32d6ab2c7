#include <tril/foundation/elementary.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/rotary_positions.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tril {
namespace {

// Turns `pairs` pairs of one token's head; the elements of a pair are `apart`, the next pair begins
// `step` further.
void turn(const float* x, const float* cosine, const float* sine, Index pairs, Index apart,
          Index step, float* out) noexcept {
  for (Index i = 0; i < pairs; ++i) {
    const float a = x[i * step], b = x[i * step + apart];
    out[i * step] = cosine[i] * a - sine[i] * b;
    out[i * step + apart] = sine[i] * a + cosine[i] * b;
  }
}

}  // namespace

void rotary_angles(VectorView<const std::int32_t> positions, double base, MatrixView<float> cosine,
                   MatrixView<float> sine) {
  constexpr const char* kCall = "rotary_angles";
  check_view(positions, kCall, "positions");
  check_view(cosine, kCall, "cosine");
  const Index tokens = positions.size(0), pairs = cosine.size(1);
  const std::string why = "positions is " + shape_text(positions);
  check_shape(cosine, {tokens, pairs}, kCall, "cosine", why);
  check_shape(sine, cosine.shape(), kCall, "sine", "the shape of cosine");
  check_no_overlap(sine, cosine, kCall, "sine");
  check_no_overlap(cosine, positions, kCall, "cosine");
  check_no_overlap(sine, positions, kCall, "sine");
  if (!(std::isfinite(base) && base > 0)) {
    fail(kCall, "base", "must be finite and above 0, is " + number_text(base));
  }
  // Radians a position: base^(-i / pairs), monotonic in i.
  const auto turn = [&](Index i) {
    return exponential(logarithm(base) * -static_cast<double>(i) / static_cast<double>(pairs));
  };
  const double fastest = std::max(turn(0), turn(pairs - 1));
  for (Index n = 0; n < tokens; ++n) {
    if (std::fabs(positions[n] * fastest) <= kLargestAngle) continue;
    fail(kCall, "positions",
         std::to_string(positions[n]) + " times " + number_text(fastest) +
             " radians, the fastest pair's, is more than 2^31");
  }
  for (Index i = 0; i < pairs; ++i) {
    const double speed = turn(i);
    for (Index n = 0; n < tokens; ++n) {
      const SineAndCosine both = sine_and_cosine(positions[n] * speed);
      cosine[n][i] = static_cast<float>(both.cosine);
      sine[n][i] = static_cast<float>(both.sine);
    }
  }
}

void rotary_positions(TensorView<const float, 4> x, TensorView<const float, 3> cosine,
                      TensorView<const float, 3> sine, RotaryPairs pairs, TensorView<float, 4> out,
                      Parallel& parallel) {
  constexpr const char* kCall = "rotary_positions";
  check_view(x, kCall, "x");
  check_view(cosine, kCall, "cosine");
  const Index heads = x.size(1), tokens = x.size(2), width = x.size(3), count = cosine.size(2);
  const std::string why = "x is " + shape_text(x);
  check_shape(cosine, {x.size(0), tokens, count}, kCall, "cosine", why);
  check_shape(sine, cosine.shape(), kCall, "sine", "the shape of cosine");
  if (2 * count > width) {
    fail(kCall, "cosine",
         "two elements for each of " + std::to_string(count) + " pairs do not fit in width " +
             std::to_string(width) + "; cosine is " + shape_text(cosine) + ", " + why);
  }
  check_shape(out, x.shape(), kCall, "out", "the shape of x");
  check_in_place(out, x, kCall, "out");
  check_no_overlap(out, cosine, kCall, "out");
  check_no_overlap(out, sine, kCall, "out");

  const Index apart = pairs == RotaryPairs::halves ? count : 1;
  const Index step = pairs == RotaryPairs::halves ? 1 : 2;
  // for each token of each batch: for each head: turn its pairs, copy the rest
  for_row_ranges(x.size(0) * tokens, heads * width, parallel, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      const Index b = row / tokens, t = row % tokens;
      for (Index h = 0; h < heads; ++h) {
        const float* const from = x[b][h][t].data();
        float* const to = out[b][h][t].data();
        turn(from, cosine[b][t].data(), sine[b][t].data(), count, apart, step, to);
        if (to != from) std::copy(from + 2 * count, from + width, to + 2 * count);
      }
    }
  });
}

}  // namespace tril
