// Helpers for the tests of products: inputs with exact sums, matrices with watched surroundings,
// and the derived error bound.
#pragma once

#include <tril/foundation/random.h>
#include <tril/matmul/matmul.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/compare.h"

namespace tril::testing {

// A matrix with gaps of `gap` elements between its rows. It occupies exactly the memory of its
// view, so that an address sanitizer sees a read beyond it; the gaps hold kUntouched, which must
// not reach a result and must not change.
class Strided {
 public:
  static constexpr float kUntouched = -12345.678f;

  Strided(Index rows, Index cols, Index gap = 0)
      : rows_(rows),
        cols_(cols),
        stride_(cols + gap),
        data_(static_cast<std::size_t>((rows - 1) * stride_ + cols), kUntouched) {}

  MatrixView<float> view() { return {data_.data(), {rows_, cols_}, {stride_, 1}}; }
  MatrixView<const float> view() const { return {data_.data(), {rows_, cols_}, {stride_, 1}}; }

  bool gaps_untouched() const {
    for (Index i = 0; i < static_cast<Index>(data_.size()); ++i) {
      if (i % stride_ >= cols_ && data_[static_cast<std::size_t>(i)] != kUntouched) return false;
    }
    return true;
  }

 private:
  Index rows_, cols_, stride_;
  std::vector<float> data_;
};

// Fills with integers in [-8, 8]: sums of up to 2^24 / 64 products are exact in any order.
inline void fill_integers(const MatrixView<float>& out, Random& random) {
  for (Index i = 0; i < out.size(0); ++i) {
    for (Index j = 0; j < out.size(1); ++j) out[i][j] = static_cast<float>(random.below(17)) - 8;
  }
}

// One product, its inputs, and its expected result.
struct MatmulCase {
  MatmulCase(Index rows, Index cols, Index depth, const MatmulOptions& asked, Index gap = 0)
      : options(asked),
        a(options.transpose_a ? depth : rows, options.transpose_a ? rows : depth, gap),
        b(options.transpose_b ? cols : depth, options.transpose_b ? depth : cols, 2 * gap),
        out(rows, cols, 3 * gap),
        expected(static_cast<std::size_t>(rows * cols)),
        depth(depth) {}

  MatrixView<double> expected_view() { return {expected.data(), out.view().shape()}; }

  // Integers everywhere, also in `out`; the expected product is exact.
  void fill_exactly(Random& random) {
    fill_integers(a.view(), random);
    fill_integers(b.view(), random);
    fill_integers(out.view(), random);
    expect();
  }
  void fill_normally(Random& random) {
    fill_normal(a.view(), random);
    fill_normal(b.view(), random);
    fill_normal(out.view(), random);
    expect();
  }
  // The product accumulates to the current contents of `out`.
  void expect() {
    for (Index i = 0; i < out.view().size(0); ++i) {
      for (Index j = 0; j < out.view().size(1); ++j) expected_view()[i][j] = out.view()[i][j];
    }
    matmul_reference(a.view(), b.view(), options, expected_view());
  }

  // 4 epsilon * depth * max|a| * max|b| covers the sum: depth products and additions round, by half
  // an epsilon each, and the partial sums of blocks are at most as many again. alpha scales it and
  // rounds once more; adding to out rounds at the size of the result.
  double bound() {
    const double size = static_cast<double>(depth) * max_abs(a.view()) * max_abs(b.view()) *
                        std::fabs(options.alpha);
    return 4 * kEpsilon * size + kEpsilon * max_abs(expected_view());
  }

  std::string name() const {
    return shape_text(a.view()) + (options.transpose_a ? "^T" : "") + " * " + shape_text(b.view()) +
           (options.transpose_b ? "^T" : "") + ", alpha " + std::to_string(options.alpha) +
           (options.accumulate ? ", accumulated" : "");
  }

  MatmulOptions options;
  Strided a, b, out;
  std::vector<double> expected;
  Index depth;
};

}  // namespace tril::testing
