// A multi-head attention to test, with weights in PyTorch's distribution.
#pragma once

#include <tril/attention/multi_head_attention.h>

#include <cmath>

#include "core/compare.h"

namespace tril::testing {

// Weights as make_attention.py's multi_head draws them: PyTorch's own distribution.
struct MultiHeadModule {
  Buffer<float, 2> in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, out_proj_weight;
  Buffer<float, 1> in_proj_bias, out_proj_bias;

  // Keys and values as wide as x if kdim is 0.
  MultiHeadModule(Random& random, Index width, bool biased, Index kdim = 0, Index vdim = 0) {
    if (kdim == 0) {
      in_proj_weight = weight(random, 3 * width, width);
    } else {
      q_proj_weight = weight(random, width, width);
      k_proj_weight = weight(random, width, kdim);
      v_proj_weight = weight(random, width, vdim);
    }
    if (biased) in_proj_bias = draw<1>({3 * width}, 0.1, random);
    out_proj_weight = draw<2>({width, width}, std::pow(static_cast<double>(width), -0.5), random);
    if (biased) out_proj_bias = draw<1>({width}, 0.1, random);
  }

  MultiHeadWeights weights() const {
    return {in_proj_weight, q_proj_weight,   k_proj_weight, v_proj_weight,
            in_proj_bias,   out_proj_weight, out_proj_bias};
  }

 private:
  template <int Rank>
  static Buffer<float, Rank> draw(const Shape<Rank>& shape, double bound, Random& random) {
    Buffer<float, Rank> buffer = uniform<Rank>(shape, random);
    for (Index i = 0; i < buffer.view().count(); ++i) buffer.data()[i] *= static_cast<float>(bound);
    return buffer;
  }
  static Buffer<float, 2> weight(Random& random, Index out, Index in) {
    return draw<2>({out, in}, std::sqrt(6.0 / static_cast<double>(in + out)), random);
  }
};

inline Buffer<float, 3> normal(const Shape<3>& shape, Random& random) {
  Buffer<float, 3> buffer(shape);
  fill_normal(buffer.view(), random);
  return buffer;
}

}  // namespace tril::testing
