#include <tril/attention/attention_problem.h>
#include <tril/attention/low_rank_attention.h>
#include <tril/foundation/check.h>
#include <tril/matmul/method.h>

namespace tril {
namespace {

constexpr const char* kCall = "low_rank_attention";

// projected [B, Hk, R, width] = projection [R, S] times each head of x [B, Hk, S, width].
void project(MatrixView<const float> projection, TensorView<const float, 4> x,
             TensorView<float, 4> projected, const Context& context) {
  for (Index b = 0; b < x.size(0); ++b) {
    for (Index h = 0; h < x.size(1); ++h) {
      detail::run_matmul(projection, x[b][h], {}, projected[b][h], context);
    }
  }
}

}  // namespace

void low_rank_attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
                        TensorView<const float, 4> value, MatrixView<const float> e,
                        MatrixView<const float> f, const LowRankOptions& options,
                        TensorView<float, 4> out, const Context& context,
                        const AttentionTrace& trace) {
  const AttentionOptions attention_options = {.scale = options.scale};
  detail::check_inputs(kCall, query, key, value);
  check_view(e, kCall, "e", Empty::allowed);
  const Index rank = e.size(0);
  const Message why{"query is ", query, ", key is ", key, ", value is ", value, ", e is ", e};
  check_shape(e, {rank, key.size(2)}, kCall, "e", {"key is ", key, ", e is ", e});
  check_shape(f, {rank, key.size(2)}, kCall, "f", {"key is ", key, ", e is ", e});
  const Shape<4> scores = {query.size(0), query.size(1), query.size(2), rank};
  detail::check_options(kCall, attention_options, scores);
  detail::check_written(kCall, scores, value.size(3), out, trace, why, query, key, value, e, f);

  Scratch::Frame frame(context.scratch);
  const auto take = [&](Index width) {
    const Shape<4> shape = {key.size(0), key.size(1), rank, width};
    return TensorView<float, 4>(frame.take<float>(shape[0], shape[1], rank, width), shape);
  };
  const TensorView<float, 4> keys = take(key.size(3)), values = take(value.size(3));
  project(e, key, keys, context);
  project(f, value, values, context);
  detail::run_attention(
      detail::attention_problem(query, keys, values, attention_options, out, trace), context);
}

}  // namespace tril
