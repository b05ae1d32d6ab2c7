#include <tril/matmul/loop_orders.h>

namespace tril::detail {

// for each i, j:  out[i, j] = alpha * sum over k of a[i, k] * b[k, j]  (+ out[i, j])
void multiply_ijk(const Product& p) noexcept {
  for (Index i = 0; i < p.rows; ++i) {
    for (Index j = 0; j < p.cols; ++j) {
      float sum = 0;
      for (Index k = 0; k < p.depth; ++k) sum += p.a(i, k) * p.b(k, j);
      float& out = p.out[i * p.out_stride + j];
      out = p.accumulate ? out + p.alpha * sum : p.alpha * sum;
    }
  }
}

}  // namespace tril::detail
