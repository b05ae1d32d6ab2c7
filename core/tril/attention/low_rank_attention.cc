#include <tril/attention/attention_problem.h>
#include <tril/attention/low_rank_attention.h>
#include <tril/foundation/check.h>
#include <tril/matmul/method.h>

#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "low_rank_attention";

// projected [B, Hk, R, width] = projection [R, S] times each head of x [B, Hk, S, width].
void project(MatrixView<const float> projection, TensorView<const float, 4> x,
             TensorView<float, 4> projected, Scratch& scratch, Parallel& parallel) {
  for (Index b = 0; b < x.size(0); ++b) {
    for (Index h = 0; h < x.size(1); ++h) {
      detail::run_matmul(projection, x[b][h], {}, projected[b][h], scratch, parallel);
    }
  }
}

}  // namespace

void low_rank_attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
                        TensorView<const float, 4> value, MatrixView<const float> e,
                        MatrixView<const float> f, const LowRankOptions& options,
                        TensorView<float, 4> out, Scratch& scratch, Parallel& parallel,
                        const AttentionTrace& trace) {
  // The inputs as attention takes them; what it writes is checked below, in its own shapes.
  const AttentionOptions attention_options = {.scale = options.scale};
  detail::check_inputs(kCall, query, key, value);
  check_view(e, kCall, "e");
  const Index rank = e.size(0);
  const Message why{"key is ", key, ", e is ", e};
  check_shape(e, {rank, key.size(2)}, kCall, "e", why);
  check_shape(f, {rank, key.size(2)}, kCall, "f", why);
  const std::pair<const char*, TensorView<float, 4>> written[] = {{"out", out},
                                                                  {"trace.scores", trace.scores},
                                                                  {"trace.capped", trace.capped},
                                                                  {"trace.masked", trace.masked},
                                                                  {"trace.weights", trace.weights}};
  for (const auto& [name, view] : written) {
    for (const auto& input : {query, key, value}) check_no_overlap(view, input, kCall, name);
    for (const auto& input : {e, f}) check_no_overlap(view, input, kCall, name);
  }

  Scratch::Frame frame(scratch);
  const auto take = [&](Index width) {
    const Shape<4> shape = {key.size(0), key.size(1), rank, width};
    return TensorView<float, 4>(frame.take<float>(shape[0], shape[1], rank, width), shape);
  };
  const TensorView<float, 4> keys = take(key.size(3)), values = take(value.size(3));
  const detail::AttentionProblem problem =
      detail::checked_attention_problem(kCall, query, keys, values, attention_options, out, trace);
  project(e, key, keys, scratch, parallel);
  project(f, value, values, scratch, parallel);
  detail::run_attention(problem, scratch, parallel);
}

}  // namespace tril
