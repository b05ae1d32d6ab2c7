#include <tril/attention/attention_problem.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/attention/projections.h>
#include <tril/foundation/check.h>

#include <algorithm>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "multi_head_attention";

// A projection [B, T, H * D] seen as [B, H, T, D].
TensorView<float, 4> split_heads(const TensorView<float, 3>& projected, Index heads) {
  const Index width = projected.size(2) / heads;
  return {projected.data(),
          {projected.size(0), heads, projected.size(1), width},
          {projected.stride(0), width, projected.stride(1), 1}};
}

void copy(const TensorView<float, 4>& from, const TensorView<float, 4>& to) noexcept {
  if (!to) return;
  for (Index b = 0; b < from.size(0); ++b) {
    for (Index h = 0; h < from.size(1); ++h) {
      for (Index t = 0; t < from.size(2); ++t) {
        std::copy_n(from[b][h][t].data(), from.size(3), to[b][h][t].data());
      }
    }
  }
}

// average [B, T, S] = the mean of weights [B, H, T, S] over the heads, summed head by head.
void average_heads(const TensorView<float, 4>& weights, const TensorView<float, 3>& average,
                   Parallel& parallel) noexcept {
  const Index heads = weights.size(1), queries = weights.size(2), keys = weights.size(3);
  const float factor = 1 / static_cast<float>(heads);
  parallel.for_each(weights.size(0) * queries, [&](Index item, int) {
    const Index b = item / queries, t = item % queries;
    float* const out = average[b][t].data();
    std::copy_n(weights[b][0][t].data(), keys, out);
    for (Index h = 1; h < heads; ++h) {
      const float* const row = weights[b][h][t].data();
      for (Index s = 0; s < keys; ++s) out[s] += row[s];
    }
    for (Index s = 0; s < keys; ++s) out[s] *= factor;
  });
}

// The projections, once everything that can be wrong with the arguments has been looked at.
detail::Projections checked(const TensorView<const float, 3>& x, const MultiHeadWeights& weights,
                            const MultiHeadOptions& options, const TensorView<float, 3>& out,
                            const MultiHeadTrace& trace, const PreparedWeights* prepared) {
  detail::Projections project = detail::projections(kCall, x, weights, options, prepared);
  const Index batches = x.size(0), queries = x.size(1), keys = project.key.input.size(1);
  const Index heads = options.heads, kv_heads = project.kv_heads, width = project.width;

  const auto why = [&] {
    return "x is " + shape_text(x) + " with " + std::to_string(heads) + " heads of " +
           std::to_string(width) + ", " + std::to_string(keys) + " keys";
  };
  check_shape(out, {batches, queries, weights.out_proj_weight.size(0)}, kCall, "out", why);
  const auto check_trace = [&](const auto& view, const auto& shape, const char* name) {
    if (!view) return;
    check_shape(view, shape, kCall, name, why);
    project.check_no_overlap(view, kCall, name);
    check_no_overlap(view, out, kCall, name);
  };
  const Shape<4> query_shape = {batches, heads, queries, width};
  const Shape<4> key_shape = {batches, kv_heads, keys, width};
  const Shape<4> score_shape = {batches, heads, queries, keys};
  project.check_no_overlap(out, kCall, "out");
  check_trace(trace.queries, query_shape, "trace.queries");
  check_trace(trace.keys, key_shape, "trace.keys");
  check_trace(trace.values, key_shape, "trace.values");
  check_trace(trace.attention.scores, score_shape, "trace.scores");
  check_trace(trace.attention.capped, score_shape, "trace.capped");
  check_trace(trace.attention.masked, score_shape, "trace.masked");
  check_trace(trace.attention.weights, score_shape, "trace.weights");
  check_trace(trace.average_weights, Shape<3>{batches, queries, keys}, "trace.average_weights");
  check_trace(trace.heads, query_shape, "trace.heads");
  detail::check_options(kCall, options.attention, score_shape);
  return project;
}

}  // namespace

void check_multi_head_attention(TensorView<const float, 3> x, const MultiHeadWeights& weights,
                                const MultiHeadOptions& options, TensorView<float, 3> out,
                                const MultiHeadTrace& trace) {
  checked(x, weights, options, out, trace, nullptr);
}

void multi_head_attention(TensorView<const float, 3> x, const MultiHeadWeights& weights,
                          const MultiHeadOptions& options, TensorView<float, 3> out,
                          Scratch& scratch, Parallel& parallel, const MultiHeadTrace& trace,
                          const PreparedWeights* prepared) {
  const detail::Projections project = checked(x, weights, options, out, trace, prepared);
  const Index batches = x.size(0), queries = x.size(1), keys = project.key.input.size(1);
  const Index heads = options.heads, kv_heads = project.kv_heads, width = project.width;

  Scratch::Frame frame(scratch);
  const auto take = [&](Index positions, Index all_heads) {
    const Shape<3> shape = {batches, positions, all_heads * width};
    return TensorView<float, 3>(frame.take<float>(shape[0], shape[1], shape[2]), shape);
  };
  const TensorView<float, 3> query = take(queries, heads), key = take(keys, kv_heads);
  const TensorView<float, 3> value = take(keys, kv_heads), joined = take(queries, heads);
  AttentionTrace attention_trace = trace.attention;
  if (trace.average_weights && !attention_trace.weights) {
    const Shape<4> shape = {batches, heads, queries, keys};
    attention_trace.weights = {frame.take<float>(batches, heads, queries, keys), shape};
  }
  const detail::AttentionProblem problem = detail::attention_problem(
      kCall, split_heads(query, heads), split_heads(key, kv_heads), split_heads(value, kv_heads),
      options.attention, split_heads(joined, heads), attention_trace);

  detail::project(project.query, query, scratch, parallel);
  detail::project(project.key, key, scratch, parallel);
  detail::project(project.value, value, scratch, parallel);
  detail::attend(problem, scratch, parallel);
  detail::project({joined, weights.out_proj_weight, weights.out_proj_bias,
                   packed_columns(prepared, weights.out_proj_weight)},
                  out, scratch, parallel);

  copy(split_heads(query, heads), trace.queries);
  copy(split_heads(key, kv_heads), trace.keys);
  copy(split_heads(value, kv_heads), trace.values);
  copy(split_heads(joined, heads), trace.heads);
  if (trace.average_weights) {
    average_heads(attention_trace.weights, trace.average_weights, parallel);
  }
}

}  // namespace tril
