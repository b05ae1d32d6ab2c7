// The layouts of tensors: attention takes [B, H, T, D], the layers of a Transformer take [B, T, C].
// JavaScript may omit the batch axis and the axis of a single head, and may have all heads side by
// side in the last axis.
#pragma once

#include <string_view>

#include "tensor.h"

namespace tril::js {

//   packed: [B, T, H*D] or [T, H*D]      else: [B, H, T, D], [H, T, D] or [T, D]
struct HeadLayout {
  bool packed;
  int rank;

  // The layout of `query`; heads = 0 means that heads have an axis of their own. Throws Error for
  // an unsupported rank.
  HeadLayout(const Tensor& query, int heads, const char* call, const char* argument = "query");

  // Throws Error, naming `argument`, unless the tensor has as many axes as the query.
  void check_rank(const Tensor& tensor, const char* call, const char* argument) const;

  // Throws Error, naming `argument`, where the tensor has another rank or its width is not
  // divisible by `heads`.
  TensorView<float, 4> view(Tensor& tensor, int heads, const char* call,
                            const char* argument) const;
  TensorView<const float, 4> view(const Tensor& tensor, int heads, const char* call,
                                  const char* argument) const;

  // The number of missing axes of scores [B, H, T, S]: heads always have one, unless the shape is
  // [T, D].
  int left_out() const noexcept { return packed ? 3 - rank : 4 - rank; }

  // The shape in this layout of [B, H, T, D].
  DynamicShape tensor_shape(const Shape<4>& shape) const;
};

// Sequences of vectors, [B, T, C] or [T, C]: `tensor`, which has as many axes as `x`, as a batch.
// Throws Error, naming `argument`, where it has not 2 or 3.
inline TensorView<float, 3> sequences(Tensor& tensor, const Tensor& x, const char* call,
                                      const char* argument) {
  if (tensor.rank() != x.rank() || x.rank() < 2 || x.rank() > 3) {
    const Message other{", this is ", tensor}, nothing{""};
    fail(call, argument,
         {"must be [B, T, C] or [T, C], all inputs alike; x is ", x,
          &tensor == &x ? nothing : other});
  }
  return {tensor.data(), {x.rank() > 2 ? tensor.size(0) : 1, tensor.size(-2), tensor.size(-1)}};
}
inline TensorView<const float, 3> sequences(const Tensor& tensor, const Tensor& x, const char* call,
                                            const char* argument) {
  return sequences(const_cast<Tensor&>(tensor), x, call, argument);
}

// The number of axes of [B, T, C] that `x` lacks.
inline int left_out(const Tensor& x) { return 3 - x.rank(); }

}  // namespace tril::js
