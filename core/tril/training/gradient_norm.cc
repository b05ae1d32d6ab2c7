#include <tril/foundation/check.h>
#include <tril/training/gradient_norm.h>
#include <tril/training/optimizer_kernels.h>

#include <algorithm>
#include <cmath>

namespace tril {

double gradient_norm(VectorView<const float> gradient, const Context& context) {
  constexpr Index kPiece = 65536;  // elements
  check_view(gradient, "gradient_norm", "gradient");
  const Index size = gradient.size(0), pieces = (size + kPiece - 1) / kPiece;
  Scratch::Frame frame(context.scratch);
  double* const sums = frame.take<double>(pieces);
  const auto kernel = optimizer_kernels().squares;
  context.parallel.for_each(pieces, [&](Index piece, int) {
    const Index first = piece * kPiece;
    sums[piece] = kernel(gradient.data() + first, std::min(kPiece, size - first));
  });
  double sum = 0;
  for (Index piece = 0; piece < pieces; ++piece) sum += sums[piece];
  return std::sqrt(sum);
}

double clip_scale(double norm, double largest) {
  if (!(std::isfinite(largest) && largest > 0)) {
    fail("clip_scale", "largest", {"must be finite and above 0, is ", largest});
  }
  if (!(std::isfinite(norm) && norm >= 0)) {
    fail("clip_scale", "norm", {"must be finite and at least 0, is ", norm});
  }
  return std::min(1.0, largest / (norm + 1e-6));
}

}  // namespace tril
