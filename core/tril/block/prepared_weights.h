// Weights made ready for many calls: their matrices packed once (matmul/packed_matrix.h), where
// every call would pack them anew.
//
//     PreparedWeights prepared;
//     const TransformerBlockWeights ready = prepared.prepare(weights, parallel);
//     transformer_block(x, ready, options, out, scratch, parallel);   // as often as wanted
//
// It owns the packed copies, about as many bytes as the matrices have; what prepare() returns, the
// same weights with the copies besides, is good as long as it lives. The weights themselves are
// still needed, and must not change.
#pragma once

#include <tril/block/transformer.h>
#include <tril/matmul/packed_matrix.h>

#include <deque>

namespace tril {

// Owns the packed copies.
class PreparedWeights {
 public:
  // Weights that are none stay none. Throws Error where a matrix is no matrix, std::bad_alloc when
  // memory is out.
  LinearWeights prepare(const LinearWeights& weights, Parallel& parallel);
  MultiHeadWeights prepare(const MultiHeadWeights& weights, Parallel& parallel);
  TransformerBlockWeights prepare(const TransformerBlockWeights& weights, Parallel& parallel);
  DecoderBlockWeights prepare(const DecoderBlockWeights& weights, Parallel& parallel);
  TransformerWeights prepare(const TransformerWeights& weights, Parallel& parallel);

  // What the packed copies take.
  std::size_t bytes() const noexcept;

 private:
  const PackedMatrix* pack(const MatrixView<const float>& weight, Parallel& parallel);

  std::deque<PackedMatrix> matrices_;  // none of which ever moves
};

}  // namespace tril
