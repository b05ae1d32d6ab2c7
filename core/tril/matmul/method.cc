#include <tril/matmul/eigen_kernels.h>
#include <tril/matmul/loop_orders.h>
#include <tril/matmul/method.h>
#include <tril/matmul/strassen.h>
#include <tril/matmul/tiled.h>

#include <algorithm>
#include <limits>

namespace tril::detail {

namespace {

// The fastest method for products of at most this many multiplications; the last line is for all
// larger ones. Measured natively, one thread, by the median of 9 rounds: 4 * 4 * 4 takes ijk 66 ns
// and tiled 114, 6 * 6 * 6 takes ijk 129 ns and tiled 121; every other method is slower from there
// on.
//
// Strassen is never chosen: it is faster for large products, but errs by the size of the largest
// element where the others err by the size of each, and spreads NaN. It must be asked for.
struct Choice {
  double most;
  MatmulMethod method;
};
constexpr Choice kChoices[] = {{100, MatmulMethod::ijk},
                               {std::numeric_limits<double>::infinity(), MatmulMethod::tiled}};

// A sum without terms.
void fill_zero(const Product& product) noexcept {
  for (Index row = 0; row < product.rows; ++row) {
    std::fill_n(product.out + row * product.out_stride, product.cols, 0.0f);
  }
}

}  // namespace

MatmulMethod fastest_method(Index rows, Index cols, Index depth) {
  // In double, since 2048 * 2048 * 2048 would overflow an Index of 32 bits to 0.
  const double multiplications =
      static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(depth);
  const Choice* choice = kChoices;
  while (multiplications > choice->most) ++choice;
  return choice->method;
}

void run_matmul(const MatrixView<const float>& a, const MatrixView<const float>& b,
                const MatmulOptions& options, const MatrixView<float>& out,
                const Context& context) {
  run_method(options.method, product_of(a, b, options, out), context);
}

void run_method(MatmulMethod method, const ProductBatch& batch, const Context& context) {
  const Product& first = batch.first;
  const Index count = batch.count();
  if (count == 0 || first.rows == 0 || first.cols == 0) return;
  if (first.depth == 0) {
    for (Index n = 0; n < count && !first.accumulate; ++n) fill_zero(batch[n]);
    return;
  }
  if (method == MatmulMethod::automatic) {
    method = fastest_method(first.rows, first.cols, first.depth);
  }
  switch (method) {
    case MatmulMethod::tiled:
      return multiply_tiled(batch, context);
    case MatmulMethod::strassen: {
      const int levels =
          first.levels < 0 ? strassen_levels(first.rows, first.cols, first.depth) : first.levels;
      for (Index n = 0; n < count; ++n) multiply_strassen(batch[n], levels, context);
      return;
    }
    case MatmulMethod::eigen:
      for (Index n = 0; n < count; ++n) eigen_kernels().multiply(batch[n]);
      return;
    default:
      for (Index n = 0; n < count; ++n) multiply_in_order(method, batch[n]);
  }
}

}  // namespace tril::detail
