#include <tril/attention/attention_backward_blocks.h>
#include <tril/foundation/check.h>

#include <algorithm>

namespace tril {

TRIL_DEFINE_DISPATCH(AttentionBackwardKernels, kAttentionBackwardKernels,
                     attention_backward_kernels)

namespace {

using detail::AttentionBackwardProblem;
using detail::blocks_of;
using detail::kKeyBlock;

constexpr const char* kCall = "attention_backward";

// The fewest work items of one batch with one head, and so the most threads that share it. More
// would take memory: each has a copy of d_query.
constexpr Index kFewestItems = 8;

// delta [B, H, T] = sum over the width of d_out * out
void fill_delta(const AttentionBackwardProblem& p, float* delta, const Context& context) {
  const Index heads = p.heads();
  const auto dot = attention_backward_kernels().dot;
  context.parallel.for_each(p.batches() * heads, [&](Index item, int) {
    const auto d_out = p.d_out[item / heads][item % heads];
    const auto out = p.out[item / heads][item % heads];
    for (Index t = 0; t < p.queries(); ++t) {
      delta[item * p.queries() + t] = dot(d_out[t].data(), out[t].data(), p.value_width());
    }
  });
}

// d_query = the sum of its parts [parts, B, H, T, D], one after another.
void add_parts(const AttentionBackwardProblem& p, const float* memory, Index parts,
               const Context& context) {
  const Index heads = p.heads(), rows = p.batches() * heads * p.queries();
  context.parallel.for_each(p.batches() * heads, [&](Index item, int) {
    const MatrixView<float> d_query = p.gradients.d_query[item / heads][item % heads];
    for (Index t = 0; t < p.queries(); ++t) {
      const float* from = memory + (item * p.queries() + t) * p.depth();
      float* const to = d_query[t].data();
      std::copy_n(from, p.depth(), to);
      for (Index part = 1; part < parts; ++part) {
        from += rows * p.depth();
        for (Index d = 0; d < p.depth(); ++d) to[d] += from[d];
      }
    }
  });
}

// Sets the gradients without scores: all are 0.
void clear(const AttentionGradients& gradients) noexcept {
  const auto& [d_query, d_key, d_value, d_mask] = gradients;
  for (const TensorView<float, 4>& d : {d_query, d_key, d_value}) {
    for (Index row = 0; d && row < d.size(0) * d.size(1) * d.size(2); ++row) {
      const Index b = row / d.size(2) / d.size(1), h = row / d.size(2) % d.size(1);
      std::fill_n(d[b][h][row % d.size(2)].data(), d.size(3), 0.0f);
    }
  }
}

// Whether one thread does all the work. Products use whole tiles, so many short heads take more
// time than their number of scores suggests. Three products are as deep as queries are wide, two as
// deep as values.
bool is_small(const AttentionBackwardProblem& p) noexcept {
  const TileKernels& tiles = tile_kernels();
  const double scores = detail::times(p.batches(), p.heads(),
                                      blocks_of(p.queries(), tiles.tile_rows) * tiles.tile_rows,
                                      blocks_of(p.keys(), tiles.panel_cols) * tiles.panel_cols);
  return detail::below_parallel_threshold(scores, 3 * p.depth() + 2 * p.value_width());
}

}  // namespace

void attention_backward(TensorView<const float, 4> d_out, TensorView<const float, 4> query,
                        TensorView<const float, 4> key, TensorView<const float, 4> value,
                        TensorView<const float, 4> out, TensorView<const float, 3> log_sum_exp,
                        const AttentionOptions& options, const AttentionGradients& gradients,
                        const Context& context) {
  detail::check_inputs(kCall, query, key, value);
  const Shape<4> scores = {query.size(0), query.size(1), query.size(2), key.size(2)};
  detail::check_options(kCall, options, scores);
  const Shape<4> outputs = {scores[0], scores[1], scores[2], value.size(3)};
  const Message why{"query is ", query, ", key is ", key, ", value is ", value};
  check_shape(d_out, outputs, kCall, "d_out", why);
  check_shape(out, outputs, kCall, "out", why);
  check_shape(log_sum_exp, {scores[0], scores[1], scores[2]}, kCall, "log_sum_exp", why);
  const auto check_written = [&](const TensorView<float, 4>& view, const Shape<4>& shape,
                                 const char* name) {
    if (!view) return;
    check_shape(view, shape, kCall, name, why);
    for (const auto& input : {d_out, query, key, value, out}) {
      check_no_overlap(view, input, kCall, name);
    }
    check_no_overlap(view, log_sum_exp, kCall, name);
    check_no_overlap(view, options.mask, kCall, name);
  };
  const auto& [d_query, d_key, d_value, d_mask] = gradients;
  check_written(d_query, query.shape(), "d_query");
  check_written(d_key, key.shape(), "d_key");
  check_written(d_value, value.shape(), "d_value");
  check_written(d_mask, scores, "d_mask");
  check_no_overlap(d_key, d_query, kCall, "d_key");
  check_no_overlap(d_value, d_query, kCall, "d_value");
  check_no_overlap(d_value, d_key, kCall, "d_value");
  for (const auto& other : {d_query, d_key, d_value})
    check_no_overlap(d_mask, other, kCall, "d_mask");
  detail::run_attention_backward(
      {detail::attention_formula(query, key, value, options), d_out, out, log_sum_exp, gradients},
      context);
}

// delta = sum of d_out * out
// for each batch and head of keys, a work item, or several that take the blocks of keys in turn:
//   pack the queries and d_outs of the heads that share it;  d_query = 0
//   for each block of keys:  KeyBlockPass
void detail::run_attention_backward(const AttentionBackwardProblem& p, const Context& given) {
  if (p.empty()) return clear(p.gradients);
  Parallel one;
  const Context context(given.scratch, is_small(p) ? one : given.parallel);
  const AttentionGradients& gradients = p.gradients;
  const TensorView<const float, 4>& query = p.query;
  const Index batches = p.batches(), heads = p.heads(), kv_heads = p.kv_heads();
  const Index key_blocks = blocks_of(p.keys(), kKeyBlock);
  // The number of parts, and so the order of the sums, depends on shapes alone.
  const Index parts = std::min(key_blocks, blocks_of(kFewestItems, batches * kv_heads));

  KeyBlockMemory layout(p, tile_kernels());
  Scratch::Frame frame(context.scratch);
  float* const delta = frame.take<float>(batches, heads, p.queries());
  float* const memory = frame.take<float>(layout.floats(), context.parallel.threads());
  const bool split = parts > 1 && gradients.d_query;
  const Shape<4> part_shape = query.shape();
  float* const d_queries =
      split ? frame.take<float>(parts, batches, heads, p.queries(), p.depth()) : nullptr;
  MatrixView<float>* const rows =
      frame.take<MatrixView<float>>(p.group(), static_cast<Index>(context.parallel.threads()));
  fill_delta(p, delta, context);

  const KeyBlockPass pass(p, delta);
  context.parallel.for_each(batches * kv_heads * parts, [&](Index item, int worker) {
    const Index part = item % parts, key_head = item / parts % kv_heads;
    const Index batch = item / parts / kv_heads;
    KeyBlockMemory work = layout;
    work.lay_out(memory + layout.floats() * worker);
    pass.pack_heads(batch, key_head, work);
    MatrixView<float>* const d_query = rows + p.group() * worker;
    for (Index member = 0; gradients.d_query && member < p.group(); ++member) {
      const Index head = key_head * p.group() + member;
      d_query[member] =
          split ? TensorView<float, 4>(d_queries + part * query.count(), part_shape)[batch][head]
                : gradients.d_query[batch][head];
      for (Index t = 0; t < p.queries(); ++t) {
        std::fill_n(d_query[member][t].data(), p.depth(), 0.0f);
      }
    }
    for (Index block = part; block < key_blocks; block += parts) {
      pass.key_block(batch, key_head, block * kKeyBlock, gradients.d_query ? d_query : nullptr,
                     work);
    }
  });
  if (split) add_parts(p, d_queries, parts, context);
}

}  // namespace tril
