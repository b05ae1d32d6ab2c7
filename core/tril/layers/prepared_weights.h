// Weights made ready for many calls: their matrices packed once (matmul/packed_matrix.h), where
// every call would pack them anew.
//
//     PreparedWeights prepared;
//     prepared.prepare(weights, parallel);
//     transformer_block(x, weights, options, output, context, {}, &prepared);  // often
//
// A cache beside the weights: it owns the packed copies, about as many bytes as the matrices have,
// and finds each by where its matrix lies, and of what shape. Results are the same as
// packed_matrix.h says: up to the order of addition for few rows, else bit for bit.
// Only matrices of floats are packed (matmul/weight.h).
//
// Who writes weights says so, by invalidate() or drop(): from then on the old copies are not used.
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
  // Packs all matrices of a struct of weights that have no copy that is good. Those packed before
  // invalidate() are packed again in the same memory. Throws Error where a matrix is no matrix,
  // OutOfMemory where there is less memory.
  template <typename Weights>
  void prepare(const Weights& weights, const Context& context) {
    for_each_parameter(weights, [&](const ParameterName&, const auto& view) {
      if constexpr (requires { Weight(view); }) {
        if (const MatrixView<const float> floats = Weight(view).floats()) pack(floats, context);
      }
    });
  }

  // The same for one matrix [out, in], of which the transpose is packed.
  void pack(const MatrixView<const float>& weight, const Context& context = {});

  // The copy of just this matrix; null where there is none that is good.
  const PackedMatrix* find(const MatrixView<const float>& weight) const noexcept;
  // The same, all its columns.
  PackedColumns columns(const MatrixView<const float>& weight) const noexcept;

  // All weights have changed, as in a step of training: no copy is good any more. O(1), and memory
  // is kept for the next prepare().
  void invalidate() noexcept { ++generation_; }

  // This matrix has changed, or is gone: its copy is given back.
  void drop(const MatrixView<const float>& weight) noexcept;

  // How often all weights have changed.
  std::uint64_t generation() const noexcept { return generation_; }

  // What the copies take.
  std::size_t bytes() const noexcept;

 private:
  struct Copy {
    const float* data;
    Index rows, cols, stride;
    std::uint64_t generation;  // when it was packed
    PackedMatrix packed;
  };

  // Where the copy of this matrix is, or belongs.
  std::vector<Copy>::const_iterator place(const MatrixView<const float>& weight) const noexcept;

  std::vector<Copy> copies_;  // in the order of their addresses
  std::uint64_t generation_ = 0;
};

// What is found of a matrix; nothing where there is nothing.
inline PackedColumns packed_columns(const PreparedWeights* prepared,
                                    const Weight& weight) noexcept {
  return prepared ? prepared->columns(weight.floats()) : PackedColumns();
}

}  // namespace tril
