#include "layouts.h"

#include <string>

namespace tril::js {

HeadLayout::HeadLayout(const Tensor& query, int heads, const char* call, const char* argument)
    : packed(heads > 0), rank(query.rank()) {
  if (rank >= 2 && rank <= (packed ? 3 : 4)) return;
  fail(call, argument,
       {packed ? "with heads it must be [B, T, H*D] or [T, H*D]"
               : "must be [B, H, T, D], [H, T, D] or [T, D]",
        "; shape is ", query});
}

void HeadLayout::check_rank(const Tensor& tensor, const char* call, const char* argument) const {
  if (tensor.rank() == rank) return;
  fail(call, argument, {"must have ", rank, " axes, as query has; shape is ", tensor});
}

TensorView<float, 4> HeadLayout::view(Tensor& tensor, int heads, const char* call,
                                      const char* argument) const {
  check_rank(tensor, call, argument);
  const Index length = tensor.size(-2), width = tensor.size(-1);
  if (!packed) {
    return {tensor.data(),
            {rank > 3 ? tensor.size(-4) : 1, rank > 2 ? tensor.size(-3) : 1, length, width}};
  }
  if (width % heads != 0) {
    fail(call, argument,
         {"width ", width, " is not divisible by ", heads, " heads; shape is ", tensor});
  }
  const Index batches = rank > 2 ? tensor.size(0) : 1, depth = width / heads;
  return {tensor.data(), {batches, heads, length, depth}, {length * width, depth, width, 1}};
}

TensorView<const float, 4> HeadLayout::view(const Tensor& tensor, int heads, const char* call,
                                            const char* argument) const {
  return view(const_cast<Tensor&>(tensor), heads, call, argument);
}

DynamicShape HeadLayout::tensor_shape(const Shape<4>& shape) const {
  if (packed) {
    DynamicShape result{shape[2], shape[1] * shape[3]};
    if (rank > 2) result.insert(result.begin(), shape[0]);
    return result;
  }
  return {shape.end() - rank, shape.end()};
}

}  // namespace tril::js
