// Heads, which lie side by side in a projection [B, T, H * D]: viewed as [B, H, T, D], joined
// again, normalised, and rotated by their positions. All of these are views; nothing is copied.
#pragma once

#include <tril/attention/multi_head_attention.h>
#include <tril/foundation/context.h>
#include <tril/layers/unchecked.h>

#include <string_view>

namespace tril::detail {

// A view of a projection as its heads.
template <typename T>
TensorView<T, 4> split_heads(const TensorView<T, 3>& projected, Index heads) noexcept {
  const Index width = projected.size(2) / heads;
  return {projected.data(),
          {projected.size(0), heads, projected.size(1), width},
          {projected.stride(0), width, projected.stride(1), 1}};
}

// A view of heads as their projection, where they lie side by side; else no view.
template <typename T>
TensorView<T, 3> joined_heads(const TensorView<T, 4>& split) noexcept {
  if (split.size(1) > 1 && split.stride(1) != split.size(3)) return {};
  return {split.data(),
          {split.size(0), split.size(2), split.size(1) * split.size(3)},
          {split.stride(0), split.stride(2), 1}};
}

// `count` columns of [B, T, ...] from `first` on; for a null view, a view without data of that
// shape.
template <typename T>
TensorView<T, 3> columns(const TensorView<T, 3>& view, Index first, Index count) noexcept {
  T* const data = view.data() ? view.data() + first : nullptr;
  return {data, {view.size(0), view.size(1), count}, view.strides()};
}

// Queries, keys and values that lie side by side in one projection [B, T, (H + 2 Hk) D].
struct StackedHeads {
  TensorView<float, 4> queries, keys, values;
};
StackedHeads split_stacked(const TensorView<float, 3>& all, Index heads, Index kv_heads) noexcept;
// The projection without gaps that contains these three; no view where they are separate.
TensorView<float, 3> stacked_heads(const StackedHeads& parts) noexcept;

// The shape of the rstd that normalise_heads saves for heads [B, H, T, D].
inline Shape<3> rstd_shape(const Shape<4>& heads, const VectorView<const float>& weight) noexcept {
  return {heads[0], heads[1] * heads[3] / weight.size(0), heads[2]};
}
// Applies RMS norm in place to queries or keys that lie side by side: to each head by itself with a
// `weight` [D], to all heads of a token together with [H D]. Without a weight they do not change.
// rstd has the shape above, or is a null view.
void normalise_heads(const TensorView<float, 4>& heads, const VectorView<const float>& weight,
                     double eps, const TensorView<float, 3>& rstd, const Context& context);
// The backward pass, from the heads before the norm. Overwrites the gradient d_heads, whose heads
// lie side by side, with that of `unnormed`. d_weight is added to, or is a null view.
void normalise_heads_backward(const TensorView<float, 4>& d_heads,
                              const TensorView<const float, 4>& unnormed,
                              const VectorView<const float>& weight,
                              const TensorView<const float, 3>& rstd,
                              const VectorView<float>& d_weight, const Context& context);

// Throws Error in the name of `call` unless heads of this width can be rotated by `rotary` at
// positions below `end`.
void check_rotary(const char* call, const MultiHeadRotary& rotary, Index width, Index end);

// Rotates queries and keys in place, the first of both at position `first`; backward, rotates their
// gradients the other way.
void rotate(Direction direction, const MultiHeadRotary& rotary, Index first,
            const TensorView<float, 4>& query, const TensorView<float, 4>& key,
            const Context& context);

}  // namespace tril::detail
