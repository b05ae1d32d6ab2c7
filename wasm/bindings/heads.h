// Tensors as attention takes them, [B, H, T, D]. JavaScript may leave out the batch axis, may have
// one head without an axis for it, and may have all heads side by side in the last axis.
#pragma once

#include <string_view>

#include "tensor.h"

namespace tril::js {

//   packed: [B, T, H*D] or [T, H*D]      else: [B, H, T, D], [H, T, D] or [T, D]
struct HeadLayout {
  bool packed;
  int rank;

  // The layout of `query`; heads = 0 says that heads have an axis of their own. Throws Error for a
  // rank that there is not.
  HeadLayout(const Tensor& query, int heads, const char* call, const char* argument = "query");

  // Throws Error, naming `argument`, where the tensor has not as many axes as the query.
  void check_rank(const Tensor& tensor, const char* call, const char* argument) const;

  // Throws Error, naming `argument`, where the tensor has another rank or its width is not
  // divisible by `heads`.
  TensorView<float, 4> view(Tensor& tensor, int heads, const char* call,
                            const char* argument) const;
  TensorView<const float, 4> view(const Tensor& tensor, int heads, const char* call,
                                  const char* argument) const;

  // How many axes of scores [B, H, T, S] there are not: heads always have their own, unless it is
  // [T, D].
  int left_out() const noexcept { return packed ? 3 - rank : 4 - rank; }

  // The shape in this layout of [B, H, T, D].
  DynamicShape tensor_shape(const Shape<4>& shape) const;
};

}  // namespace tril::js
