#include <tril/matmul/loop_orders.h>

namespace tril::detail {

bool multiply_in_order(MatmulMethod method, const Product& product) noexcept {
  Direct memory(product);
  return multiply_in_order(method, product, kBlockSizes, memory);
}

}  // namespace tril::detail
