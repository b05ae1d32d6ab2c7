// The projections of multi-head attention, one by one: which input goes through which weights.
#pragma once

#include <tril/attention/multi_head_attention.h>

namespace tril::detail {

struct Projection {
  TensorView<const float, 3> input;  // [B, positions, in]
  Weight weight;                     // [out, in]
  VectorView<const float> bias;      // [out] or none
};

// The sizes that checked inputs, weights and options have.
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
  // All three as one product, where the weights are stacked and the input is the same; else
  // nothing.
  Projection stacked;
  MultiHeadSizes sizes;
};

// The projections of inputs and weights that have been checked.
Projections projections(const TensorView<const float, 3>& x, const MultiHeadWeights& weights,
                        const MultiHeadOptions& options);

// Throws Error in the name of `call` unless x and the contexts are laid out as calls expect, and
// have the same batches.
void check_inputs(const char* call, const TensorView<const float, 3>& x,
                  const MultiHeadOptions& options);

// Throws Error in the name of `call` where weights and heads do not fit inputs that have been
// checked.
MultiHeadSizes check_projections(const char* call, const TensorView<const float, 3>& x,
                                 const MultiHeadWeights& weights, const MultiHeadOptions& options);

// Views of nothing that have the shapes of a trace's, where queries see so many keys. A norm that
// the weights lack leaves its moments without a shape.
MultiHeadTrace trace_shapes(const MultiHeadSizes& sizes, Index keys,
                            const MultiHeadWeights& weights) noexcept;

// Rows [first, first + count) of a matrix, or elements of a vector; no view of no view.
template <typename T, int Rank>
TensorView<T, Rank> part(const TensorView<T, Rank>& view, Index first, Index count) noexcept {
  if (!view) return {};
  Shape<Rank> shape = view.shape();
  shape[0] = count;
  return {view.data() + first * view.stride(0), shape, view.strides()};
}

// Gradients of a projection. A gradient without a view is not computed.
struct ProjectionGradients {
  TensorView<float, 3> d_input = {};  // added to where `adds`, else overwritten
  MatrixView<float> d_weight = {};    // added to
  VectorView<float> d_bias = {};      // added to
  bool adds = false;
};

// The backward pass of a projection; reads its input and weight.
void project_backward(const TensorView<const float, 3>& d_out, const Projection& projection,
                      const ProjectionGradients& gradients, const Context& context);

// out [B, positions, out] = input W^T + b, as one product where the batches are evenly spaced.
void project(const Projection& projection, TensorView<float, 3> out, const Context& context);

}  // namespace tril::detail
