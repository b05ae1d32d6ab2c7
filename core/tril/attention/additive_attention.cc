#include <tril/attention/additive_attention.h>
#include <tril/attention/score_kernels.h>
#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>
#include <tril/layers/softmax_kernels.h>
#include <tril/layers/unchecked.h>
#include <tril/matmul/hidden_rows.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tril {
namespace {

constexpr const char* kCall = "additive_attention";

}  // namespace

void detail::check_additive(const char* call, const TensorView<const float, 3>& query,
                            const TensorView<const float, 3>& key,
                            const TensorView<const float, 3>& value,
                            const AdditiveWeights& weights) {
  check_view(query, call, "query", empty_but_wide(query));
  check_view(key, call, "key", empty_but_wide(key));
  check_view(weights.query, call, "w_q");
  const Message why{"query is ", query, ", key is ", key, ", w_q is ", weights.query};
  const Index width = weights.query.size(0), keys = key.size(1);
  check_shape(weights.query, {width, query.size(2)}, call, "w_q", why);
  check_shape(weights.key, {width, key.size(2)}, call, "w_k", why);
  check_shape(weights.score, {width}, call, "v", why);
  check_shape(key, {query.size(0), keys, key.size(2)}, call, "key", why);
  check_view(value, call, "value", empty_but_wide(value));
  check_shape(value, {query.size(0), keys, value.size(2)}, call, "value", why);
}

void additive_attention(TensorView<const float, 3> query, TensorView<const float, 3> key,
                        TensorView<const float, 3> value, const AdditiveWeights& weights,
                        const Mask& mask, TensorView<float, 3> out, const Context& context,
                        const AdditiveTrace& trace) {
  detail::check_additive(kCall, query, key, value, weights);
  const Index batches = query.size(0), queries = query.size(1), keys = key.size(1);
  const Index width = weights.query.size(0);
  mask.check({batches, 1, queries, keys}, kCall);
  constexpr const char* kWhy = "as query, key, value and w_q have it";
  check_view(out, kCall, "out", Empty::allowed);
  detail::OverlapCheck overlap(kCall);
  overlap.reads(query), overlap.reads(key), overlap.reads(value), overlap.reads_all(weights);
  overlap.reads(mask);
  overlap.writes(out, {batches, queries, value.size(2)}, "out", kWhy);
  overlap.writes(trace.queries, {batches, queries, width}, "trace.queries", kWhy);
  overlap.writes(trace.keys, {batches, keys, width}, "trace.keys", kWhy);
  overlap.writes(trace.scores, {batches, queries, keys}, "trace.scores", kWhy);
  overlap.writes(trace.masked, {batches, queries, keys}, "trace.masked", kWhy);
  overlap.writes(trace.weights, {batches, queries, keys}, "trace.weights", kWhy);

  // Each result is computed in its view of the trace, or, if it is not traced, in memory for one
  // batch; scores then share the memory of the weights.
  Scratch::Frame frame(context.scratch);
  const auto place = [&](const TensorView<float, 3>& wanted, Index rows, Index cols) {
    if (wanted) return wanted;
    return TensorView<float, 3>(frame.take<float>(rows, cols), {batches, rows, cols}, {0, cols, 1});
  };
  const TensorView<float, 3> all_queries = place(trace.queries, queries, width);
  const TensorView<float, 3> all_keys = place(trace.keys, keys, width);
  const TensorView<float, 3> all_weights = place(trace.weights, queries, keys);
  const TensorView<float, 3> all_scores = trace.scores ? trace.scores : all_weights;
  const TensorView<float, 3> all_masked = trace.masked ? trace.masked : all_weights;
  const auto score = score_kernels().additive_score;
  const auto softmax_row = softmax_kernels().row;

  // for each batch:  q = Wq query, k = Wk key
  //   for each query t:  scores = w_score . tanh(q_t + k_s) for every key s, masked, softmax
  //     one NaN makes all shares NaN: those of keys that t does not see are 0 all the same
  //   out = scores V
  for (Index b = 0; b < batches; ++b) {
    const MatrixView<float> q = all_queries[b], k = all_keys[b], shares = all_weights[b];
    const MatrixView<float> scores = all_scores[b], masked = all_masked[b];
    detail::run_linear(query[b], weights.query, {}, q, context);
    detail::run_linear(key[b], weights.key, {}, k, context);
    context.parallel.for_each(queries, [&](Index t, int) {
      float* const row = scores[t].data();
      for (Index s = 0; s < keys; ++s) {
        row[s] = score(q[t].data(), k[s].data(), weights.score.data(), width);
      }
      float* const visible = masked[t].data();
      if (visible != row) std::copy_n(row, keys, visible);
      const MaskBlock block{b, 0, t, t + 1, 0, {0, keys}};
      mask.apply(block, visible, keys);
      float* const share = shares[t].data();
      softmax_row(visible, share, keys, 1.0f);
      if (keys == 0 || !std::isnan(share[0])) return;
      mask.apply(block, share, keys);
      std::replace(share, share + keys, -std::numeric_limits<float>::infinity(), 0.0f);
    });
    detail::run_hiding_matmul(shares, value[b], {}, out[b], context);
  }
}

}  // namespace tril
