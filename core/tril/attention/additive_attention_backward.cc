#include <tril/attention/additive_attention.h>
#include <tril/attention/attention_backward_kernels.h>
#include <tril/foundation/check.h>
#include <tril/foundation/overlap_check.h>
#include <tril/layers/backward_kernels.h>
#include <tril/layers/partial_sums.h>
#include <tril/layers/unchecked.h>
#include <tril/matmul/hidden_rows.h>
#include <tril/matmul/method.h>

#include <algorithm>

namespace tril {
namespace {

constexpr const char* kCall = "additive_attention_backward";

MatrixView<float> matrix_of(const TensorView<float, 3>& view, Index batch) noexcept {
  return view ? view[batch] : MatrixView<float>();
}

}  // namespace

AdditiveTrace additive_attention_saved(const Shape<3>& query, const Shape<3>& key,
                                       const AdditiveWeights& weights, SavedMemory& memory) {
  check_view(weights.query, "additive_attention_saved", "w_q");
  const Index width = weights.query.size(0);
  AdditiveTrace trace;
  trace.queries = memory.take(query[0], query[1], width);
  trace.keys = memory.take(key[0], key[1], width);
  trace.weights = memory.take(query[0], query[1], key[1]);
  return trace;
}

// for each batch:
//   d_value = P^T d_out;  d_scores = softmax back (d_out V^T)
//   for each query t:  d_q_t and its share of d_w_score, over the keys in order
//   for each key s:    d_k_s, over the queries in order
//   d_query, d_key = back through Wq, Wk
void additive_attention_backward(TensorView<const float, 3> d_out, TensorView<const float, 3> query,
                                 TensorView<const float, 3> key, TensorView<const float, 3> value,
                                 const AdditiveWeights& weights, const AdditiveTrace& trace,
                                 const AdditiveGradients& gradients, const Context& context) {
  detail::check_additive(kCall, query, key, value, weights);
  const Index batches = query.size(0), queries = query.size(1), keys = key.size(1);
  const Index width = weights.query.size(0);
  const Message why{"query is ", query, ", key is ", key, ", value is ", value};
  detail::OverlapCheck overlap(kCall);
  const auto reads = [&](const auto& view, const Shape<3>& shape, const char* name) {
    check_shape(view, shape, kCall, name, why);
    overlap.reads(view);
  };
  reads(d_out, {batches, queries, value.size(2)}, "d_out");
  reads(trace.queries, {batches, queries, width}, "trace.queries");
  reads(trace.keys, {batches, keys, width}, "trace.keys");
  reads(trace.weights, {batches, queries, keys}, "trace.weights");
  overlap.reads(query), overlap.reads(key), overlap.reads(value), overlap.reads_all(weights);
  overlap.writes(gradients.d_query, query.shape(), "d_query", "the shape of query");
  overlap.writes(gradients.d_key, key.shape(), "d_key", "the shape of key");
  overlap.writes(gradients.d_value, value.shape(), "d_value", "the shape of value");
  overlap.writes_gradients(gradients.weights, weights);

  const auto& d_weights = gradients.weights;
  const auto score = attention_backward_kernels().additive_score;
  const auto softmax = backward_kernels().softmax;

  Scratch::Frame frame(context.scratch);
  const MatrixView<float> d_scores(frame.take<float>(queries, keys), {queries, keys});
  const MatrixView<float> d_q(frame.take<float>(queries, width), {queries, width});
  const MatrixView<float> d_k(frame.take<float>(keys, width), {keys, width});
  for (Index b = 0; b < query.size(0); ++b) {
    const MatrixView<float> q = trace.queries[b], k = trace.keys[b], weight = trace.weights[b];
    if (gradients.d_value) {
      Scratch::Frame rows(context.scratch);
      detail::run_hiding_matmul(detail::live_rows(weight, d_out[b], rows), d_out[b],
                                {.transpose_a = true}, gradients.d_value[b], context);
    }
    detail::run_matmul(d_out[b], value[b], {.transpose_b = true}, d_scores, context);
    context.parallel.for_each(queries, [&](Index t, int) {
      float* const row = d_scores[t].data();
      if (detail::all_zero(d_out[b][t].data(), value.size(2))) {
        std::fill_n(row, keys, 0.0f);  // even for a query that is not finite
      } else {
        softmax(row, weight[t].data(), row, keys, 1.0f);
      }
    });
    detail::sum_rows(
        queries, width, context,
        [&](Index t, float* sums) {
          std::fill_n(d_q[t].data(), width, 0.0f);
          for (Index s = 0; s < keys; ++s) {
            if (d_scores[t][s] == 0.0f) continue;  // hidden, even for a key that is not finite
            score(q[t].data(), k[s].data(), weights.score.data(), d_scores[t][s], d_q[t].data(),
                  sums, width);
          }
        },
        [&](const float* sums) { detail::add_sums(sums, d_weights.score); });
    context.parallel.for_each(keys, [&](Index s, int) {
      std::fill_n(d_k[s].data(), width, 0.0f);
      for (Index t = 0; t < queries; ++t) {
        if (d_scores[t][s] == 0.0f) continue;
        score(q[t].data(), k[s].data(), weights.score.data(), d_scores[t][s], d_k[s].data(),
              nullptr, width);
      }
    });
    detail::run_linear_backward(d_q, query[b], weights.query,
                                {matrix_of(gradients.d_query, b), d_weights.query, {}}, context);
    detail::run_linear_backward(d_k, key[b], weights.key,
                                {matrix_of(gradients.d_key, b), d_weights.key, {}}, context);
  }
}

}  // namespace tril
