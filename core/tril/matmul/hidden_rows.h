// Products in which a 0 of A hides a row of B from a row of the output, whatever it holds: by plain
// arithmetic 0 * NaN and 0 * infinity are NaN. Masks and dropout put zeros where nothing may be
// seen, and a gradient is 0 where nothing flows back.
//
// B is multiplied with 0 where it is not finite, so that whoever does not see these elements gets
// the same bits as from any finite numbers there; whoever does see them gets them added.
#pragma once

#include <tril/foundation/context.h>
#include <tril/matmul/matmul.h>

#include <cmath>

namespace tril::detail {

bool all_finite(const float* x, Index count) noexcept;

// Elements that are NaN or infinite become 0.
void clear_not_finite(float* x, Index count) noexcept;

// out[i] += factor(i, k) * b[k] for those elements of row k of b that are not finite, where the
// factor is not 0.
template <typename Factor>
void add_not_finite(const MatrixView<const float>& b, Index rows, const MatrixView<float>& out,
                    const Factor& factor) noexcept {
  for (Index k = 0; k < b.size(0); ++k) {
    const float* const from = b[k].data();
    if (all_finite(from, b.size(1))) continue;
    for (Index i = 0; i < rows; ++i) {
      const float by = factor(i, k);
      if (by == 0.0f) continue;
      for (Index j = 0; j < b.size(1); ++j) {
        if (!std::isfinite(from[j])) out[i].data()[j] += by * from[j];
      }
    }
  }
}

// out = A B, or A^T B with options.transpose_a, where a 0 of A hides. B as it is given. Adds to out
// with options.accumulate.
void run_hiding_matmul(const MatrixView<const float>& a, const MatrixView<const float>& b,
                       const MatmulOptions& options, const MatrixView<float>& out,
                       const Context& context);

// x, or a copy in the frame's memory with 0 in the rows whose gradient d is all 0 though they are
// not finite: nothing flows through these.
MatrixView<const float> live_rows(const MatrixView<const float>& x,
                                  const MatrixView<const float>& d, Scratch::Frame& frame);

// Whether all are 0; looks no further than the first that is not.
inline bool all_zero(const float* x, Index count) noexcept {
  Index i = 0;
  while (i < count && x[i] == 0.0f) ++i;
  return i == count;
}

}  // namespace tril::detail
