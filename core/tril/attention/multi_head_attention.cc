#include <tril/attention/attention_problem.h>
#include <tril/attention/heads.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/attention/projections.h>
#include <tril/foundation/check.h>
#include <tril/foundation/copy.h>

#include <algorithm>
#include <string>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "multi_head_attention";

// average [B, T, S] = the mean of weights [B, H, T, S] over the heads, summed head by head.
void average_heads(const TensorView<float, 4>& weights, const TensorView<float, 3>& average,
                   const Context& context) noexcept {
  const Index heads = weights.size(1), queries = weights.size(2), keys = weights.size(3);
  const float factor = 1 / static_cast<float>(heads);
  context.parallel.for_each(weights.size(0) * queries, [&](Index item, int) {
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

// Throws if a view shares memory with the keys or values of a cache.
template <typename T, int Rank>
void check_not_cached(const TensorView<T, Rank>& view, const KeyValueCache& past,
                      const char* name) {
  for (const TensorView<const float, 4>& held : {past.keys(), past.values()}) {
    check_no_overlap(view, held, kCall, name);
  }
}

void check_past(const KeyValueCache& past, const MultiHeadOptions& options, const Shape<4>& key,
                const TensorView<const float, 3>& x, const TensorView<float, 3>& out) {
  if (options.rotary && options.context) {
    fail(kCall, "rotary", "has no positions for a context in a cache");
  }
  if (options.attention.past != 0)
    fail(kCall, "past", "is given by the length of the cache, so attention.past must be 0");
  check_append(past, key, key, kCall);
  check_not_cached(out, past, "out");
  check_not_cached(x, past, "x");
  check_not_cached(options.context, past, "context");
  check_not_cached(options.value_context, past, "value_context");
}

// The views of the trace that the computation can write directly, since their layout fits; null
// views for the other results, which are copied into the trace at the end.
struct Places {
  TensorView<float, 3> all;                // queries, keys and values of one input, or
  TensorView<float, 3> query, key, value;  // each by itself
  TensorView<float, 3> joined;             // the heads
};

Places places_of(const MultiHeadTrace& trace, bool stacked) noexcept {
  const auto place = [](const TensorView<float, 4>& wanted) {
    const auto joined = wanted ? detail::joined_heads(wanted) : TensorView<float, 3>();
    return joined && joined.is_contiguous() ? joined : TensorView<float, 3>();
  };
  Places places;
  places.joined = place(trace.heads);
  if (stacked) {
    places.all = detail::stacked_heads({trace.queries, trace.keys, trace.values});
  } else {
    places.query = place(trace.queries);
    places.key = place(trace.keys);
    places.value = place(trace.values);
  }
  return places;
}

// Throws if any other view of the trace shares memory with these.
void check_places(const Places& places, const MultiHeadTrace& trace) {
  // Checks `place`, which contains members [first, last) of the trace.
  const auto check = [&](const TensorView<float, 3>& place, int first, int last) {
    int n = 0;
    const auto check_member = [&](const char* name, const auto& view) {
      if (n < first || n >= last) check_no_overlap(view, place, kCall, name);
      ++n;
    };
    if (place) MultiHeadTrace::for_each_member(check_member, trace);
  };
  check(places.all, 0, 3);
  check(places.query, 0, 1);
  check(places.key, 1, 2);
  check(places.value, 2, 3);
  check(places.joined, 3, 4);
}

// The options for attention. With a cache of x's tokens, the new tokens follow the cached ones.
AttentionOptions attention_options(const MultiHeadOptions& options) {
  AttentionOptions result = options.attention;
  if (options.past && !options.context) result.past = options.past->length();
  return result;
}

}  // namespace

void check_multi_head_attention(TensorView<const float, 3> x, const MultiHeadWeights& weights,
                                const MultiHeadOptions& options, TensorView<float, 3> out,
                                const MultiHeadTrace& trace) {
  detail::check_inputs(kCall, x, options);
  detail::MultiHead{weights, options, trace}.check(x, out);
}

void multi_head_attention(TensorView<const float, 3> x, const MultiHeadWeights& weights,
                          const MultiHeadOptions& options, TensorView<float, 3> out,
                          const Context& context, const MultiHeadTrace& trace) {
  detail::check_inputs(kCall, x, options);
  const detail::MultiHead bound{weights, options, trace};
  bound.check(x, out);
  bound.run(x, out, context);
}

namespace detail {

void MultiHead::check(const TensorView<const float, 3>& x, const TensorView<float, 3>& out) const {
  const MultiHeadSizes sizes = check_projections(kCall, x, weights, options);
  const Index batches = sizes.batches, queries = sizes.queries, heads = sizes.heads;
  const Index before = options.past ? options.past->length() : 0, keys = before + sizes.new_keys;
  const Message why{"x is ", x, " with ", heads, " heads of ", sizes.width, ", ", keys, " keys"};
  check_shape(out, {batches, queries, weights.out_proj_weight.size(0)}, kCall, "out", why);
  const auto check_no_input = [&](const auto& written, const char* name) {
    for (const auto& input : {x, options.context, options.value_context}) {
      check_no_overlap(written, input, kCall, name);
    }
    check_no_overlap(written, options.attention.mask, kCall, name);
    for_each_parameter(weights, [&](const ParameterName&, const auto& weight) {
      check_no_overlap(written, weight, kCall, name);
    });
  };
  check_no_input(out, "out");
  const auto check_rstd = [&](const TensorView<float, 3>& rstd, const VectorView<const float>& norm,
                              const char* name) {
    if (rstd && !norm) fail(kCall, name, "there is no such norm");
  };
  check_rstd(trace.query_rstd, weights.q_norm, "trace.query_rstd");
  check_rstd(trace.key_rstd, weights.k_norm, "trace.key_rstd");
  const MultiHeadTrace like = trace_shapes(sizes, keys, weights);
  MultiHeadTrace::for_each_member(
      [&](const char* name, const auto& view, const auto& shape) {
        if (!view) return;
        check_shape(view, shape.shape(), kCall, name, why);
        check_no_input(view, name);
        check_no_overlap(view, out, kCall, name);
        if (options.past) check_not_cached(view, *options.past, name);
      },
      trace, like);
  check_traceable(kCall, options.attention.method, trace.attention);
  if (options.past) check_past(*options.past, options, sizes.key_shape(), x, out);
  check_options(kCall, attention_options(options), sizes.score_shape(keys));
  if (options.rotary) {
    check_rotary(kCall, *options.rotary, sizes.width, before + std::max(queries, sizes.new_keys));
  }
  check_places(places_of(trace, sizes.stacked), trace);
}

// queries, keys, values = x Win^T + bin, in one product if they have one input
// normalise and rotate queries and keys;  append keys and values to the cache, and use all of it
// joined = attention of each head, each in its own columns;  change_heads, if given
// out = joined Wo^T + bo
void MultiHead::run(const TensorView<const float, 3>& x, const TensorView<float, 3>& out,
                    const Context& context) const {
  const Projections inputs = projections(x, weights, options);
  const MultiHeadSizes& sizes = inputs.sizes;
  const Index batches = sizes.batches, queries = sizes.queries, new_keys = sizes.new_keys;
  const Index heads = sizes.heads, kv_heads = sizes.kv_heads, width = sizes.width;
  const Places places = places_of(trace, sizes.stacked);
  const Index before = options.past ? options.past->length() : 0, keys = before + new_keys;

  Scratch::Frame frame(context.scratch);
  const auto place = [&](const TensorView<float, 3>& wanted, Index tokens, Index all_heads) {
    if (wanted) return wanted;
    const Shape<3> shape = {batches, tokens, all_heads * width};
    return TensorView<float, 3>(frame.take<float>(shape[0], shape[1], shape[2]), shape);
  };
  StackedHeads parts;
  if (sizes.stacked) {
    const TensorView<float, 3> all = place(places.all, queries, heads + 2 * kv_heads);
    project(inputs.stacked, all, context);
    parts = split_stacked(all, heads, kv_heads);
  } else {
    const TensorView<float, 3> query = place(places.query, queries, heads);
    const TensorView<float, 3> key = place(places.key, new_keys, kv_heads);
    const TensorView<float, 3> value = place(places.value, new_keys, kv_heads);
    project(inputs.query, query, context);
    project(inputs.key, key, context);
    project(inputs.value, value, context);
    parts = {split_heads(query, heads), split_heads(key, kv_heads), split_heads(value, kv_heads)};
  }
  const auto& [split_query, split_key, split_value] = parts;
  copy(split_query, trace.unnormed_queries);
  copy(split_key, trace.unnormed_keys);
  normalise_heads(split_query, weights.q_norm, options.norm_eps, trace.query_rstd, context);
  normalise_heads(split_key, weights.k_norm, options.norm_eps, trace.key_rstd, context);
  copy(split_query, trace.unrotated_queries);
  copy(split_key, trace.unrotated_keys);
  if (options.rotary) {
    rotate(Direction::forward, *options.rotary, before, split_query, split_key, context);
  }

  const TensorView<float, 3> joined = place(places.joined, queries, heads);
  AttentionTrace attention_trace = trace.attention;
  if (trace.average_weights && !attention_trace.weights) {
    attention_trace.weights = {frame.take<float>(batches, heads, queries, keys),
                               sizes.score_shape(keys)};
  }
  const AttentionOptions of_heads = attention_options(options);
  TensorView<const float, 4> all_keys = split_key, all_values = split_value;
  if (options.past) {
    options.past->append(split_key, split_value);
    all_keys = options.past->keys(), all_values = options.past->values();
  }
  try {
    const AttentionProblem problem = attention_problem(split_query, all_keys, all_values, of_heads,
                                                       split_heads(joined, heads), attention_trace);
    run_attention(problem, context);
    if (options.change_heads) options.change_heads(split_heads(joined, heads));
    project({joined, weights.out_proj_weight, weights.out_proj_bias}, out, context);
  } catch (...) {  // out of memory, or thrown by change_heads
    if (options.past) options.past->set_length(before);
    throw;
  }

  copy(split_query, trace.queries);
  copy(split_key, trace.keys);
  copy(split_value, trace.values);
  copy(split_heads(joined, heads), trace.heads);
  if (trace.average_weights) {
    average_heads(attention_trace.weights, trace.average_weights, context);
  }
}

}  // namespace detail
}  // namespace tril
