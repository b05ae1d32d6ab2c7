// A batch of products of one shape, the input of every method: the first product, and the strides
// to the matrices of the others.
#pragma once

#include <tril/matmul/product.h>

#include <array>

namespace tril::detail {

inline constexpr int kMostBatchAxes = kMostAxes - 2;

struct ProductBatch {
  struct Axis {
    Index size;
    Index a, b, out;  // strides between matrices, in elements; 0 for a shared matrix
  };

  Product first;
  int rank = 0;
  std::array<Axis, kMostBatchAxes> axes;  // the first `rank` axes are used

  ProductBatch() = default;
  ProductBatch(const Product& only) noexcept : first(only) {}

  Index count() const noexcept {
    Index count = 1;
    for (int axis = 0; axis < rank; ++axis) count *= axes[static_cast<std::size_t>(axis)].size;
    return count;
  }

  // Product n of the batch; the last axis counts fastest.
  Product operator[](Index n) const noexcept {
    Product product = first;
    for (int axis = rank; axis-- > 0;) {
      const Axis& along = axes[static_cast<std::size_t>(axis)];
      const Index i = n % along.size;
      n /= along.size;
      product.a.data += i * along.a;
      product.b.data += i * along.b;
      product.out += i * along.out;
    }
    return product;
  }
};

}  // namespace tril::detail
