#include <tril/attention/online_blocks.h>
#include <tril/attention/packed_heads.h>
#include <tril/attention/query_blocks.h>
#include <tril/attention/score_kernels.h>

#include <algorithm>
#include <limits>

namespace tril::detail {
namespace {

// What one thread works with.
struct Work {
  float* scores;        // [queries, keys] of a block, widened
  OnlineState* states;  // one a query
  float* factors;       // one a query: of the last step
};

// Fills the trace with the state after step `step` of a block of queries.
void record(const OnlineTrace& trace, const MaskBlock& block, Index step, bool visited,
            Index query_block, const Work& work, const MatrixView<float>& out) noexcept {
  const Index b = block.batch, h = block.head;
  if (trace.visited) trace.visited[b][h][block.first_query / query_block][step] = visited;
  for (Index query = block.first_query; query < block.last_query; ++query) {
    const Index row = query - block.first_query;
    if (trace.maximum) trace.maximum[b][h][query][step] = work.states[row].maximum;
    if (trace.sum) trace.sum[b][h][query][step] = work.states[row].sum;
    if (trace.factor) trace.factor[b][h][query][step] = visited ? work.factors[row] : 1.0f;
    if (trace.partial) {
      std::copy_n(out[query].data(), out.size(1), trace.partial[b][h][query][step].data());
    }
  }
}

// scores = scale * q K^T of block.keys, capped, masked
// for each query:  absorb the scores that it sees;  scale its output where the maximum grew
// out += scores V
void absorb_keys(const AttentionProblem& p, const PackedHeads& heads, const MaskBlock& block,
                 const Work& work) noexcept {
  const ScoreKernels& kernels = score_kernels();
  const MatrixView<const float> query = p.query[block.batch][block.head];
  const MatrixView<float> out = p.out[block.batch][block.head];
  const Index rows = block.last_query - block.first_query, key_head = p.key_head(block.head);
  MaskBlock wide = block;
  wide.keys = heads.widened(block.keys);
  const Index stride = wide.keys.size(), extra = block.keys.first - wide.keys.first;
  heads.score(block.batch, key_head, query[block.first_query].data(), query.stride(0), rows,
              wide.keys, p.scale, work.scores, stride);
  if (p.softcap > 0) kernels.cap(work.scores, rows * stride, p.softcap);
  p.mask.apply(wide, work.scores, stride);

  for (Index row = 0; row < rows; ++row) {
    const KeyRange seen =
        whole_registers(p.mask.visible(row_of(block, block.first_query + row)), block.keys);
    float* const scores = work.scores + row * stride + extra;
    const Index first = seen.first - block.keys.first, last = seen.last - block.keys.first;
    float& factor = work.factors[row] = 1.0f;
    std::fill_n(scores, first, 0.0f);
    if (!seen.empty()) factor = kernels.absorb(scores + first, seen.size(), work.states[row]);
    std::fill(scores + last, scores + block.keys.size(), 0.0f);
    if (factor != 1.0f) {
      kernels.scale(out[block.first_query + row].data(), p.value_width(), factor);
    }
  }
  heads.combine(block.batch, key_head, work.scores + extra, stride, rows, block.keys, true,
                out[block.first_query].data(), out.stride(0));
}

// for each query:  maximum = -inf, sum = 0, out = 0
// for each block of keys that any of the queries may see:  absorb it
// for each query:  out /= sum, or stays 0 where nothing was seen
void attend_block(const AttentionProblem& p, const PackedHeads& heads, const OnlineBlocks& blocks,
                  const MaskBlock& block, const Work& work, const OnlineTrace& trace) noexcept {
  const MatrixView<float> out = p.out[block.batch][block.head];
  const Index rows = block.last_query - block.first_query;
  for (Index row = 0; row < rows; ++row) {
    work.states[row] = {-std::numeric_limits<float>::infinity(), 0.0f};
    std::fill_n(out[block.first_query + row].data(), p.value_width(), 0.0f);
  }
  for (Index first = 0; first < p.keys(); first += blocks.keys) {
    MaskBlock step = block;
    step.keys = {first, std::min(first + blocks.keys, p.keys())};
    step.keys = p.mask.visible(step);
    if (!step.keys.empty()) absorb_keys(p, heads, step, work);
    record(trace, block, first / blocks.keys, !step.keys.empty(), blocks.queries, work, out);
  }
  for (Index row = 0; row < rows; ++row) {
    const float sum = work.states[row].sum;
    if (sum == 0.0f) continue;
    score_kernels().scale(out[block.first_query + row].data(), p.value_width(), 1 / sum);
  }
}

}  // namespace

void attend_online(const AttentionProblem& p, const OnlineBlocks& sizes, Scratch& scratch,
                   Parallel& parallel, const OnlineTrace& trace) {
  const QueryBlocks blocks(p, sizes.queries);
  OnlineBlocks block = sizes;
  block.keys = std::min(sizes.keys, p.keys());
  Scratch::Frame frame(scratch);
  PackedHeads heads(p, frame);
  const Index stride = heads.most_widened(block.keys);
  const int threads = parallel.threads();
  float* const all_scores = frame.take<float>(blocks.rows(), stride, threads);
  OnlineState* const states = frame.take<OnlineState>(blocks.rows(), threads);
  float* const factors = frame.take<float>(blocks.rows(), threads);
  heads.pack(p, parallel);
  parallel.for_each(blocks.count(), [&](Index item, int worker) {
    const Work work{all_scores + blocks.rows() * stride * worker, states + blocks.rows() * worker,
                    factors + blocks.rows() * worker};
    attend_block(p, heads, block, blocks[item], work, trace);
  });
}

}  // namespace tril::detail
