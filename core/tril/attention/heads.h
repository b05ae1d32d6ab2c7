// Heads side by side in a projection [B, T, H * D], viewed as [B, H, T, D] and joined again,
// normalised, and turned by their positions. Views all the way: nothing is copied but where a name
// says so.
#pragma once

#include <tril/attention/multi_head_attention.h>
#include <tril/foundation/context.h>
#include <tril/layers/unchecked.h>

#include <string_view>

namespace tril::detail {

// A projection seen as its heads.
template <typename T>
TensorView<T, 4> split_heads(const TensorView<T, 3>& projected, Index heads) noexcept {
  const Index width = projected.size(2) / heads;
  return {projected.data(),
          {projected.size(0), heads, projected.size(1), width},
          {projected.stride(0), width, projected.stride(1), 1}};
}

// Heads seen as the projection that they are part of, where they lie side by side; else none.
template <typename T>
TensorView<T, 3> joined_heads(const TensorView<T, 4>& split) noexcept {
  if (split.size(1) > 1 && split.stride(1) != split.size(3)) return {};
  return {split.data(),
          {split.size(0), split.size(2), split.size(1) * split.size(3)},
          {split.stride(0), split.stride(2), 1}};
}

// Some columns of [B, T, ...]; of no view, only what shape they would have.
template <typename T>
TensorView<T, 3> columns(const TensorView<T, 3>& view, Index first, Index count) noexcept {
  T* const data = view.data() ? view.data() + first : nullptr;
  return {data, {view.size(0), view.size(1), count}, view.strides()};
}

// Queries, keys and values of one input, side by side in one projection [B, T, (H + 2 Hk) D].
struct StackedHeads {
  TensorView<float, 4> queries, keys, values;
};
StackedHeads split_stacked(const TensorView<float, 3>& all, Index heads, Index kv_heads) noexcept;
// The projection without gaps that these are parts of; none where they are not.
TensorView<float, 3> stacked_heads(const StackedHeads& parts) noexcept;

// What normalise_heads keeps: the shape of rstd for heads [B, H, T, D].
inline Shape<3> rstd_shape(const Shape<4>& heads, const VectorView<const float>& weight) noexcept {
  return {heads[0], heads[1] * heads[3] / weight.size(0), heads[2]};
}
// Queries or keys that lie side by side, each divided by its root mean square and times its
// `weight`: [D] of each head by itself, [H D] of all of a token together. Without a weight they
// stay as they are. rstd, or none, has the shape above.
void normalise_heads(const TensorView<float, 4>& heads, const VectorView<const float>& weight,
                     double eps, const TensorView<float, 3>& rstd, const Context& context);
// From what they were before; their gradient d_heads, which lies side by side, becomes that.
// d_weight is added to, or none.
void normalise_heads_backward(const TensorView<float, 4>& d_heads,
                              const TensorView<const float, 4>& unnormed,
                              const VectorView<const float>& weight,
                              const TensorView<const float, 3>& rstd,
                              const VectorView<float>& d_weight, const Context& context);

// Throws Error in the name of `call` unless heads of this width can be rotated so, at positions
// below `end`.
void check_rotary(const char* call, const MultiHeadRotary& rotary, Index width, Index end);

// Turns queries and keys in place, the first of both at the position `first`; or gradients of them
// back.
void rotate(Direction direction, const MultiHeadRotary& rotary, Index first,
            const TensorView<float, 4>& query, const TensorView<float, 4>& key,
            const Context& context);

}  // namespace tril::detail
