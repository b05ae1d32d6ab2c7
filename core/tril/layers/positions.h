// Positions as vectors: sines and cosines whose wavelengths are a geometric progression.
//
//   out[t, 2 i]     = sin(2 pi t / (wavelength * ratio^i))
//   out[t, 2 i + 1] = cos(2 pi t / (wavelength * ratio^i))     i = 0 .. D / 2 - 1
#pragma once

#include <tril/foundation/tensor.h>

#include <optional>

namespace tril {

// The wavelengths of the pairs.
struct SinusoidalOptions {
  // The wavelength of the first pair, in tokens (default 2 pi, as in the paper).
  std::optional<double> wavelength = {};
  // The ratio of a pair's wavelength to the one before (default 10000^(2 / D), as in the paper).
  std::optional<double> ratio = {};
};

// out is [T, D], D even; row t is position t. The defaults give the table of Vaswani et al. 2017,
// section 3.5. Computed in double and rounded once. Throws Error for an odd D, for options that are
// not finite and above 0, and where an angle would be more than 2^31 radians.
void sinusoidal_positions(const SinusoidalOptions& options, MatrixView<float> out);

}  // namespace tril
