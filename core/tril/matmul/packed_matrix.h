// The right operand of many products, packed once: the panels that the tiled product otherwise
// makes anew for every call (tile_kernels.h). At 128 rows packing a weight matrix costs a twentieth
// of the product, at fewer rows more.
//
// What is multiplied with it comes out as from the matrix itself, up to the order of addition: with
// 4 lanes (WebAssembly, Arm, plain x86-64) 2 to 24 rows read a transposed matrix that is not packed
// where it lies, and add in another order; elsewhere the bits are the same. It is a copy: where the
// matrix changes, it must be packed again.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/memory.h>
#include <tril/foundation/tensor.h>

namespace tril {

// Owns its panels.
class PackedMatrix {
 public:
  // Nothing yet.
  PackedMatrix() noexcept = default;

  // Packs b [depth, cols], or, where `transposed`, b^T from b [cols, depth], as a linear layer
  // multiplies with its weight. Throws Error where b is no matrix, OutOfMemory where there is
  // less memory.
  PackedMatrix(const MatrixView<const float>& b, bool transposed, const Context& context) {
    pack(b, transposed, context);
  }

  // The same in place of what was packed before, in its memory where that is of the right size.
  void pack(const MatrixView<const float>& b, bool transposed, const Context& context = {});

  // Whether anything is packed.
  explicit operator bool() const noexcept { return memory_.data() != nullptr; }
  Index depth() const noexcept { return depth_; }                 // rows of what was packed
  Index cols() const noexcept { return cols_; }                   // its columns
  std::size_t bytes() const noexcept { return memory_.bytes(); }  // of the panels

  // The panels of the columns from `col` on, a multiple of panel_cols, for the block of depth that
  // starts at k and is `depth` deep.
  const float* panels(Index k, Index depth, Index col) const noexcept {
    return reinterpret_cast<const float*>(memory_.data()) + k * padded_cols_ + col * depth;
  }

 private:
  Index depth_ = 0, cols_ = 0;
  Index padded_cols_ = 0;  // cols filled up to whole panels
  AlignedMemory memory_;   // block of depth by block of depth, in each panel by panel
};

// Some columns of a packed matrix, from `first` on. None: no matrix.
struct PackedColumns {
  const PackedMatrix* matrix = nullptr;  // borrowed
  Index first = 0;                       // a multiple of panel_cols

  // Whether anything is packed.
  explicit operator bool() const noexcept { return matrix != nullptr; }
};

}  // namespace tril
