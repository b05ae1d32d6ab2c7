// Products in which a 0 of A hides a row of B from a row of the output, whatever its elements; in
// plain arithmetic 0 * NaN and 0 * infinity are NaN. Such zeros come from masks, dropout, and
// gradients that are 0.
//
// Elements of B that are not finite are replaced by 0 in the product, so that rows that do not see
// them get the same bits as with any finite numbers there; they are then added to the rows that see
// them.
#pragma once

#include <tril/foundation/context.h>
#include <tril/matmul/matmul.h>

#include <cmath>

namespace tril::detail {

bool all_finite(const float* x, Index count) noexcept;

// Sets elements that are NaN or infinite to 0.
void clear_not_finite(float* x, Index count) noexcept;

// out[i] += factor(i, k) * b[k] for elements of row k of b that are not finite, where the factor is
// not 0.
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

// out = A B, or A^T B with options.transpose_a, where a 0 of A hides. Adds to out with
// options.accumulate.
void run_hiding_matmul(const MatrixView<const float>& a, const MatrixView<const float>& b,
                       const MatmulOptions& options, const MatrixView<float>& out,
                       const Context& context);

// x without rows that have no effect on the gradient: a row that is not finite and whose gradient d
// is all 0 becomes 0 in a copy in the frame's memory. If there is no such row, x itself is
// returned.
MatrixView<const float> live_rows(const MatrixView<const float>& x,
                                  const MatrixView<const float>& d, Scratch::Frame& frame);

// Whether all elements are 0; stops at the first that is not.
inline bool all_zero(const float* x, Index count) noexcept {
  Index i = 0;
  while (i < count && x[i] == 0.0f) ++i;
  return i == count;
}

}  // namespace tril::detail
