#include <tril/attention/triangular.h>
#include <tril/foundation/check.h>

#include <algorithm>

namespace tril {
namespace {

template <int Rank>
void check(const TensorView<const float, Rank>& x, const TensorView<float, Rank>& out) {
  check_view(x, "triangular", "x", Empty::allowed);
  check_shape(out, x.shape(), "triangular", "out", "that of x");
  check_in_place(out, x, "triangular", "out");
}

void keep(MatrixView<const float> x, const TriangularOptions& options, MatrixView<float> out) {
  const Index rows = x.size(0), cols = x.size(1);
  // Diagonals beyond the corners are equivalent to those at the corners.
  const Index diagonal = std::clamp(options.diagonal, -rows, cols);
  for (Index i = 0; i < rows; ++i) {
    const bool lower = options.part == Triangle::lower;
    const Index split = std::clamp(i + diagonal + (lower ? 1 : 0), Index{0}, cols);
    const Index first = lower ? 0 : split, last = lower ? split : cols;
    float* const to = out[i].data();
    std::fill(to, to + first, 0.0f);
    if (out.data() != x.data()) std::copy(x[i].data() + first, x[i].data() + last, to + first);
    std::fill(to + last, to + cols, 0.0f);
  }
}

}  // namespace

void triangular(TensorView<const float, 3> x, const TriangularOptions& options,
                TensorView<float, 3> out) {
  check(x, out);
  for (Index n = 0; n < x.size(0); ++n) keep(x[n], options, out[n]);
}

void triangular(MatrixView<const float> x, const TriangularOptions& options,
                MatrixView<float> out) {
  check(x, out);
  keep(x, options, out);
}

}  // namespace tril
