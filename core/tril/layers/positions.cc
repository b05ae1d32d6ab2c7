#include <tril/foundation/check.h>
#include <tril/foundation/elementary.h>
#include <tril/layers/positions.h>

#include <algorithm>
#include <cmath>

namespace tril {
namespace {

constexpr double kTwoPi = 6.283185307179586;

void check_positive(const std::optional<double>& option, const char* name) {
  if (option && !(std::isfinite(*option) && *option > 0)) {
    fail("sinusoidal_positions", name, {"must be finite and above 0, is ", *option});
  }
}

}  // namespace

void sinusoidal_positions(const SinusoidalOptions& options, MatrixView<float> out) {
  check_view(out, "sinusoidal_positions", "out", Empty::allowed);
  const Index positions = out.size(0), width = out.size(1);
  if (width % 2 != 0) {
    fail("sinusoidal_positions", "out",
         {"the last axis must be even, one sine and one cosine a pair; shape is ", out});
  }
  check_positive(options.wavelength, "wavelength");
  check_positive(options.ratio, "ratio");

  if (out.count() == 0) return;

  // Radians per token: 2 pi / (wavelength * ratio^i), monotonic in i.
  const double first = kTwoPi / options.wavelength.value_or(kTwoPi);
  const double step =
      options.ratio ? logarithm(*options.ratio) : logarithm(10000) * 2 / static_cast<double>(width);
  const auto turn = [&](Index i) { return first * exponential(-step * static_cast<double>(i)); };
  const double most = std::max(turn(0), turn(width / 2 - 1)) * static_cast<double>(positions);
  if (!(most <= kLargestAngle)) {
    fail("sinusoidal_positions", "ratio", "the wavelengths run out of range towards 0");
  }
  for (Index i = 0; i < width / 2; ++i) {
    const double speed = turn(i);
    for (Index t = 0; t < positions; ++t) {
      const SineAndCosine both = sine_and_cosine(static_cast<double>(t) * speed);
      out[t][2 * i] = static_cast<float>(both.sine);
      out[t][2 * i + 1] = static_cast<float>(both.cosine);
    }
  }
}

}  // namespace tril
