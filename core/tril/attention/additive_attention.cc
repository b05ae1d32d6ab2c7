#include <tril/attention/additive_attention.h>
#include <tril/attention/score_kernels.h>
#include <tril/foundation/check.h>
#include <tril/layers/softmax_kernels.h>
#include <tril/layers/unchecked.h>
#include <tril/matmul/method.h>

#include <algorithm>

namespace tril {
namespace {

constexpr const char* kCall = "additive_attention";

void copy_row(const float* from, Index count, const TensorView<float, 3>& to, Index b, Index t) {
  if (to) std::copy_n(from, count, to[b][t].data());
}

}  // namespace

void detail::check_additive(const char* call, const TensorView<const float, 3>& query,
                            const TensorView<const float, 3>& key,
                            const TensorView<const float, 3>& value,
                            const AdditiveWeights& weights) {
  check_view(query, call, "query");
  check_view(key, call, "key");
  check_view(weights.query, call, "w_q");
  const Message why{"query is ", query, ", key is ", key, ", w_q is ", weights.query};
  const Index width = weights.query.size(0), keys = key.size(1);
  check_shape(weights.query, {width, query.size(2)}, call, "w_q", why);
  check_shape(weights.key, {width, key.size(2)}, call, "w_k", why);
  check_shape(weights.score, {width}, call, "v", why);
  check_shape(key, {query.size(0), keys, key.size(2)}, call, "key", why);
  check_view(value, call, "value");
  check_shape(value, {query.size(0), keys, value.size(2)}, call, "value", why);
}

void additive_attention(TensorView<const float, 3> query, TensorView<const float, 3> key,
                        TensorView<const float, 3> value, const AdditiveWeights& weights,
                        const Mask& mask, TensorView<float, 3> out, Scratch& scratch,
                        Parallel& parallel, const AdditiveTrace& trace) {
  detail::check_additive(kCall, query, key, value, weights);
  const Index batches = query.size(0), queries = query.size(1), keys = key.size(1);
  const Index width = weights.query.size(0);
  mask.check({batches, 1, queries, keys}, kCall);
  const auto check_written = [&](const TensorView<float, 3>& view, const Shape<3>& shape,
                                 const char* name) {
    check_shape(view, shape, kCall, name,
                {"query is ", query, ", key is ", key, ", value is ", value});
    for (const auto& input : {query, key, value}) check_no_overlap(view, input, kCall, name);
    for (const auto& weight : {weights.query, weights.key})
      check_no_overlap(view, weight, kCall, name);
    check_no_overlap(view, weights.score, kCall, name);
  };
  check_written(out, {batches, queries, value.size(2)}, "out");
  const auto check_trace = [&](const TensorView<float, 3>& view, const Shape<3>& shape,
                               const char* name) {
    if (!view) return;
    check_written(view, shape, name);
    check_no_overlap(view, out, kCall, name);
  };
  check_trace(trace.queries, {batches, queries, width}, "trace.queries");
  check_trace(trace.keys, {batches, keys, width}, "trace.keys");
  check_trace(trace.scores, {batches, queries, keys}, "trace.scores");
  check_trace(trace.masked, {batches, queries, keys}, "trace.masked");
  check_trace(trace.weights, {batches, queries, keys}, "trace.weights");

  Scratch::Frame frame(scratch);
  const MatrixView<float> q(frame.take<float>(queries, width), {queries, width});
  const MatrixView<float> k(frame.take<float>(keys, width), {keys, width});
  const MatrixView<float> scores(frame.take<float>(queries, keys), {queries, keys});
  const auto score = score_kernels().additive_score;
  const auto softmax_row = softmax_kernels().row;

  // for each batch:  q = Wq query, k = Wk key
  //   for each query t:  scores = w_score . tanh(q_t + k_s) for every key s, masked, softmax
  //   out = scores V
  for (Index b = 0; b < batches; ++b) {
    detail::run_linear(query[b], weights.query, {}, q, scratch, parallel);
    detail::run_linear(key[b], weights.key, {}, k, scratch, parallel);
    parallel.for_each(queries, [&](Index t, int) {
      float* const row = scores[t].data();
      for (Index s = 0; s < keys; ++s) {
        row[s] = score(q[t].data(), k[s].data(), weights.score.data(), width);
      }
      copy_row(row, keys, trace.scores, b, t);
      mask.apply({b, 0, t, t + 1, 0, {0, keys}}, row, keys);
      copy_row(row, keys, trace.masked, b, t);
      softmax_row(row, row, keys, 1.0f);
      copy_row(row, keys, trace.weights, b, t);
    });
    detail::run_matmul(scores, value[b], {}, out[b], scratch, parallel);
    for (Index t = 0; t < queries; ++t) copy_row(q[t].data(), width, trace.queries, b, t);
    for (Index s = 0; s < keys; ++s) copy_row(k[s].data(), width, trace.keys, b, s);
  }
}

}  // namespace tril
