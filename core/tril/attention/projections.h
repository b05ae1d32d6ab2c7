// The projections of multi-head attention: each is an input and its weights.
#pragma once

#include <tril/attention/multi_head_attention.h>

namespace tril::detail {

struct Projection {
  TensorView<const float, 3> input;  // [B, positions, in]
  Weight weight;                     // [out, in]
  VectorView<const float> bias;      // [out] or none
};

// The sizes of checked inputs, weights and options.
struct MultiHeadSizes {
  Index batches, queries, new_keys;  // new_keys: keys computed from the context
  Index heads, kv_heads, width;      // width of one head
  bool stacked;                      // whether queries, keys and values are one product

  Index rows() const noexcept { return heads * width; }         // of the query weight
  Index key_rows() const noexcept { return kv_heads * width; }  // of the key and the value weight
  Shape<4> query_shape() const noexcept { return {batches, heads, queries, width}; }
  Shape<4> key_shape() const noexcept { return {batches, kv_heads, new_keys, width}; }
  Shape<4> score_shape(Index keys) const noexcept { return {batches, heads, queries, keys}; }
};

struct Projections {
  Projection query, key, value;
  // All three as one product if the weights are stacked and the input is the same; else empty.
  Projection stacked;
  MultiHeadSizes sizes;
};

// The projections of checked inputs and weights.
Projections projections(const TensorView<const float, 3>& x, const MultiHeadWeights& weights,
                        const MultiHeadOptions& options);

// Throws Error in the name of `call` unless the layouts of x and the contexts are valid and their
// batches are equal.
void check_inputs(const char* call, const TensorView<const float, 3>& x,
                  const MultiHeadOptions& options);

// Throws Error in the name of `call` unless weights and heads fit the checked inputs.
MultiHeadSizes check_projections(const char* call, const TensorView<const float, 3>& x,
                                 const MultiHeadWeights& weights, const MultiHeadOptions& options);

// Null views with the shapes of a trace, for queries that see `keys` keys. Without a norm in the
// weights, its rstd has no shape.
MultiHeadTrace trace_shapes(const MultiHeadSizes& sizes, Index keys,
                            const MultiHeadWeights& weights) noexcept;

// Rows [first, first + count) of a matrix, or elements of a vector; a null view for a null view.
template <typename T, int Rank>
TensorView<T, Rank> part(const TensorView<T, Rank>& view, Index first, Index count) noexcept {
  if (!view) return {};
  Shape<Rank> shape = view.shape();
  shape[0] = count;
  return {view.data() + first * view.stride(0), shape, view.strides()};
}

// Gradients of a projection; a null view is not computed.
struct ProjectionGradients {
  TensorView<float, 3> d_input = {};  // added to if `adds`, else overwritten
  MatrixView<float> d_weight = {};    // added to
  VectorView<float> d_bias = {};      // added to
  bool adds = false;
};

// The backward pass of a projection; reads its input and weight.
void project_backward(const TensorView<const float, 3>& d_out, const Projection& projection,
                      const ProjectionGradients& gradients, const Context& context);

// out [B, positions, out] = input W^T + b, as one product if the batches are evenly spaced.
void project(const Projection& projection, TensorView<float, 3> out, const Context& context);

}  // namespace tril::detail
