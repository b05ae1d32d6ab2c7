// The projections of multi-head attention, one by one: which input goes through which weights.
#pragma once

#include <tril/attention/multi_head_attention.h>

namespace tril::detail {

struct Projection {
  TensorView<const float, 3> input;  // [B, positions, in]
  Weight weight;                     // [out, in]
  VectorView<const float> bias;      // [out] or none
  PackedColumns packed;              // weight's rows, if they were packed before
};

// What follows from inputs, weights and options that fit.
struct MultiHeadSizes {
  Index batches, queries, new_keys;  // new_keys are made of the context
  Index heads, kv_heads, width;      // width of one head
  bool stacked;                      // whether queries, keys and values are one product

  Index rows() const noexcept { return heads * width; }         // of the queries' weight
  Index key_rows() const noexcept { return kv_heads * width; }  // of those of keys and of values
  Shape<4> query_shape() const noexcept { return {batches, heads, queries, width}; }
  Shape<4> key_shape() const noexcept { return {batches, kv_heads, new_keys, width}; }
  Shape<4> score_shape(Index keys) const noexcept { return {batches, heads, queries, keys}; }
};

struct Projections {
  Projection query, key, value;
  // All three in one, where they are stacked in the weights and have one input; else none.
  Projection stacked;
  MultiHeadSizes sizes;
};

// Takes weights that fit apart.
Projections projections(const TensorView<const float, 3>& x, const MultiHeadWeights& weights,
                        const MultiHeadOptions& options, const PreparedWeights* prepared);

// Throws Error in the name of `call` where inputs, weights and heads do not fit.
MultiHeadSizes check_projections(const char* call, const TensorView<const float, 3>& x,
                                 const MultiHeadWeights& weights, const MultiHeadOptions& options);

// Rows [first, first + count) of a matrix, or elements of a vector; none of none.
template <typename T, int Rank>
TensorView<T, Rank> part(const TensorView<T, Rank>& view, Index first, Index count) noexcept {
  if (!view) return {};
  Shape<Rank> shape = view.shape();
  shape[0] = count;
  return {view.data() + first * view.stride(0), shape, view.strides()};
}

// Gradients of a projection; none: not wanted.
struct ProjectionGradients {
  TensorView<float, 3> d_input = {};  // added to where `adds`, else overwritten
  MatrixView<float> d_weight = {};    // added to
  VectorView<float> d_bias = {};      // added to
  bool adds = false;
};

// The backward pass of a projection, of which input and weight are looked at.
void project_backward(const TensorView<const float, 3>& d_out, const Projection& projection,
                      const ProjectionGradients& gradients, const Context& context);

// out [B, positions, out] = input W^T + b: one product where batches follow each other evenly.
void project(const Projection& projection, TensorView<float, 3> out, const Context& context);

}  // namespace tril::detail
