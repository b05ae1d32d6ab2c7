// A right operand whose numbers have 16 bits: weights as their file has them, half the memory and
// half of what a product with one row has to read.
//
// What is multiplied with it comes out as from the floats that it stands for, bit for bit: the sums
// are the same in the same order. One row widens numbers in registers; more rows widen a panel
// while they pack it, or, where a product reads its matrix in place, a few rows of it into the
// cache.
#pragma once

#include <tril/foundation/tensor.h>
#include <tril/matmul/tile_kernels.h>

#include <cstdint>

namespace tril {

// IEEE 754 binary16, or the upper half of a float: what reads it (narrow_kernels.h).
struct NarrowFormat {
  // out [cols, 1] = b [cols, depth] * x [depth, 1], b's rows `stride` numbers apart; no bias.
  void (*dot_rows)(const float* x, const std::uint16_t* b, Index stride, Index depth, Index cols,
                   const TileOutput& out) noexcept;
  // Exact. A NaN stays one; that it signals may be lost.
  void (*widen)(const std::uint16_t* from, Index count, float* to) noexcept;
};

// Borrows its numbers: the matrix [rows, cols] of a linear layer, [out, in].
struct NarrowMatrix {
  const NarrowFormat* format = nullptr;  // null: there is none
  const std::uint16_t* data = nullptr;   // on an address that a float may have
  Index rows = 0, cols = 0;              // its sizes
  Index stride = 0;                      // even, numbers from one row to the next

  // Whether there is one.
  explicit operator bool() const noexcept { return format != nullptr; }

  // What stands for it where a matrix of floats is asked for: its shape, and where it lies. None of
  // its elements may be looked at. The bytes it spans are those of the matrix where it has memory
  // for a row more behind it.
  MatrixView<const float> stand_in() const noexcept {
    return {reinterpret_cast<const float*>(data), {rows, cols}, {stride / 2, 1}};
  }
  // The rows from `first` on.
  NarrowMatrix from(Index first) const noexcept {
    return {format, data + first * stride, rows - first, cols, stride};
  }
};

}  // namespace tril
