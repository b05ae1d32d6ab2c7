#include <tril/attention/flash_attention.h>
#include <tril/foundation/check.h>
#include <tril/lessons/online_attention.h>

#include <algorithm>

namespace tril {
namespace {

// Writes each step to its place in the trace.
class StepWriter final : public detail::FlashObserver {
 public:
  StepWriter(const OnlineTrace& trace, const OnlineBlocks& blocks,
             const TensorView<const float, 4>& out) noexcept
      : trace_(trace), blocks_(blocks), out_(out) {}

  void after(const detail::FlashStep& step) override {
    const detail::QueryBlock& block = step.queries;
    const Index b = block.batch, n = step.step;
    if (trace_.visited) {
      trace_.visited[b][block.head][block.first_query / blocks_.queries][n] = step.visited;
    }
    for (Index row = 0; row < block.rows(); ++row) {
      const Index h = block.head_of(row), t = block.query_of(row);
      if (trace_.maximum) trace_.maximum[b][h][t][n] = step.states[row].maximum;
      if (trace_.sum) trace_.sum[b][h][t][n] = step.states[row].sum;
      if (trace_.factor) trace_.factor[b][h][t][n] = step.visited ? step.factors[row] : 1.0f;
      if (!trace_.partial) continue;
      std::copy_n(out_[b][h][t].data(), out_.size(3), trace_.partial[b][h][t][n].data());
    }
  }

 private:
  const OnlineTrace& trace_;
  const OnlineBlocks& blocks_;
  const TensorView<const float, 4> out_;
};

}  // namespace

void online_attention(TensorView<const float, 4> query, TensorView<const float, 4> key,
                      TensorView<const float, 4> value, const AttentionOptions& options,
                      const OnlineBlocks& blocks, TensorView<float, 4> out, const Context& context,
                      const OnlineTrace& trace) {
  constexpr const char* kCall = "online_attention";
  const detail::AttentionProblem problem =
      detail::checked_attention_problem(kCall, query, key, value, options, out, {});
  if (blocks.queries < 1) {
    fail(kCall, "blocks.queries", {"must be at least 1, is ", blocks.queries});
  }
  if (blocks.keys < 1) {
    fail(kCall, "blocks.keys", {"must be at least 1, is ", blocks.keys});
  }
  const Index steps = blocks.steps_of(problem.keys());
  const Index query_blocks = blocks.blocks_of(problem.queries());
  const auto check_trace = [&](const auto& view, const auto& shape, const char* name) {
    if (!view) return;
    check_shape(view, shape, kCall, name,
                {"query is ", query, ", key is ", key, ", in ", steps, " steps"});
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
  if (problem.empty()) return detail::run_attention(problem, context);
  StepWriter writer(trace, blocks, out);
  detail::flash_attention(problem, {blocks.queries, blocks.keys}, context, &writer);
}

}  // namespace tril
