#include <tril/attention/attention_problem.h>
#include <tril/attention/heads.h>
#include <tril/attention/projections.h>
#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/layer_norm.h>
#include <tril/layers/unchecked.h>
#include <tril/matmul/method.h>

namespace tril::detail {
namespace {

bool is_same(const TensorView<const float, 3>& a, const TensorView<const float, 3>& b) noexcept {
  return a.data() == b.data() && a.shape() == b.shape() && a.strides() == b.strides();
}

// The sources of keys and values; x without a context.
struct Contexts {
  const TensorView<const float, 3>&key, &value;
};
Contexts contexts_of(const TensorView<const float, 3>& x,
                     const MultiHeadOptions& options) noexcept {
  const TensorView<const float, 3>& key = options.context ? options.context : x;
  return {key, options.value_context ? options.value_context : key};
}

// The sizes of a call. The width of all heads of queries comes from the weights.
MultiHeadSizes sizes_of(const TensorView<const float, 3>& x, const MultiHeadWeights& weights,
                        const MultiHeadOptions& options) noexcept {
  const Index heads = options.heads;
  const Index kv_heads = options.kv_heads == 0 ? heads : options.kv_heads;
  const bool fused = static_cast<bool>(weights.in_proj_weight);
  const Index width = fused ? weights.in_proj_weight.size(0) / (heads + 2 * kv_heads)
                            : weights.q_proj_weight.size(0) / heads;
  const auto& [context, value_context] = contexts_of(x, options);
  const bool stacked = fused && is_same(x, context) && is_same(x, value_context);
  return {x.size(0), x.size(1), context.size(1), heads, kv_heads, width, stacked};
}

}  // namespace

Projections projections(const TensorView<const float, 3>& x, const MultiHeadWeights& weights,
                        const MultiHeadOptions& options) {
  const auto& [context, value_context] = contexts_of(x, options);
  Projections result{{x, weights.q_proj_weight, {}},
                     {context, weights.k_proj_weight, {}},
                     {value_context, weights.v_proj_weight, {}},
                     {},
                     sizes_of(x, weights, options)};
  const Index rows = result.sizes.rows(), key_rows = result.sizes.key_rows();
  if (weights.in_proj_weight) {
    result.query.weight = weights.in_proj_weight.rows(0, rows);
    result.key.weight = weights.in_proj_weight.rows(rows, key_rows);
    result.value.weight = weights.in_proj_weight.rows(rows + key_rows, key_rows);
    if (result.sizes.stacked) result.stacked = {x, weights.in_proj_weight, weights.in_proj_bias};
  }
  result.query.bias = part(weights.in_proj_bias, 0, rows);
  result.key.bias = part(weights.in_proj_bias, rows, key_rows);
  result.value.bias = part(weights.in_proj_bias, rows + key_rows, key_rows);
  return result;
}

void check_inputs(const char* call, const TensorView<const float, 3>& x,
                  const MultiHeadOptions& options) {
  check_view(x, call, "x", empty_but_wide(x));
  const auto& [context, value_context] = contexts_of(x, options);
  if (!options.context && !options.value_context) return;
  check_view(context, call, "context", empty_but_wide(context));
  check_view(value_context, call, "value_context", empty_but_wide(value_context));
  if (context.size(0) != x.size(0)) {
    fail(call, "context", {"must have x's batches; context is ", context, ", x is ", x});
  }
  if (value_context.size(0) != x.size(0) || value_context.size(1) != context.size(1)) {
    fail(call, "value_context",
         {"must have the batches and length of context ", context, ", is ", value_context});
  }
}

MultiHeadSizes check_projections(const char* call, const TensorView<const float, 3>& x,
                                 const MultiHeadWeights& weights, const MultiHeadOptions& options) {
  const Index heads = options.heads;
  const Index kv_heads = options.kv_heads == 0 ? heads : options.kv_heads;
  if (heads < 1) fail(call, "heads", {"must be at least 1, is ", heads});
  if (kv_heads < 1 || heads % kv_heads != 0) {
    fail(call, "kv_heads", {kv_heads, " does not divide the ", heads, " heads"});
  }
  const auto& [context, value_context] = contexts_of(x, options);

  const bool fused = static_cast<bool>(weights.in_proj_weight);
  const char* const name = fused ? "in_proj_weight" : "q_proj_weight";
  const auto& given = fused ? weights.in_proj_weight : weights.q_proj_weight;
  check_view(given, call, name);
  // The sum is formed only if heads <= rows, so it cannot overflow.
  if (heads > given.size(0) || given.size(0) % (fused ? heads + 2 * kv_heads : heads) != 0) {
    fail(call, name,
         {"its ", given.size(0), " rows do not divide into ", heads, " heads; shape is ", given});
  }
  if (!fused) {
    check_view(weights.k_proj_weight, call, "k_proj_weight");
    check_view(weights.v_proj_weight, call, "v_proj_weight");
  }
  const MultiHeadSizes sizes = sizes_of(x, weights, options);
  const Index width = sizes.width, rows = sizes.rows(), key_rows = sizes.key_rows();
  if (weights.in_proj_bias) {
    check_shape(weights.in_proj_bias, {rows + 2 * key_rows}, call, "in_proj_bias",
                "one for each row of the projections");
  }
  // Checks the weight of one input, or its rows of the stacked weight: as many rows as the heads
  // need, as wide as the input.
  const auto check_weight = [&](const char* weight_name, const Weight& own, Index needed,
                                const TensorView<const float, 3>& input) {
    const Shape<2> shape = fused ? Shape<2>{needed, given.size(1)} : own.shape();
    if (shape == Shape<2>{needed, input.size(2)}) return;
    fail(call, fused ? name : weight_name,
         {"shape must be ", Shape<2>{needed, input.size(2)}, ", is ", shape, "; its input is ",
          input});
  };
  check_weight("q_proj_weight", weights.q_proj_weight, rows, x);
  check_weight("k_proj_weight", weights.k_proj_weight, key_rows, context);
  check_weight("v_proj_weight", weights.v_proj_weight, key_rows, value_context);
  check_view(weights.out_proj_weight, call, "out_proj.weight");
  if (weights.out_proj_weight.size(1) != rows) {
    fail(
        call, "out_proj.weight",
        {"must have ", rows, " columns, as wide as all heads; shape is ", weights.out_proj_weight});
  }
  if (weights.out_proj_bias) {
    check_shape(weights.out_proj_bias, {weights.out_proj_weight.size(0)}, call, "out_proj.bias",
                {"out_proj.weight is ", weights.out_proj_weight});
  }
  const auto check_norm = [&](const char* norm_name, const VectorView<const float>& norm,
                              Index all) {
    if (!norm) return;
    check_view(norm, call, norm_name);
    if (norm.size(0) == width || norm.size(0) == all) return;
    fail(call, norm_name,
         {"shape must be [", width, "], for each head by itself, or [", all,
          "], for all together, is ", norm});
  };
  check_norm("q_norm.weight", weights.q_norm, rows);
  check_norm("k_norm.weight", weights.k_norm, key_rows);
  if (weights.q_norm || weights.k_norm) check_eps(options.norm_eps, call);
  return sizes;
}

MultiHeadTrace trace_shapes(const MultiHeadSizes& sizes, Index keys,
                            const MultiHeadWeights& weights) noexcept {
  const Shape<4> query_shape = sizes.query_shape(), key_shape = sizes.key_shape();
  const TensorView<float, 4> query(nullptr, query_shape), key(nullptr, key_shape);
  MultiHeadTrace like;
  like.queries = like.unrotated_queries = like.unnormed_queries = like.heads = query;
  like.keys = like.values = like.unrotated_keys = like.unnormed_keys = key;
  like.attention = trace_shapes(sizes.score_shape(keys));
  like.average_weights = {nullptr, {sizes.batches, sizes.queries, keys}};
  if (weights.q_norm) like.query_rstd = {nullptr, rstd_shape(query_shape, weights.q_norm)};
  if (weights.k_norm) like.key_rstd = {nullptr, rstd_shape(key_shape, weights.k_norm)};
  return like;
}

void project(const Projection& projection, TensorView<float, 3> out, const Context& context) {
  const auto& [input, weight, bias] = projection;
  const MatrixView<const float> from = joined_rows(input);
  const MatrixView<float> to = joined_rows(out);
  if (from && to) return run_linear(from, weight, bias, to, context);
  for (Index b = 0; b < input.size(0); ++b) run_linear(input[b], weight, bias, out[b], context);
}

void project_backward(const TensorView<const float, 3>& d_out, const Projection& projection,
                      const ProjectionGradients& gradients, const Context& context) {
  const auto& [d_input, d_weight, d_bias, adds] = gradients;
  const auto rows = [&, &d_weight = d_weight, &d_bias = d_bias, &adds = adds](
                        const MatrixView<const float>& d, const MatrixView<const float>& input,
                        const MatrixView<float>& d_in) {
    const MatrixView<float> overwritten = adds ? MatrixView<float>() : d_in;
    run_linear_backward(d, input, projection.weight.floats(), {overwritten, d_weight, d_bias},
                        context);
    if (!adds || !d_in) return;
    run_matmul(d, projection.weight.floats(), {.accumulate = true}, d_in, context);
  };
  const TensorView<const float, 3>& input = projection.input;
  const MatrixView<const float> d = joined_rows(d_out), from = joined_rows(input);
  const MatrixView<float> to = d_input ? joined_rows(d_input) : MatrixView<float>();
  if (d && from && (to || !d_input)) return rows(d, from, to);
  for (Index b = 0; b < input.size(0); ++b) {
    rows(d_out[b], input[b], d_input ? d_input[b] : MatrixView<float>());
  }
}

}  // namespace tril::detail
