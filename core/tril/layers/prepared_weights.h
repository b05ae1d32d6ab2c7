// Weights prepared for many calls: their matrices are packed once (matmul/packed_matrix.h), not in
// every call.
//
//     PreparedWeights prepared;
//     prepared.prepare(weights, parallel);
//     transformer_block(x, weights, options, output, context, {}, &prepared);  // often
//
// It is a cache beside the weights. It owns the packed copies, about as large as the matrices, and
// finds a copy by the address and shape of its matrix. Results are equal bit for bit, for few rows
// up to the order of addition (packed_matrix.h). Only matrices of floats are packed
// (matmul/weight.h).
//
// Call invalidate() or drop() after writing weights: their copies are not used any more.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/parameters.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/packed_matrix.h>
#include <tril/matmul/weight.h>

#include <cstdint>
#include <vector>

namespace tril {

// Owns the packed copies.
class PreparedWeights {
 public:
  // Packs all matrices of a struct of weights that have no valid copy. Copies from before
  // invalidate() are packed again in the same memory. Throws Error where a matrix has no elements,
  // OutOfMemory where there is not enough memory.
  template <typename Weights>
  void prepare(const Weights& weights, const Context& context) {
    for_each_parameter(weights, [&](const ParameterName&, const auto& view) {
      if constexpr (requires { Weight(view); }) {
        if (const MatrixView<const float> floats = Weight(view).floats()) pack(floats, context);
      }
    });
  }

  // The same for one matrix [out, in]; its transpose is packed.
  void pack(const MatrixView<const float>& weight, const Context& context = {});

  // The copy of this matrix; null where there is no valid one.
  const PackedMatrix* find(const MatrixView<const float>& weight) const noexcept;
  // The same as all columns of the copy.
  PackedColumns columns(const MatrixView<const float>& weight) const noexcept;

  // Declares that all weights have changed, as in a training step: no copy is valid any more. Takes
  // O(1); memory is kept for the next prepare().
  void invalidate() noexcept { ++generation_; }

  // Declares that this matrix has changed or is gone: its copy is freed.
  void drop(const MatrixView<const float>& weight) noexcept;

  // The number of calls of invalidate().
  std::uint64_t generation() const noexcept { return generation_; }

  // The bytes of the copies.
  std::size_t bytes() const noexcept;

 private:
  struct Copy {
    const float* data;
    Index rows, cols, stride;
    std::uint64_t generation;  // generation() when it was packed
    PackedMatrix packed;
  };

  // The position of this matrix's copy, or where it would be inserted.
  std::vector<Copy>::const_iterator place(const MatrixView<const float>& weight) const noexcept;

  std::vector<Copy> copies_;  // sorted by address
  std::uint64_t generation_ = 0;
};

// The packed columns of a matrix; nothing where it has no copy or `prepared` is null.
inline PackedColumns packed_columns(const PreparedWeights* prepared,
                                    const Weight& weight) noexcept {
  return prepared ? prepared->columns(weight.floats()) : PackedColumns();
}

}  // namespace tril
