// The product by its three loops, plainly: what the other methods are measured against.
#pragma once

#include <tril/matmul/product.h>

namespace tril::detail {

void multiply_ijk(const Product& product) noexcept;

}  // namespace tril::detail
