// The keys and values of all heads, read where they lie: what PackedHeads is to many queries, for
// one. Each key is then used once only, and packing it would cost more than it saves.
#pragma once

#include <tril/attention/problem.h>
#include <tril/matmul/vector_kernels.h>

#include <algorithm>

namespace tril::detail {

class DirectHeads {
 public:
  explicit DirectHeads(const AttentionProblem& problem) noexcept : problem_(problem) {}

  // The keys that are multiplied with where `keys` are asked for: whole groups of dot products, so
  // that a score does not depend on what is computed beside it.
  KeyRange widened(KeyRange keys) const noexcept {
    constexpr Index kGroup = 16;
    return {keys.first / kGroup * kGroup,
            std::min((keys.last + kGroup - 1) / kGroup * kGroup, problem_.keys())};
  }

  // As PackedHeads: scores [rows, keys] = scale * q K^T.
  void score(Index batch, Index key_head, const float* q, Index q_stride, Index rows, KeyRange keys,
             float scale, float* scores, Index scores_stride) const noexcept {
    const MatrixView<const float> key = problem_.key[batch][key_head];
    for (Index row = 0; row < rows; ++row) {
      kernels_.dot_rows(q + row * q_stride, key[keys.first].data(), key.stride(0), key.size(1),
                        keys.size(), {scale}, scores + row * scores_stride, 1);
    }
  }

  // As PackedHeads: out [rows, Dv] = weights V (+ out).
  void combine(Index batch, Index key_head, const float* weights, Index weights_stride, Index rows,
               KeyRange keys, bool accumulate, float* out, Index out_stride) const noexcept {
    const MatrixView<const float> value = problem_.value[batch][key_head];
    for (Index row = 0; row < rows; ++row) {
      kernels_.combine_rows(weights + row * weights_stride, value[keys.first].data(),
                            value.stride(0), keys.size(), value.size(1), {1, accumulate},
                            out + row * out_stride, 1);
    }
  }

 private:
  const AttentionProblem& problem_;
  const VectorKernels& kernels_ = vector_kernels();
};

}  // namespace tril::detail
