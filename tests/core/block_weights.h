// Weights for the tests of blocks, drawn in the order of PyTorch's state_dict, with the same bits
// as in tests/golden/make_block_golden.py: with u uniform in [-1, 1),
//
//   matrices [out, in]   u 2^-k, the largest such power that is at most 1 / sqrt(in)
//   biases               u / 8
//   weights of norms     1 + u / 4
#pragma once

#include <tril/block/transformer.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "core/golden.h"

namespace tril::testing {

inline constexpr NormOrder kNormOrders[] = {NormOrder::post, NormOrder::pre};

// A tensor [B, T, C] without gaps as [B T, C].
inline MatrixView<float> rows(const Buffer<float, 3>& buffer) {
  const Shape<3>& shape = buffer.shape();
  return {const_cast<float*>(buffer.data()), {shape[0] * shape[1], shape[2]}};
}

// Padding of make_block_golden.py: `length` for the first batch, and 3 less for each after it, but
// at least 1.
inline Mask shrinking_padding(Index batches, Index length) {
  std::vector<Index> lengths;
  for (Index b = 0; b < batches; ++b) lengths.push_back(std::max<Index>(1, length - 3 * b));
  return Mask::padding(lengths);
}

// The options of the n-th case of a golden table.
template <typename Options>
Options nth_options(unsigned n, Index heads) {
  Options options;
  options.heads = heads;
  options.norm = n / 2 % 2 == 0 ? NormOrder::post : NormOrder::pre;
  options.activation = static_cast<Activation>(n % 4);
  options.eps = n % 7 == 0 ? 1e-3 : 1e-5;
  return options;
}

// Owns the weights that it draws; the returned views are valid as long as it lives.
class WeightSource {
 public:
  // `plain`: no biases, and norms without weight and bias.
  WeightSource(Random& random, bool plain) : random_(random), plain_(plain) {}

  LinearWeights linear(Index out, Index in) {
    const MatrixView<const float> weight = matrix(out, in);
    return {weight, vector(out, 0, 0.125f)};
  }
  NormWeights norm(Index width) {
    const VectorView<const float> weight = vector(width, 1, 0.25f);
    return {weight, vector(width, 0, 0.125f)};
  }
  MultiHeadWeights attention(Index width) {
    MultiHeadWeights weights;
    weights.in_proj_weight = matrix(3 * width, width);
    weights.in_proj_bias = vector(3 * width, 0, 0.125f);
    weights.out_proj_weight = matrix(width, width);
    weights.out_proj_bias = vector(width, 0, 0.125f);
    return weights;
  }
  TransformerBlockWeights block(Index width, Index inner) {
    TransformerBlockWeights weights;
    weights.self_attn = attention(width);
    weights.linear1 = linear(inner, width);
    weights.linear2 = linear(width, inner);
    weights.norm1 = norm(width);
    weights.norm2 = norm(width);
    return weights;
  }
  DecoderBlockWeights decoder_block(Index width, Index inner) {
    DecoderBlockWeights weights;
    weights.self_attn = attention(width);
    weights.multihead_attn = attention(width);
    weights.linear1 = linear(inner, width);
    weights.linear2 = linear(width, inner);
    weights.norm1 = norm(width);
    weights.norm2 = norm(width);
    weights.norm3 = norm(width);
    return weights;
  }
  TransformerWeights transformer(Index encoder_layers, Index decoder_layers, Index width,
                                 Index inner) {
    TransformerWeights weights;
    for (Index n = 0; n < encoder_layers; ++n) {
      weights.encoder.layers.push_back(block(width, inner));
    }
    weights.encoder.norm = norm(width);
    for (Index n = 0; n < decoder_layers; ++n) {
      weights.decoder.layers.push_back(decoder_block(width, inner));
    }
    weights.decoder.norm = norm(width);
    return weights;
  }

 private:
  MatrixView<const float> matrix(Index out, Index in) {
    float scale = 1;
    for (Index squared = 1; squared < in; squared *= 4) scale /= 2;
    Buffer<float, 2>& drawn = matrices_.emplace_back(uniform<2>({out, in}, random_));
    for (Index i = 0; i < out * in; ++i) drawn.data()[i] *= scale;
    return drawn;
  }
  VectorView<const float> vector(Index size, float base, float scale) {
    if (plain_) return {};
    Buffer<float, 1>& drawn = vectors_.emplace_back(uniform<1>({size}, random_));
    for (Index i = 0; i < size; ++i) drawn.data()[i] = base + scale * drawn.data()[i];
    return drawn;
  }

  Random& random_;
  bool plain_;
  std::deque<Buffer<float, 2>> matrices_;
  std::deque<Buffer<float, 1>> vectors_;
};

}  // namespace tril::testing
