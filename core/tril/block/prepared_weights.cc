#include <tril/block/prepared_weights.h>

namespace tril {

const PackedMatrix* PreparedWeights::pack(const MatrixView<const float>& weight,
                                          Parallel& parallel) {
  return weight ? &matrices_.emplace_back(weight, true, parallel) : nullptr;
}

LinearWeights PreparedWeights::prepare(const LinearWeights& weights, Parallel& parallel) {
  LinearWeights ready = weights;
  ready.packed = pack(weights.weight, parallel);
  return ready;
}

MultiHeadWeights PreparedWeights::prepare(const MultiHeadWeights& weights, Parallel& parallel) {
  MultiHeadWeights ready = weights;
  ready.in_proj_packed = pack(weights.in_proj_weight, parallel);
  ready.q_proj_packed = pack(weights.q_proj_weight, parallel);
  ready.k_proj_packed = pack(weights.k_proj_weight, parallel);
  ready.v_proj_packed = pack(weights.v_proj_weight, parallel);
  ready.out_proj_packed = pack(weights.out_proj_weight, parallel);
  return ready;
}

TransformerBlockWeights PreparedWeights::prepare(const TransformerBlockWeights& weights,
                                                 Parallel& parallel) {
  TransformerBlockWeights ready = weights;
  ready.self_attn = prepare(weights.self_attn, parallel);
  ready.linear1 = prepare(weights.linear1, parallel);
  ready.linear2 = prepare(weights.linear2, parallel);
  return ready;
}

DecoderBlockWeights PreparedWeights::prepare(const DecoderBlockWeights& weights,
                                             Parallel& parallel) {
  DecoderBlockWeights ready = weights;
  ready.self_attn = prepare(weights.self_attn, parallel);
  ready.multihead_attn = prepare(weights.multihead_attn, parallel);
  ready.linear1 = prepare(weights.linear1, parallel);
  ready.linear2 = prepare(weights.linear2, parallel);
  return ready;
}

TransformerWeights PreparedWeights::prepare(const TransformerWeights& weights, Parallel& parallel) {
  TransformerWeights ready = weights;
  for (TransformerBlockWeights& layer : ready.encoder.layers) layer = prepare(layer, parallel);
  for (DecoderBlockWeights& layer : ready.decoder.layers) layer = prepare(layer, parallel);
  return ready;
}

std::size_t PreparedWeights::bytes() const noexcept {
  std::size_t bytes = 0;
  for (const PackedMatrix& matrix : matrices_) bytes += matrix.bytes();
  return bytes;
}

}  // namespace tril
