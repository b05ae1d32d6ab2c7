#include <tril/attention/attention_problem.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/attention/projections.h>
#include <tril/foundation/check.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

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

// Some columns of [B, T, ...].
TensorView<float, 3> columns(const TensorView<float, 3>& view, Index first, Index count) {
  return {view.data() + first, {view.size(0), view.size(1), count}, view.strides()};
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

void check_rotary(const MultiHeadRotary& rotary, Index width) {
  const Index turned = rotary.width == 0 ? width : rotary.width;
  if (turned < 2 || turned % 2 != 0 || turned > width) {
    fail(kCall, "rotary.width",
         "must be even, from 2 to the width of a head, " + std::to_string(width) + "; is " +
             std::to_string(turned));
  }
  if (!(std::isfinite(rotary.base) && rotary.base > 0)) {
    fail(kCall, "rotary.base", "must be finite and above 0, is " + number_text(rotary.base));
  }
}

// Rotates queries and keys in place, the first of both at the position `first`.
void rotate(const MultiHeadRotary& rotary, Index first, const TensorView<float, 4>& query,
            const TensorView<float, 4>& key, Scratch& scratch, Parallel& parallel) {
  const Index batches = query.size(0), count = std::max(query.size(2), key.size(2));
  const Index pairs = (rotary.width == 0 ? query.size(3) : rotary.width) / 2;
  Scratch::Frame frame(scratch);
  const VectorView<std::int32_t> positions(frame.take<std::int32_t>(count), {count});
  std::iota(positions.data(), positions.data() + count, static_cast<std::int32_t>(first));
  const MatrixView<float> cosine(frame.take<float>(count, pairs), {count, pairs});
  const MatrixView<float> sine(frame.take<float>(count, pairs), {count, pairs});
  rotary_angles(positions, rotary.base, cosine, sine);
  for (const TensorView<float, 4>& each : {query, key}) {
    const auto table = [&](const MatrixView<float>& all) {  // one for all batches
      return TensorView<const float, 3>(all.data(), {batches, each.size(2), pairs}, {0, pairs, 1});
    };
    rotary_positions(each, table(cosine), table(sine), rotary.pairs, each, parallel);
  }
}

void check_past(const KeyValueCache& past, const MultiHeadOptions& options, const Shape<4>& key,
                const TensorView<const float, 3>& x, const TensorView<float, 3>& out) {
  if (options.context || options.value_context) {
    fail(kCall, "past", "holds keys of x, and excludes a context");
  }
  if (options.attention.past != 0) fail(kCall, "past", "is a cache, whose length says it already");
  check_append(past, key, key, kCall);
  for (const TensorView<const float, 4>& held : {past.keys(), past.values()}) {
    check_no_overlap(out, held, kCall, "out");
    check_no_overlap(x, held, kCall, "x");
  }
}

// What is to be done, once everything that can be wrong with the arguments has been looked at.
struct Plan {
  detail::Projections project;
  Index before;  // tokens in the cache
  Index keys;    // S, with them
};

Plan checked(const TensorView<const float, 3>& x, const MultiHeadWeights& weights,
             const MultiHeadOptions& options, const TensorView<float, 3>& out,
             const MultiHeadTrace& trace, const PreparedWeights* prepared) {
  const detail::Projections project = detail::projections(kCall, x, weights, options, prepared);
  const Index batches = x.size(0), queries = x.size(1), new_keys = project.key.input.size(1);
  const Index heads = options.heads, kv_heads = project.kv_heads, width = project.width;
  const Index before = options.past ? options.past->length() : 0, keys = before + new_keys;

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
  const Shape<4> key_shape = {batches, kv_heads, new_keys, width};
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
  if (options.rotary) check_rotary(*options.rotary, width);
  if (options.past) check_past(*options.past, options, key_shape, x, out);
  return {project, before, keys};
}

}  // namespace

void check_multi_head_attention(TensorView<const float, 3> x, const MultiHeadWeights& weights,
                                const MultiHeadOptions& options, TensorView<float, 3> out,
                                const MultiHeadTrace& trace) {
  checked(x, weights, options, out, trace, nullptr);
}

// queries, keys, values = x Win^T + bin, in one product where they have one input
// rotate queries and keys;  append keys and values to the cache, and take all of it
// joined = attention of each head, each in its own columns
// out = joined Wo^T + bo
void multi_head_attention(TensorView<const float, 3> x, const MultiHeadWeights& weights,
                          const MultiHeadOptions& options, TensorView<float, 3> out,
                          Scratch& scratch, Parallel& parallel, const MultiHeadTrace& trace,
                          const PreparedWeights* prepared) {
  const auto [project, before, keys] = checked(x, weights, options, out, trace, prepared);
  const Index batches = x.size(0), queries = x.size(1), new_keys = project.key.input.size(1);
  const Index heads = options.heads, kv_heads = project.kv_heads, width = project.width;

  Scratch::Frame frame(scratch);
  const auto take = [&](Index tokens, Index all_heads) {
    const Shape<3> shape = {batches, tokens, all_heads * width};
    return TensorView<float, 3>(frame.take<float>(shape[0], shape[1], shape[2]), shape);
  };
  TensorView<float, 3> query, key, value;
  if (project.stacked.weight) {
    const TensorView<float, 3> all = take(queries, heads + 2 * kv_heads);
    query = columns(all, 0, heads * width);
    key = columns(all, heads * width, kv_heads * width);
    value = columns(all, (heads + kv_heads) * width, kv_heads * width);
    detail::project(project.stacked, all, scratch, parallel);
  } else {
    query = take(queries, heads), key = take(new_keys, kv_heads), value = take(new_keys, kv_heads);
    detail::project(project.query, query, scratch, parallel);
    detail::project(project.key, key, scratch, parallel);
    detail::project(project.value, value, scratch, parallel);
  }
  const TensorView<float, 4> split_query = split_heads(query, heads);
  const TensorView<float, 4> split_key = split_heads(key, kv_heads);
  const TensorView<float, 4> split_value = split_heads(value, kv_heads);
  if (options.rotary) rotate(*options.rotary, before, split_query, split_key, scratch, parallel);

  const TensorView<float, 3> joined = take(queries, heads);
  AttentionTrace attention_trace = trace.attention;
  if (trace.average_weights && !attention_trace.weights) {
    const Shape<4> shape = {batches, heads, queries, keys};
    attention_trace.weights = {frame.take<float>(batches, heads, queries, keys), shape};
  }
  AttentionOptions attention_options = options.attention;
  TensorView<const float, 4> all_keys = split_key, all_values = split_value;
  if (options.past) {
    options.past->append(split_key, split_value);
    all_keys = options.past->keys(), all_values = options.past->values();
    attention_options.past = before;
  }
  try {
    const detail::AttentionProblem problem =
        detail::attention_problem(kCall, split_query, all_keys, all_values, attention_options,
                                  split_heads(joined, heads), attention_trace);
    detail::attend(problem, scratch, parallel);
    detail::project({joined, weights.out_proj_weight, weights.out_proj_bias,
                     packed_columns(prepared, weights.out_proj_weight)},
                    out, scratch, parallel);
  } catch (...) {  // out of memory, or options that exclude a past
    if (options.past) options.past->set_length(before);
    throw;
  }

  copy(split_query, trace.queries);
  copy(split_key, trace.keys);
  copy(split_value, trace.values);
  copy(split_heads(joined, heads), trace.heads);
  if (trace.average_weights) {
    average_heads(attention_trace.weights, trace.average_weights, parallel);
  }
}

}  // namespace tril
