#include <tril/attention/attention_problem.h>
#include <tril/attention/heads.h>
#include <tril/attention/projections.h>
#include <tril/foundation/check.h>
#include <tril/foundation/copy.h>
#include <tril/foundation/overlap_check.h>

#include <algorithm>

namespace tril {
namespace {

constexpr const char* kCall = "multi_head_attention_backward";

// Whether queries, keys and values come from one product of one input.
bool is_stacked(const MultiHeadWeights& weights, const MultiHeadOptions& options) noexcept {
  return weights.in_proj_weight && !options.context && !options.value_context;
}

}  // namespace

MultiHeadTrace multi_head_attention_saved(const Shape<3>& x, const MultiHeadWeights& weights,
                                          const MultiHeadOptions& options, SavedMemory& memory) {
  constexpr const char* kSaved = "multi_head_attention_saved";
  const TensorView<const float, 3> like = detail::view_of_shape<3>(x);
  detail::check_inputs(kSaved, like, options);
  const detail::MultiHeadSizes sizes = detail::check_projections(kSaved, like, weights, options);
  const Index heads = options.heads, kv_heads = sizes.kv_heads, width = sizes.width;
  const Index keys = sizes.new_keys;
  detail::StackedHeads parts;
  if (is_stacked(weights, options)) {
    parts = detail::split_stacked(memory.take(x[0], x[1], (heads + 2 * kv_heads) * width), heads,
                                  kv_heads);
  } else {
    parts.queries = detail::split_heads(memory.take(x[0], x[1], heads * width), heads);
    parts.keys = detail::split_heads(memory.take(x[0], keys, kv_heads * width), kv_heads);
    parts.values = detail::split_heads(memory.take(x[0], keys, kv_heads * width), kv_heads);
  }
  MultiHeadTrace trace;
  trace.queries = parts.queries, trace.keys = parts.keys, trace.values = parts.values;
  trace.heads = detail::split_heads(memory.take(x[0], x[1], heads * width), heads);
  trace.attention.log_sum_exp = memory.take(x[0], heads, x[1]);
  const auto take_norm = [&](const VectorView<const float>& norm, const TensorView<float, 4>& like,
                             TensorView<float, 4>& unnormed, TensorView<float, 3>& rstd) {
    if (!norm) return;
    const Index H = like.size(1), tokens = like.size(2);
    unnormed = detail::split_heads(memory.take(x[0], tokens, H * width), H);
    const Shape<3> shape = detail::rstd_shape({x[0], H, tokens, width}, norm);
    rstd = memory.take(shape[0], shape[1], shape[2]);
  };
  take_norm(weights.q_norm, trace.queries, trace.unnormed_queries, trace.query_rstd);
  take_norm(weights.k_norm, trace.keys, trace.unnormed_keys, trace.key_rstd);
  return trace;
}

void multi_head_attention_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> x,
                                   const MultiHeadWeights& weights, const MultiHeadOptions& options,
                                   const MultiHeadTrace& trace, const MultiHeadGradients& gradients,
                                   const Context& context) {
  detail::check_inputs(kCall, x, options);
  const detail::MultiHead bound{weights, options, trace};
  bound.check_backward(d_out, x, gradients);
  bound.backward(d_out, x, gradients, context);
}

