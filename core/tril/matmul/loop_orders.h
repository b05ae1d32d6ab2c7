// The product as three loops: the six orders, and blocked for three levels of cache.
//
// The loops are templates on their memory: matmul uses Direct, and a recorder in its place sees
// every access (access_trace.h). All code is scalar, and loop_orders.cc is compiled without
// vectorisation and loop interchange: a comparison of the orders must run the order written here,
// not the compiler's choice.
#pragma once

#include <tril/matmul/product.h>

#include <algorithm>

namespace tril::detail {

// The matrices of a product, read and written element by element.
class Direct {
 public:
  explicit Direct(const Product& product) noexcept : p_(product) {}

  float a(Index i, Index k) const noexcept { return p_.a(i, k); }
  float b(Index k, Index j) const noexcept { return p_.b(k, j); }
  float out(Index i, Index j) const noexcept { return p_.out[i * p_.out_stride + j]; }
  void set_out(Index i, Index j, float value) noexcept { p_.out[i * p_.out_stride + j] = value; }

 private:
  Product p_;
};

// A half-open range of one of the three loops.
struct Range {
  Index begin, end;
};
struct Block {
  Range i, j, k;
};

inline Block whole(const Product& p) noexcept { return {{0, p.rows}, {0, p.cols}, {0, p.depth}}; }

// The edge of a block at each level of cache.
struct BlockSizes {
  Index third, second, first;
};

// Three square blocks of floats are in use at a time, and each level has room for more:
//   3 * 512^2 * 4 B = 3 MiB of level 3;  3 * 128^2 * 4 B = 192 KiB of level 2;
//   3 * 32^2 * 4 B = 12 KiB of level 1
inline constexpr BlockSizes kBlockSizes{512, 128, 32};

template <typename Memory>
class LoopOrders {
 public:
  LoopOrders(const Product& product, Memory& memory) : p_(product), m_(memory) {}

  void ijk() {
    for (Index i = 0; i < p_.rows; ++i) {
      for (Index j = 0; j < p_.cols; ++j) dot_product(i, j);
    }
  }
  void jik() {
    for (Index j = 0; j < p_.cols; ++j) {
      for (Index i = 0; i < p_.rows; ++i) dot_product(i, j);
    }
  }
  void ikj() {
    clear_out();
    for (Index i = 0; i < p_.rows; ++i) {
      for (Index k = 0; k < p_.depth; ++k) add_row(i, k, {0, p_.cols});
    }
  }
  void kij() {
    clear_out();
    for (Index k = 0; k < p_.depth; ++k) {
      for (Index i = 0; i < p_.rows; ++i) add_row(i, k, {0, p_.cols});
    }
  }
  void jki() {
    clear_out();
    for (Index j = 0; j < p_.cols; ++j) {
      for (Index k = 0; k < p_.depth; ++k) add_column(k, j);
    }
  }
  void kji() {
    clear_out();
    for (Index k = 0; k < p_.depth; ++k) {
      for (Index j = 0; j < p_.cols; ++j) add_column(k, j);
    }
  }

  // for each block of the third level, each of the second in it, each of the first in that:
  //   for each i, k of the block:  out[i, :] += a[i, k] * b[k, :], within the block
  void blocked(const BlockSizes& sizes) {
    clear_out();
    for_each_part(whole(p_), sizes.third, [&](const Block& third) {
      for_each_part(third, sizes.second, [&](const Block& second) {
        for_each_part(second, sizes.first, [&](const Block& first) {
          for (Index i = first.i.begin; i < first.i.end; ++i) {
            for (Index k = first.k.begin; k < first.k.end; ++k) add_row(i, k, first.j);
          }
        });
      });
    });
  }

 private:
  // sum = a[i, :] . b[:, j];  out[i, j] = alpha * sum (+ out[i, j])
  void dot_product(Index i, Index j) {
    float sum = 0;
    for (Index k = 0; k < p_.depth; ++k) sum += m_.a(i, k) * m_.b(k, j);
    m_.set_out(i, j, p_.accumulate ? m_.out(i, j) + p_.alpha * sum : p_.alpha * sum);
  }

  // out[i, :] += a[i, k] * b[k, :]
  void add_row(Index i, Index k, Range j) {
    const float x = p_.alpha * m_.a(i, k);
    for (Index c = j.begin; c < j.end; ++c) m_.set_out(i, c, m_.out(i, c) + x * m_.b(k, c));
  }

  // out[:, j] += a[:, k] * b[k, j]
  void add_column(Index k, Index j) {
    const float x = p_.alpha * m_.b(k, j);
    for (Index i = 0; i < p_.rows; ++i) m_.set_out(i, j, m_.out(i, j) + m_.a(i, k) * x);
  }

  // Sets out to 0 for the orders that accumulate in it.
  void clear_out() {
    if (p_.accumulate) return;
    for (Index i = 0; i < p_.rows; ++i) {
      for (Index j = 0; j < p_.cols; ++j) m_.set_out(i, j, 0.0f);
    }
  }

  // Calls visit(part) for the parts of `block` with edges of at most `size`, by rows, depth and
  // columns.
  template <typename Visit>
  static void for_each_part(const Block& block, Index size, const Visit& visit) {
    for (Index i = block.i.begin; i < block.i.end; i += size) {
      for (Index k = block.k.begin; k < block.k.end; k += size) {
        for (Index j = block.j.begin; j < block.j.end; j += size) {
          visit(Block{{i, std::min(i + size, block.i.end)},
                      {j, std::min(j + size, block.j.end)},
                      {k, std::min(k + size, block.k.end)}});
        }
      }
    }
  }

  const Product p_;
  Memory& m_;
};

// Runs `method`; returns false unless it is one of the six orders or blocked.
template <typename Memory>
bool multiply_in_order(MatmulMethod method, const Product& product, const BlockSizes& sizes,
                       Memory& memory) {
  LoopOrders<Memory> orders(product, memory);
  switch (method) {
    case MatmulMethod::ijk:
      return orders.ijk(), true;
    case MatmulMethod::ikj:
      return orders.ikj(), true;
    case MatmulMethod::jik:
      return orders.jik(), true;
    case MatmulMethod::jki:
      return orders.jki(), true;
    case MatmulMethod::kij:
      return orders.kij(), true;
    case MatmulMethod::kji:
      return orders.kji(), true;
    case MatmulMethod::blocked:
      return orders.blocked(sizes), true;
    default:
      return false;
  }
}

// The same with Direct.
bool multiply_in_order(MatmulMethod method, const Product& product) noexcept;

}  // namespace tril::detail
