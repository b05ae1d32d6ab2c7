// The right operand of many products, packed once into the panels that the tiled product otherwise
// packs in every call (tile_kernels.h). For 128 rows packing a weight matrix costs a twentieth of
// the product, for fewer rows more.
//
// Products with it equal those with the matrix itself, up to the order of addition in one case:
// with 4 lanes (WebAssembly, Arm, plain x86-64), products of 2 to 24 rows read an unpacked
// transposed matrix in place, and add in another order. Elsewhere they are equal bit for bit. It is
// a copy: pack again after the matrix has changed.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/memory.h>
#include <tril/foundation/tensor.h>

namespace tril {

// Owns its panels.
class PackedMatrix {
 public:
  // An object without a packed matrix.
  PackedMatrix() noexcept = default;

  // Packs b [depth, cols], or, where `transposed`, b^T from b [cols, depth], as a linear layer
  // multiplies with its weight. Throws Error where b is not a matrix, OutOfMemory where there is
  // not enough memory.
  PackedMatrix(const MatrixView<const float>& b, bool transposed, const Context& context) {
    pack(b, transposed, context);
  }

  // Replaces the packed matrix; reuses its memory where the size fits.
  void pack(const MatrixView<const float>& b, bool transposed, const Context& context = {});

  // Whether anything is packed.
  explicit operator bool() const noexcept { return memory_.data() != nullptr; }
  Index depth() const noexcept { return depth_; }                 // rows of the packed matrix
  Index cols() const noexcept { return cols_; }                   // its columns
  std::size_t bytes() const noexcept { return memory_.bytes(); }  // bytes of the panels

  // The panels of columns from `col` on, a multiple of panel_cols, for the block of `depth` rows
  // that starts at row k.
  const float* panels(Index k, Index depth, Index col) const noexcept {
    return reinterpret_cast<const float*>(memory_.data()) + k * padded_cols_ + col * depth;
  }

 private:
  Index depth_ = 0, cols_ = 0;
  Index padded_cols_ = 0;  // cols, rounded up to whole panels
  AlignedMemory memory_;   // one block of rows after another, each panel by panel
};

// The columns of a packed matrix from `first` on, or nothing.
struct PackedColumns {
  const PackedMatrix* matrix = nullptr;  // borrowed
  Index first = 0;                       // a multiple of panel_cols

  // Whether anything is packed.
  explicit operator bool() const noexcept { return matrix != nullptr; }
  // The columns from `col` of these on; nothing where no panel begins there.
  PackedColumns from(Index col) const noexcept;
};

}  // namespace tril