namespace detail {

void MultiHead::check_backward(const TensorView<const float, 3>& d_out,
                               const TensorView<const float, 3>& x,
                               const MultiHeadGradients& gradients) const {
  if (options.past) fail(kCall, "past", "decoding with a cache has no gradients");
  if (options.change_heads) {
    fail(kCall, "change_heads", "heads that were changed have no gradients");
  }
  const MultiHeadSizes sizes = check_projections(kCall, x, weights, options);
  check_all_floats(weights, kCall);
  const Index batches = sizes.batches, queries = sizes.queries, keys = sizes.new_keys;
  const Index heads = sizes.heads, width = sizes.width;
  const Message why{"x is ", x, " with ", heads, " heads of ", width, ", ", keys, " keys"};
  const Shape<4> query_shape = sizes.query_shape(), key_shape = sizes.key_shape();
  const Shape<4> score_shape = sizes.score_shape(keys);
  check_options(kCall, options.attention, score_shape);
  if (options.rotary) {
    check_rotary(kCall, *options.rotary, width, std::max(queries, keys));
  }
  check_shape(d_out, {batches, queries, weights.out_proj_weight.size(0)}, kCall, "d_out", why);
  OverlapCheck overlap(kCall);
  overlap.reads(options.attention.mask);
  const auto reads = [&](const auto& view, const auto& shape, const char* name) {
    check_shape(view, shape, kCall, name, why);
    overlap.reads(view);
  };
  reads(trace.queries, query_shape, "trace.queries");
  reads(trace.keys, key_shape, "trace.keys");
  reads(trace.values, key_shape, "trace.values");
  reads(trace.heads, query_shape, "trace.heads");
  reads(trace.attention.log_sum_exp, Shape<3>{batches, heads, queries}, "trace.log_sum_exp");
  if (weights.q_norm) {
    reads(trace.unnormed_queries, query_shape, "trace.unnormed_queries");
    reads(trace.query_rstd, rstd_shape(query_shape, weights.q_norm), "trace.query_rstd");
  }
  if (weights.k_norm) {
    reads(trace.unnormed_keys, key_shape, "trace.unnormed_keys");
    reads(trace.key_rstd, rstd_shape(key_shape, weights.k_norm), "trace.key_rstd");
  }
  overlap.reads(d_out), overlap.reads(x), overlap.reads_all(weights);
  overlap.reads(options.context), overlap.reads(options.value_context);

  overlap.writes(gradients.d_x, x.shape(), "d_x", "the shape of x");
  const auto writes = [&](const TensorView<float, 3>& d, const TensorView<const float, 3>& of,
                          const char* name, const char* of_name) {
    if (!d) return;
    if (!of) fail(kCall, name, {"there is no ", of_name});
    overlap.writes(d, of.shape(), name, "that of what it is the gradient of");
  };
  writes(gradients.d_context, options.context, "d_context", "context");
  writes(gradients.d_value_context, options.value_context, "d_value_context", "value_context");
  overlap.writes(gradients.d_mask, score_shape, "d_mask", "that of the scores");
  overlap.writes_gradients(gradients.weights, weights);
}

// d_joined = d_out Wo, and the gradients of the output's projection
// d_queries, d_keys, d_values = attention_backward of each head, each in its own columns
// rotate d_queries and d_keys back;  backward pass of their norms
// backward pass of the projections: one product if they were one, else each to its own input
void MultiHead::backward(const TensorView<const float, 3>& d_out,
                         const TensorView<const float, 3>& x, const MultiHeadGradients& gradients,
                         const Context& context) const {
  const Projections inputs = projections(x, weights, options);
  const MultiHeadSizes& sizes = inputs.sizes;
  const Index batches = sizes.batches, queries = sizes.queries, keys = sizes.new_keys;
  const Index heads = sizes.heads, kv_heads = sizes.kv_heads, width = sizes.width;

  Scratch::Frame frame(context.scratch);
  const auto take = [&](Index tokens, Index all_heads) {
    const Shape<3> shape = {batches, tokens, all_heads * width};
    return TensorView<float, 3>(frame.take<float>(shape[0], shape[1], shape[2]), shape);
  };
  TensorView<float, 3> joined = joined_heads(trace.heads);
  if (!joined) {
    joined = take(queries, heads);
    copy(trace.heads, split_heads(joined, heads));
  }
  const TensorView<float, 3> d_joined = take(queries, heads);
  const BasicMultiHeadWeights<float>& d = gradients.weights;
  project_backward(d_out, {joined, weights.out_proj_weight, {}},
                   {d_joined, d.out_proj_weight, d.out_proj_bias}, context);

  const bool stacked = is_stacked(weights, options);
  TensorView<float, 3> d_all, d_query, d_key, d_value;
  StackedHeads parts;
  if (stacked) {
    d_all = take(queries, heads + 2 * kv_heads);
    parts = split_stacked(d_all, heads, kv_heads);
  } else {
    d_query = take(queries, heads), d_key = take(keys, kv_heads), d_value = take(keys, kv_heads);
    parts = {split_heads(d_query, heads), split_heads(d_key, kv_heads),
             split_heads(d_value, kv_heads)};
  }
  run_attention_backward(
      {attention_formula(trace.queries, trace.keys, trace.values, options.attention),
       split_heads(d_joined, heads),
       trace.heads,
       trace.attention.log_sum_exp,
       {parts.queries, parts.keys, parts.values, gradients.d_mask}},
      context);
  if (options.rotary) {
    rotate(Direction::backward, *options.rotary, 0, parts.queries, parts.keys, context);
  }
  normalise_heads_backward(parts.queries, trace.unnormed_queries, weights.q_norm, trace.query_rstd,
                           d.q_norm, context);
  normalise_heads_backward(parts.keys, trace.unnormed_keys, weights.k_norm, trace.key_rstd,
                           d.k_norm, context);

  if (stacked) {
    project_backward(d_all, {x, weights.in_proj_weight, {}},
                     {gradients.d_x, d.in_proj_weight, d.in_proj_bias}, context);
    return;
  }
  const Index rows = sizes.rows(), key_rows = sizes.key_rows();
  const bool fused = static_cast<bool>(weights.in_proj_weight);
  const auto d_weight = [&](const MatrixView<float>& own, Index first, Index count) {
    return fused ? part(d.in_proj_weight, first, count) : own;
  };
  const auto d_bias = [&](Index first, Index count) { return part(d.in_proj_bias, first, count); };
  // Gradients add up if queries, keys and values have the same input; the first gradient
  // overwrites.
  const bool own_keys = !options.context;
  const TensorView<float, 3> d_context = own_keys ? gradients.d_x : gradients.d_context;
  const TensorView<float, 3> d_values =
      options.value_context ? gradients.d_value_context : d_context;
  project_backward(d_query, inputs.query,
                   {gradients.d_x, d_weight(d.q_proj_weight, 0, rows), d_bias(0, rows)}, context);
  project_backward(
      d_key, inputs.key,
      {d_context, d_weight(d.k_proj_weight, rows, key_rows), d_bias(rows, key_rows), own_keys},
      context);
  project_backward(d_value, inputs.value,
                   {d_values, d_weight(d.v_proj_weight, rows + key_rows, key_rows),
                    d_bias(rows + key_rows, key_rows), !options.value_context},
                   context);
}

}  // namespace detail
}  // namespace tril
