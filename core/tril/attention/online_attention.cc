#include <tril/attention/online_attention.h>
#include <tril/attention/online_blocks.h>
#include <tril/attention/problem.h>
#include <tril/foundation/check.h>

namespace tril {

void online_attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
                      TensorView<const float, 4> value, const AttentionOptions& options,
                      const OnlineBlocks& blocks, TensorView<float, 4> out, Scratch& scratch,
                      Parallel& parallel, const OnlineTrace& trace) {
  constexpr const char* kCall = "online_attention";
  const detail::AttentionProblem problem =
      detail::attention_problem(kCall, query, key, value, options, out, {});
  if (blocks.queries < 1) {
    fail(kCall, "blocks.queries", "must be at least 1, is " + std::to_string(blocks.queries));
  }
  if (blocks.keys < 1) {
    fail(kCall, "blocks.keys", "must be at least 1, is " + std::to_string(blocks.keys));
  }
  const Index steps = (problem.keys() - 1) / blocks.keys + 1;
  const Index query_blocks = (problem.queries() - 1) / blocks.queries + 1;
  const auto check_trace = [&](const auto& view, const auto& shape, const char* name) {
    if (!view) return;
    check_shape(view, shape, kCall, name, [&] {
      return "query is " + shape_text(query) + ", key is " + shape_text(key) + ", in " +
             std::to_string(steps) + " steps";
    });
    check_no_overlap(view, query, kCall, name);
    check_no_overlap(view, key, kCall, name);
    check_no_overlap(view, value, kCall, name);
    check_no_overlap(view, out, kCall, name);
  };
  const Index batches = problem.batches(), heads = problem.heads(), queries = problem.queries();
  const Shape<4> each = {batches, heads, queries, steps};
  check_trace(trace.maximum, each, "trace.maximum");
  check_trace(trace.sum, each, "trace.sum");
  check_trace(trace.factor, each, "trace.factor");
  check_trace(trace.partial, Shape<5>{batches, heads, queries, steps, problem.value_width()},
              "trace.partial");
  check_trace(trace.visited, Shape<4>{batches, heads, query_blocks, steps}, "trace.visited");
  detail::attend_online(problem, blocks, scratch, parallel, trace);
}

}  // namespace tril
