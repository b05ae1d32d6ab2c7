// Weights prepared for many calls: their matrices are packed once (matmul/packed_matrix.h), not in
// every call.
//
//     PreparedWeights prepared;
//     const TransformerBlockWeights packed = prepared.prepare(weights, parallel);
//     transformer_block(x, packed, options, output, context);  // often
//
// It owns the packed copies, about as large as the matrices. What prepare() returns borrows them
// and the weights. Results are equal bit for bit, for few rows up to the order of addition
// (packed_matrix.h).
//
// A copy does not change with its matrix: prepare weights anew after writing them.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/parameters.h>
#include <tril/matmul/packed_matrix.h>
#include <tril/matmul/weight.h>

#include <cstddef>
#include <deque>

namespace tril {

// Owns the packed copies.
class PreparedWeights {
 public:
  // Packs all matrices of floats in a struct of weights. Returns the struct with packed matrices
  // and everything else unchanged. Throws Error where a matrix has no elements, OutOfMemory where
  // there is not enough memory.
  template <typename Weights>
  Weights prepare(Weights weights, const Context& context = {}) {
    for_each_parameter(weights, [&](const ParameterName&, auto& view) {
      if constexpr (requires { view.packed(); }) view = pack(view, context);
    });
    return weights;
  }

  // The same for one matrix [out, in].
  Weight pack(const Weight& weight, const Context& context = {}) {
    const MatrixView<const float> floats = weight.floats();
    if (!floats) return weight;
    return {floats, copies_.emplace_back(floats, true, context)};
  }

  // The bytes of the copies.
  std::size_t bytes() const noexcept {
    std::size_t bytes = 0;
    for (const PackedMatrix& copy : copies_) bytes += copy.bytes();
    return bytes;
  }

 private:
  std::deque<PackedMatrix> copies_;  // a deque, since weights point to its elements
};

}  // namespace tril
