#include <tril/lessons/matmul_cost.h>
#include <tril/matmul/method.h>
#include <tril/matmul/strassen.h>

namespace tril {
namespace {

using detail::times;

double plain_flops(Index rows, Index depth, Index cols) noexcept {
  return times(2, rows, depth, cols);
}

// levels = 0: the plain product.  Else, with r, d, c half of the largest sizes that 2^levels
// divides:
//
//   7 products [r, d] [d, c] + 5 sums [r, d] + 5 sums [d, c] + 8 sums [r, c]
//   + the remaining columns, the remaining rows, and the remaining depth, added to the rest
double strassen_flops(Index rows, Index depth, Index cols, int levels) noexcept {
  if (levels == 0) return plain_flops(rows, depth, cols);
  const Index unit = Index{1} << levels;
  const Index r = rows / unit * unit, d = depth / unit * unit, c = cols / unit * unit;
  const double halved = 7 * strassen_flops(r / 2, d / 2, c / 2, levels - 1) +
                        5 * times(r / 2, d / 2) + 5 * times(d / 2, c / 2) + 8 * times(r / 2, c / 2);
  return halved + plain_flops(r, depth - d, c) + plain_flops(r, depth, cols - c) +
         plain_flops(rows - r, depth, cols);
}

}  // namespace

Cost matmul_cost(const MatmulSizes& sizes, MatmulMethod method, int levels) {
  constexpr const char* kCall = "matmul_cost";
  const auto& [batches, rows, depth, cols] = sizes;
  detail::check_size(batches, kCall, "batches");
  detail::check_size(rows, kCall, "rows");
  detail::check_size(depth, kCall, "depth");
  detail::check_size(cols, kCall, "cols");
  detail::check_levels(method, levels, kCall);
  if (method == MatmulMethod::automatic) method = detail::fastest_method(rows, cols, depth);
  if (method != MatmulMethod::strassen) levels = 0;
  if (levels < 0) levels = strassen_levels(rows, cols, depth);
  const double bytes = detail::kFloatBytes * static_cast<double>(batches);
  Cost cost;
  cost.flops = static_cast<double>(batches) * strassen_flops(rows, depth, cols, levels);
  cost.input_bytes = bytes * (times(rows, depth) + times(depth, cols));
  cost.output_bytes = bytes * times(rows, cols);
  return cost;
}

}  // namespace tril
